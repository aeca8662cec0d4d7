#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/resource_set.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/core/time.hpp>

// Why jobs wait, as data: src/replay/reason_words.cpp makes sentences of it. Jobs are named by their ids.
namespace batfill {

// The instant in seconds; "never" if it is infinite.
std::string instant_text(Time time);
// Does the same, perhaps in another form.
using InstantText = std::function<std::string(Time)>;

// Conditions of a job that do not hold yet, as a text in pieces. Behind a piece is the instant at which its condition
// will hold, if that is known; else it is infinite.
using OpenConditions = std::vector<std::pair<std::string, Time>>;
// "its begin (at 3600), ok:12 (it runs), any:13+600 (at 4200), start:14 and 40 more"
std::string conditions_text(const OpenConditions& conditions, const InstantText& instant = instant_text);

// A task that does not have its turn yet: too many of the tasks of its array before it are not over.
struct OpenTurn {
    std::string array;
    std::size_t before = 0;  // how many
    Amount limit = 0;
    friend bool operator==(const OpenTurn&, const OpenTurn&) = default;
};

// Of what a job would find too little: it needs so much, and so much would be left at an instant. Of hosts, for its
// whole run from now on; of a block, the most processors side by side.
struct Shortage {
    enum class Of { processors, hosts, pool, licence, block };
    Of of = Of::processors;
    std::string name = {};  // of the pool or the licence
    Amount needed = 0;
    Amount left = 0;
    Time at = {};
    friend bool operator==(const Shortage&, const Shortage&) = default;
};

// What an algorithm says of a job that it does not start: its rule, and what it has gone by. Each rule says which of
// the members it uses; the others keep their values.
struct Reason {
    enum class Rule {
        none,       // it says nothing
        own_words,  // `text`: the rule, and behind a colon its numbers
        // The first in the queue, `job`, cannot start, and nobody starts before it.
        first,
        behind_first,
        // Of the only booking: the job `job` of `processors` has it, or lacks it for a reason `never`, with
        // `start`, `hosts`, `block`, `machine` and `extra_processors`. Who would delay it, with `estimate` and
        // `shortage`.
        head,
        behind_head,
        not_tried_behind_head,
        would_delay_head,
        // Of several bookings or none: `start` and `hosts`, or `never`. Who would delay one, with `estimate`: that
        // of `job` at `delayed_start`, and `shortage` beside it.
        head_without_reservation,
        reserved,
        without_reservation,
        behind_others,
        would_delay_reservation,
        not_tried,
        no_decision,
        passed_over,  // only a pool that is not planned, or a limit, keeps it from starting
        // Of relaxed backfilling: the top job is `job` and could start at `start`, if that is known. The others must
        // end by `latest_end`, if they do not all wait; this one would end at `end`.
        top,
        behind_top,
        too_late,
        // Of a plan: `start`, `hosts` or `never`, `moves`, and the planned job that a start now would delay, `job` at
        // `delayed_start`, with `shortage` beside it.
        planned,
        tentative,
        hopeless,
        parked,
    };
    // Why there is no start, by the end of all that runs.
    enum class Never {
        too_few_processors,
        too_little,
        no_room_inside,  // in the windows of its booking
    };
    // What happened in the round in which a plan moved a start.
    struct Event {
        enum class Kind { ended_early, submitted, parked, window_announced, machine_changed, could_not_start };
        Kind kind = Kind::submitted;
        std::size_t jobs = 0;
        std::string job = {};  // if it is one
        friend bool operator==(const Event&, const Event&) = default;
    };
    // How often a planned start has moved since it was first said, and the last time.
    struct Moves {
        int number = 0;
        Time from = {};
        Time at = {};
        std::vector<Event> events = {};
        friend bool operator==(const Moves&, const Moves&) = default;
    };

    Rule rule = Rule::none;
    std::string text = {};
    std::string job = {};
    int processors = 0;  // 0: not said
    Time start = Time::infinity();
    Never never = Never::too_few_processors;  // if `start` is infinite
    ResourceSet hosts = {};                   // if they have names
    ResourceSet block = {};                   // consecutive processors
    std::string machine = {};                 // one of several
    std::optional<int> extra_processors = {};
    bool is_strict = false;  // others must end before `start`
    Duration estimate = {};
    Shortage shortage = {};
    bool all_wait = false;
    Time latest_end = Time::infinity();
    Time end = {};
    Moves moves = {};
    bool has_passed = false;  // the planned start
    Time delayed_start = {};
    friend bool operator==(const Reason&, const Reason&) = default;
};

// What a running job, or a window, has of what a job lacks.
struct Share {
    std::string name;
    Amount amount = 0;
    Time until;  // by the estimates
    bool is_of_window = false;
    friend bool operator==(const Share&, const Share&) = default;
};
// The first of many, and how many others there are.
template <class One>
struct Some {
    static constexpr std::size_t most = 3;
    std::vector<One> first = {};
    std::size_t others = 0;

    void add(One one) {
        if (first.size() < most) {
            first.push_back(std::move(one));
        } else {
            ++others;
        }
    }
    friend bool operator==(const Some&, const Some&) = default;
};
// Who has how much: those with the most, and what others have.
struct Shares : Some<Share> {
    Amount rest = 0;
    friend bool operator==(const Shares&, const Shares&) = default;
};

// Why a job still waits at the end of a round, or what has ended its wait: what a row of PREFIX_explain.csv has besides
// texts.
struct Waiting {
    enum class Kind {
        processors,   // fewer are idle than it needs
        place,        // enough are idle, but not as its placement requires
        license,      // all copies of one of its licences are in use
        pool,         // too little is left of a pool of the machine
        limit,        // too little is left of a limit, such as of its user's
        hosts,        // hosts have names, and too few have what it takes of each
        dependency,   // it is not eligible yet (StatedNeeds::has_conditions())
        window,       // it would run into a window, or is in a booking that has no room for it
        passed_over,  // it could start, and the algorithm does not start it
        started,      // from here on: its wait has ended
        rejected,
    };
    std::string job = {};
    Time time = {};            // of the first round with this reason
    std::uint64_t rounds = 1;  // with this reason, one after another
    Kind kind = Kind::passed_over;
    int needed = 0;  // processors
    int idle = 0;    // processors; of a job that waits for named hosts, those that have what it takes
    std::string license = {};
    // When it could start if nothing else did and there were no windows, by the estimates: infinite if even the end of
    // all jobs is not enough, or it waits for a window. And running jobs that must have ended until then, by estimated
    // end: with these it can start, and without one of them it cannot. Their amounts are the processors that they give
    // back.
    std::vector<Share> holders = {};
    Time possible = {};
    // Its place among the waiting jobs by submission, from 1 on, and their number. Both are 0 for a job that is not
    // eligible yet.
    std::size_t place = 0;
    std::size_t waiting = 0;
};

// The same with its causes.
struct WaitReason : Waiting {
    // A pool of which too little is left. What is free and held is all that there is.
    struct Pool {
        std::string name;
        Amount needed = 0;
        Amount free = 0;
        Amount total = 0;
        Shares held = {};
        friend bool operator==(const Pool&, const Pool&) = default;
    };
    // A limit of which too little is left.
    struct Limit {
        std::string name;     // "limit 1, user alice"
        std::string counted;  // "processors"
        Amount needed = 0;
        Amount in_use = 0;
        Amount most = 0;
        Shares held = {};
        friend bool operator==(const Limit&, const Limit&) = default;
    };
    // What it takes of named hosts, also if enough have that.
    struct Hosts {
        bool are_whole = false;
        bool may_be_shared = false;  // whole hosts, of a machine where others share them
        std::string partition = {};
        std::vector<std::pair<std::string, Amount>> amounts = {};  // of each host
        std::size_t suitable = 0;                                  // that would do if they were empty
        Shares held = {};           // how many windows have, and of whole hosts also jobs
        std::string capacity = {};  // that is short on the most hosts, `lacking`; empty: none
        std::size_t lacking = 0;
        int host = 0;        // the first of them,
        Amount of_host = 0;  // which has so much in all
        Shares held_there = {};
        std::size_t unavailable = 0;
        friend bool operator==(const Hosts&, const Hosts&) = default;
    };
    struct Lack {
        enum class OfReservation { nothing, no_open_window, no_room, has_room };
        Some<Pool> pools = {};
        Some<Limit> limits = {};
        std::optional<Hosts> hosts = {};
        // The window that it would run into, by its walltime, if it started now; and what it would lack then.
        std::string next_window = {};
        Shortage then = {};
        OfReservation of_reservation = OfReservation::nothing;  // if it is in one: what is free outside does not count
        // Of a job that is not eligible yet.
        OpenConditions conditions = {};
        std::optional<OpenTurn> turn = {};
        friend bool operator==(const Lack&, const Lack&) = default;
    };
    // An announced window in its way, or one of its booking.
    struct Window {
        std::string name;
        bool is_own = false;
        Time from;
        Time until;
        // What it takes of what the job may need: one of these.
        int processors = 0;
        ResourceSet hosts = {};
        bool all_hosts = false;
        std::vector<std::pair<std::string, Amount>> pools = {};
        friend bool operator==(const Window&, const Window&) = default;
    };
    // What it takes of pools and of named hosts, what of it is free, and who holds the rest. Empty if it takes only
    // processors, and hosts have no names.
    Lack lack = {};
    // The announced windows in its way, up to its end if it started now or, if that is later and known, at `possible`.
    // Of a booked job, those that are for it, too.
    Some<Window> windows = {};
    Reason because = {};         // what the algorithm says
    std::string rejection = {};  // why it is rejected, as a predicate
};

// "processors", "place", "licence", "pool", "limit", "hosts", "dependency", "window", "passed over", "started" or
// "rejected".
const char* to_string(Waiting::Kind kind);

}  // namespace batfill
