#include "src/replay/reason_words.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/names.hpp"

namespace batfill {

namespace {

using Rule = Reason::Rule;

constexpr std::size_t most_named = 3;

// By Reason::Rule.
constexpr std::array rule_names{
    "",
    "",
    "head",
    "behind the head",
    "head",
    "behind the head",
    "not tried behind the head",
    "would delay the head",
    "head",
    "reserved",
    "without a reservation",
    "behind the jobs before it",
    "would delay a reservation",
    "not tried",
    "no decision",
    "passed over",
    "top job",
    "behind the top job",
    "would end too late beside the top job",
    "planned",
    "tentative",
    "hopeless",
    "parked",
};

std::string seconds(Duration duration) {
    return duration.to_shortest_string() + " s";
}

// "3 hosts" for a job that takes whole hosts, "3 whole hosts" where others share them.
std::string hosts_named(int number, bool are_whole) {
    return std::to_string(number) + (are_whole ? " whole host" : " host") + (number == 1 ? "" : "s");
}

// `text` if there is any, behind a separator.
std::string behind(const char* separator, const std::string& text) {
    return text.empty() ? "" : separator + text;
}

// "job 7 ended early", "jobs were submitted".
std::string event_text(const Reason::Event& event) {
    using Kind = Reason::Event::Kind;
    const std::string jobs = event.jobs == 1 ? "job " + event.job : "jobs";
    const std::string were = jobs + (event.jobs == 1 ? " was " : " were ");
    switch (event.kind) {
        case Kind::ended_early:
            return jobs + " ended early";
        case Kind::submitted:
            return were + "submitted";
        case Kind::parked:
            return were + "parked";
        case Kind::window_announced:
            return "a window was announced";
        case Kind::machine_changed:
            return "in a new plan, as the machine changed";
        case Kind::could_not_start:
            break;
    }
    return "in a new plan, as a job could not start when planned";
}

std::string events_text(const std::vector<Reason::Event>& events) {
    const std::vector<std::string> texts = mapped(events, event_text);
    const bool is_new_plan = !events.empty() && events.front().kind >= Reason::Event::Kind::machine_changed;
    return behind(is_new_plan ? ", " : ", when ", list_of(texts, " and "));
}

std::string never_text(Reason::Never never, const char* when) {
    switch (never) {
        case Reason::Never::too_few_processors:
            return std::string("too few processors are available") + when;
        case Reason::Never::too_little:
            return std::string("too little of what it takes is available") + when;
        case Reason::Never::no_room_inside:
            break;
    }
    return "no window of its reservation has room for it";
}

// "8 of the pool power and 2 of the pool water".
std::string pools_text(const std::vector<std::pair<std::string, Amount>>& pools) {
    std::vector<std::string> texts =
        mapped(pools, [](const auto& pool) { return std::to_string(pool.second) + " of the pool " + pool.first; });
    if (texts.size() > most_named) {
        const std::size_t others = texts.size() - most_named;
        texts.resize(most_named);
        texts.push_back(std::to_string(others) + " more");
    }
    return enumeration(texts);
}

constexpr const char* after_all = " even if nothing else runs";

}  // namespace

std::string processors_text(int processors) {
    return counted(static_cast<std::size_t>(processors), "processor");
}

std::string named_hosts(const ResourceSet& hosts, std::span<const std::string> names) {
    constexpr std::size_t most = 6;
    constexpr std::size_t named = 3;
    const std::span<const ResourceSet::Interval> intervals(hosts.intervals());
    std::string text(hosts.size() == 1 ? "host " : "hosts ");
    const char* between = "";
    int others = hosts.size();
    for (const auto& [first, last] : intervals.first(intervals.size() > most ? named : intervals.size())) {
        others -= last - first + 1;
        text.append(between).append(names[static_cast<std::size_t>(first)]);
        if (last > first) {
            text.append(" to ").append(names[static_cast<std::size_t>(last)]);
        }
        between = ", ";
    }
    return text + (others > 0 ? " and " + std::to_string(others) + " more" : "");
}

std::string ReasonWords::place(const ResourceSet& hosts) const {
    return hosts.empty() || host_names_.empty() ? place_text(hosts) : " on " + named_hosts(hosts, host_names_);
}

std::string ReasonWords::rule(const Reason& reason) {
    return reason.rule == Rule::own_words ? reason.text.substr(0, reason.text.find_first_of(",:"))
                                          : rule_names.at(static_cast<std::size_t>(reason.rule));
}

// Of the only reservation: "shadow time 7200, 4 extra processors".
std::string ReasonWords::reservation(const Reason& reason) const {
    if (reason.start.is_infinite()) {
        return "no shadow time, as " + never_text(reason.never, after_all);
    }
    return "shadow time " + instant_text(reason.start) + place(reason.hosts) +
           behind(" on processors ", reason.block.to_string()) + behind(" on machine ", reason.machine) +
           (reason.extra_processors
                ? ", " + counted(static_cast<std::size_t>(*reason.extra_processors), "extra processor")
                : "");
}

std::string ReasonWords::top(const Reason& reason) const {
    return (reason.start.is_infinite() ? "" : "it could start at " + instant_text(reason.start) + "; ") +
           (reason.all_wait                   ? "the others wait, as omega is 0"
            : reason.latest_end.is_infinite() ? "the others may run as long as they like"
                                              : "the others must end by " + instant_text(reason.latest_end));
}

std::string ReasonWords::planned_start(const Reason& reason) const {
    std::string text = reason.start.is_infinite() ? "it has no planned start, as " + never_text(reason.never, "")
                       : reason.has_passed        ? "its planned start, " + instant_text(reason.start) + ", has passed"
                                                  : "its planned start is " + instant_text(reason.start);
    text += place(reason.hosts);
    if (const Reason::Moves& moves = reason.moves; moves.number > 0) {
        text += ", moved " + (moves.number == 1 ? "once," : std::to_string(moves.number) + " times, last") + " from " +
                instant_text(moves.from) + " at " + instant_text(moves.at) + events_text(moves.events);
    }
    return text + (reason.job.empty() ? ""
                                      : "; if it started now, it would delay job " + reason.job + ", planned at " +
                                            instant_text(reason.delayed_start) + ": " + shortage(reason.shortage));
}

std::string ReasonWords::because(const Reason& reason) const {
    if (reason.rule == Rule::own_words) {
        return reason.text;
    }
    const std::string job = (reason.job.empty() ? "" : ", job " + reason.job) +
                            (reason.processors == 0 ? "" : " (" + processors_text(reason.processors) + ")");
    std::string name = rule(reason);
    switch (reason.rule) {
        case Rule::none:
        case Rule::own_words:
        case Rule::behind_others:
        case Rule::not_tried:
            return name;
        case Rule::first:
            return name + ": nobody starts before it";
        case Rule::behind_first:
            return name + job;
        case Rule::head:
            return name + ": it has the reservation, " + reservation(reason);
        case Rule::behind_head:
        case Rule::not_tried_behind_head:
            return name + job + ": " + reservation(reason);
        case Rule::would_delay_head:
            if (reason.shortage.of != Shortage::Of::processors || !reason.extra_processors || !reason.machine.empty()) {
                return name + job + ": " + reservation(reason) + "; its estimate is " + seconds(reason.estimate) +
                       ", and " + shortage(reason.shortage);
            }
            return name + job + ": with its estimate of " + seconds(reason.estimate) + " it would end " +
                   (reason.is_strict ? "at or " : "") + "after the shadow time " + instant_text(reason.start) +
                   ", and it needs " + processors_text(static_cast<int>(reason.shortage.needed)) + ", more than the " +
                   std::to_string(*reason.extra_processors) + " extra processors";
        case Rule::head_without_reservation:
            return name + ": it cannot start, and no job has a reservation";
        case Rule::reserved:
            return name + ": its start, by the estimates, is " + instant_text(reason.start) + place(reason.hosts);
        case Rule::without_reservation:
            return name + ", as " +
                   never_text(reason.never, reason.never == Reason::Never::too_little ? after_all : "");
        case Rule::would_delay_reservation:
            return name + ", that of job " + reason.job + " at " + instant_text(reason.delayed_start) +
                   ": its estimate is " + seconds(reason.estimate) + ", and " + shortage(reason.shortage);
        case Rule::no_decision:
            return name + ": rounds=event decides at other events";
        case Rule::passed_over:
            return name + ": only a pool that is not planned keeps it from starting";
        case Rule::top:
        case Rule::behind_top:
            return name + job + ": " + top(reason);
        case Rule::too_late:
            return name + job + ": " + top(reason) + "; it would end at " + instant_text(reason.end);
        case Rule::planned:
        case Rule::tentative:
        case Rule::hopeless:
            return name + ": " + planned_start(reason);
        case Rule::parked:
            break;
    }
    return name + ": it was due, and only a pool that is not planned keeps it from starting";
}

std::string ReasonWords::because(const WaitReason& reason) const {
    return reason.rejection.empty() ? because(reason.because) : "it " + reason.rejection;
}

std::string ReasonWords::holders(const Shares& shares) const {
    std::vector<std::string> texts;
    for (const Share& share : shares.largest) {
        texts.push_back(
            (share.is_of_window ? "window " + shown(share.name) + " takes " : "job " + share.name + " holds ") +
            std::to_string(share.amount) + " until " + instant_text(share.until));
    }
    if (shares.others > 0) {
        texts.push_back(std::to_string(shares.others) + " more hold " + std::to_string(shares.rest));
    }
    return enumeration(texts);
}

std::string ReasonWords::pool(const WaitReason::Pool& pool) const {
    return "it takes " + std::to_string(pool.needed) + " of the pool " + pool.name + "; " + std::to_string(pool.free) +
           " of " + std::to_string(pool.total) + " are free" + behind(", as ", holders(pool.held));
}

// Of whole hosts, "it needs 3 hosts; 1 of 5 is free, as job a holds 4 until 100; 1 is unavailable". Of shared ones, the
// amount that is short on the most hosts, and who holds it on the first of them: "it needs 5 hosts with gpus 2 each;
// none of 5 such hosts has that now; 5 lack gpus: of 4 on host 3, job a holds 4 until 100".
std::string ReasonWords::hosts(const WaitReason::Hosts& hosts) const {
    std::vector<std::string> amounts;
    for (const auto& [name, amount] : hosts.amounts) {
        amounts.push_back(name + " " + std::to_string(amount));
    }
    const bool are_several = hosts.fitting > 1;
    std::string text = "it needs " + hosts_named(hosts.needed, hosts.are_whole && hosts.may_be_shared) +
                       behind(" of partition ", hosts.partition) + behind(" with ", enumeration(amounts)) +
                       (!amounts.empty() && hosts.needed > 1 ? " each" : "") + "; " +
                       (hosts.fitting == 0 ? "none" : std::to_string(hosts.fitting)) + " of " +
                       std::to_string(hosts.suitable);
    if (hosts.are_whole) {
        text += (are_several ? " are free" : " is free") + behind(", as ", holders(hosts.held));
    } else {
        text += (are_several ? " such hosts have that now" : " such hosts has that now") +
                behind("; ", holders(hosts.held));
    }
    if (hosts.lacking > 0) {
        text += "; " + std::to_string(hosts.lacking) + (hosts.lacking == 1 ? " lacks " : " lack ") + hosts.capacity +
                ": of " + std::to_string(hosts.of_host) + place(ResourceSet::range(hosts.host, hosts.host)) + ", " +
                holders(hosts.held_there);
    }
    return text + (hosts.unavailable == 0 ? ""
                                          : "; " + std::to_string(hosts.unavailable) +
                                                (hosts.unavailable == 1 ? " is unavailable" : " are unavailable"));
}

std::string ReasonWords::shortage(const Shortage& shortage) const {
    const std::string left = std::to_string(shortage.left);
    const std::string would_be_left = left + " would be left at " + instant_text(shortage.at);
    switch (shortage.of) {
        case Shortage::Of::processors:
            return "it needs " + processors_text(static_cast<int>(shortage.needed)) + ", of which " + would_be_left;
        case Shortage::Of::hosts:
            return "it needs " + hosts_named(static_cast<int>(shortage.needed), false) + ", and " + left +
                   " would be left until it ends";
        case Shortage::Of::pool:
            return "it takes " + std::to_string(shortage.needed) + " of the pool " + shortage.name + ", of which " +
                   would_be_left;
        case Shortage::Of::licence:
            return "it takes a copy of " + shortage.name + ", of which " + would_be_left;
        case Shortage::Of::block:
            break;
    }
    return "it needs " + processors_text(static_cast<int>(shortage.needed)) + " side by side, and at most " + left +
           " would be left";
}

std::string ReasonWords::lack(const WaitReason& reason) const {
    using OfReservation = WaitReason::Lack::OfReservation;
    const WaitReason::Lack& lack = reason.lack;
    if (!lack.conditions.empty()) {
        return "it waits for " + conditions_text(lack.conditions, instant_);
    }
    if (lack.of_reservation != OfReservation::nothing) {
        return lack.of_reservation == OfReservation::has_room  ? "a window of its reservation has room for it now"
               : lack.of_reservation == OfReservation::no_room ? "no window of its reservation has room for it now"
                                                               : "no window of its reservation is open";
    }
    std::vector<std::string> parts;
    for (const WaitReason::Pool& one : lack.pools) {
        parts.push_back(pool(one));
    }
    if (lack.more_pools > 0) {
        parts.push_back("it lacks " + std::to_string(lack.more_pools) + " more pools");
    }
    if (lack.hosts) {
        parts.push_back(hosts(*lack.hosts));
    }
    if (lack.has_too_few_processors || (parts.empty() && !lack.next_window.empty())) {
        parts.push_back("it needs " + processors_text(reason.needed) + "; " + std::to_string(reason.idle) +
                        (reason.idle == 1 ? " is idle" : " are idle"));
    }
    return list_of(parts, "; ") + (lack.next_window.empty() ? ""
                                                            : ", but by its walltime it would run into window " +
                                                                  shown(lack.next_window) + ": " + shortage(lack.then));
}

std::string ReasonWords::window(const WaitReason::Window& window) const {
    const std::string taken = window.is_own           ? " is for it"
                              : window.processors > 0 ? " takes " + processors_text(window.processors)
                              : window.all_hosts      ? " takes all hosts"
                              : !window.pools.empty() ? " takes " + pools_text(window.pools)
                                                      : " takes " + place(window.hosts).substr(4);
    return "window " + shown(window.name) + taken + " from " + instant_text(window.from) + " until " +
           instant_text(window.until);
}

std::string ReasonWords::windows(const WaitReason& reason) const {
    std::vector<std::string> texts;
    for (const WaitReason::Window& one : reason.windows.first) {
        texts.push_back(window(one));
    }
    if (reason.windows.others > 0) {
        texts.push_back(std::to_string(reason.windows.others) + " more windows follow");
    }
    return list_of(texts, "; ");
}

}  // namespace batfill
