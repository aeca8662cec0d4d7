#include "src/replay/reason_words.hpp"

#include <array>
#include <cstddef>

#include "src/support/json.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

using Rule = Reason::Rule;

// What a rule is called, and what is always said of it.
struct RuleWords {
    const char* name;
    const char* rest = "";
};
// By Reason::Rule.
constexpr auto rules = std::to_array<RuleWords>({
    {""},
    {""},
    {"head", "nobody starts before it"},
    {"behind the head"},
    {"head"},
    {"behind the head"},
    {"not tried behind the head"},
    {"would delay the head"},
    {"head", "it cannot start, and no job has a reservation"},
    {"reserved"},
    {"without a reservation"},
    {"behind the jobs before it"},
    {"would delay a reservation"},
    {"not tried"},
    {"no decision", "rounds=event decides at other events"},
    {"passed over", "only a pool that is not planned or a limit keeps it from starting"},
    {"top job"},
    {"behind the top job"},
    {"would end too late beside the top job"},
    {"planned"},
    {"tentative"},
    {"hopeless"},
    {"parked", "it was due, and only a pool that is not planned or a limit keeps it from starting"},
});

// `text` if there is any, behind a separator.
std::string behind(const char* separator, const std::string& text) {
    return text.empty() ? "" : separator + text;
}

// "job 7 ended early", "jobs were submitted".
std::string event_text(const Reason::Event& event) {
    constexpr std::array verbs{"ended early", "submitted", "parked"};
    constexpr std::array others{"a window was announced", "in a new plan, as the machine changed",
                                "in a new plan, as a job could not start when planned"};
    const auto kind = static_cast<std::size_t>(event.kind);
    if (kind >= verbs.size()) {
        return others.at(kind - verbs.size());
    }
    const bool is_one = event.jobs == 1;
    return (is_one ? "job " + event.job : "jobs") + (kind == 0 ? " " : is_one ? " was " : " were ") + verbs.at(kind);
}

std::string events_text(const std::vector<Reason::Event>& events) {
    const bool is_new_plan = !events.empty() && events.front().kind >= Reason::Event::Kind::machine_changed;
    return behind(is_new_plan ? ", " : ", when ", list_of(mapped(events, event_text), " and "));
}

std::string never_text(Reason::Never never, const char* when) {
    using Never = Reason::Never;
    const std::string too_much =
        never == Never::too_little ? "too little of what it takes is" : "too few processors are";
    return never == Never::no_room_inside ? "no window of its reservation has room for it"
                                          : too_much + " available" + when;
}

// "8 of the pool power and 2 of the pool water".
std::string pools_text(const std::vector<std::pair<std::string, Amount>>& pools) {
    const auto text_of = [](const auto& pool) { return std::to_string(pool.second) + " of the pool " + pool.first; };
    return enumeration(texts_of(some_of(pools), text_of, " more"));
}

// "4 tasks of array 12 before it are not over: limit 4"
std::string turn_text(const OpenTurn& turn) {
    return counted(turn.before, "task") + " of array " + shown(turn.array) + " before it " +
           (turn.before == 1 ? "is" : "are") + " not over: limit " + std::to_string(turn.limit);
}

constexpr const char* after_all = " even if nothing else runs";

}  // namespace

std::string processors_text(Amount processors) {
    return counted(static_cast<std::size_t>(processors), "processor");
}

std::string idle_text(int needed, int least, int most) {
    return "it needs " + processors_text(needed) + "; " + (least == most ? "" : std::to_string(least) + " to ") +
           std::to_string(most) + (least == 1 && most == 1 ? " is idle" : " are idle");
}

std::string named_hosts(const ResourceSet& hosts, std::span<const std::string> names) {
    constexpr std::size_t most = 6;
    constexpr std::size_t named = 3;
    const std::span<const ResourceSet::Interval> intervals(hosts.intervals());
    std::vector<std::string> texts;
    int others = hosts.size();
    for (const auto& [first, last] : intervals.first(intervals.size() > most ? named : intervals.size())) {
        others -= last - first + 1;
        texts.push_back(names[static_cast<std::size_t>(first)] +
                        (last > first ? " to " + names[static_cast<std::size_t>(last)] : ""));
    }
    return (hosts.size() == 1 ? "host " : "hosts ") + list_of(texts) +
           (others > 0 ? " and " + std::to_string(others) + " more" : "");
}

std::string ReasonWords::place(const ResourceSet& hosts) const {
    constexpr std::size_t most_intervals = 4;
    return hosts.empty()          ? ""
           : !host_names_.empty() ? " on " + named_hosts(hosts, host_names_)
           : hosts.intervals().size() > most_intervals
               ? " on " + std::to_string(hosts.size()) + " hosts"
               : (hosts.size() == 1 ? " on host " : " on hosts ") + hosts.to_string();
}

std::string ReasonWords::rule(const Reason& reason) {
    return reason.rule == Rule::own_words ? reason.text.substr(0, reason.text.find_first_of(",:"))
                                          : rules.at(static_cast<std::size_t>(reason.rule)).name;
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
    const std::string name = rule(reason);
    std::string job = name + behind(", job ", reason.job) +
                      (reason.processors == 0 ? "" : " (" + processors_text(reason.processors) + ")");
    const std::string estimate = reason.estimate.to_shortest_string() + " s";
    const bool counts = reason.shortage.of == Shortage::Of::processors && reason.machine.empty();
    switch (reason.rule) {
        case Rule::own_words:
            return reason.text;
        case Rule::behind_first:
            return job;
        case Rule::head:
            return name + ": it has the reservation, " + reservation(reason);
        case Rule::behind_head:
        case Rule::not_tried_behind_head:
            return job + ": " + reservation(reason);
        case Rule::would_delay_head:
            if (!counts || !reason.extra_processors) {
                return job + ": " + reservation(reason) + "; its estimate is " + estimate + ", and " +
                       shortage(reason.shortage);
            }
            return job + ": with its estimate of " + estimate + " it would end " + (reason.is_strict ? "at or " : "") +
                   "after the shadow time " + instant_text(reason.start) + ", and it needs " +
                   processors_text(reason.shortage.needed) + ", more than the " +
                   std::to_string(*reason.extra_processors) + " extra processors";
        case Rule::reserved:
            return name + ": its start, by the estimates, is " + instant_text(reason.start) + place(reason.hosts);
        case Rule::without_reservation:
            return name + ", as " +
                   never_text(reason.never, reason.never == Reason::Never::too_little ? after_all : "");
        case Rule::would_delay_reservation:
            return name + ", that of job " + reason.job + " at " + instant_text(reason.delayed_start) +
                   ": its estimate is " + estimate + ", and " + shortage(reason.shortage);
        case Rule::top:
        case Rule::behind_top:
            return job + ": " + top(reason);
        case Rule::too_late:
            return job + ": " + top(reason) + "; it would end at " + instant_text(reason.end);
        case Rule::planned:
        case Rule::tentative:
        case Rule::hopeless:
            return name + ": " + planned_start(reason);
        default:
            return name + behind(": ", rules.at(static_cast<std::size_t>(reason.rule)).rest);
    }
}

std::string ReasonWords::holders(const Shares& shares) const {
    const auto text_of = [this](const Share& share) {
        return (share.is_of_window ? "window " + shown(share.name) + " takes " : "job " + share.name + " holds ") +
               std::to_string(share.amount) + " until " + instant_text(share.until);
    };
    return enumeration(texts_of(shares, text_of, " more hold " + std::to_string(shares.rest)));
}

std::string ReasonWords::pool(const WaitReason::Pool& pool) const {
    return "it takes " + std::to_string(pool.needed) + " of the pool " + pool.name + "; " + std::to_string(pool.free) +
           " of " + std::to_string(pool.total) + " are free" + behind(", as ", holders(pool.held));
}

// "it takes 8 processors; limit 1, user alice: 250 of 256 processors in use, as job a holds 250 until 100"
std::string ReasonWords::limit(const WaitReason::Limit& limit) const {
    const std::string taken = limit.counted == "jobs"         ? ""
                              : limit.counted == "processors" ? processors_text(limit.needed)
                                                              : std::to_string(limit.needed) + ' ' + limit.counted;
    return (taken.empty() ? "" : "it takes " + taken + "; ") + limit.name + ": " + std::to_string(limit.in_use) +
           " of " + std::to_string(limit.most) + ' ' + limit.counted + " in use" + behind(", as ", holders(limit.held));
}

// Of whole hosts, "it needs 3 hosts; 1 of 5 is free, as job a holds 4 until 100; 1 is unavailable". Of shared ones, the
// amount that is short on the most hosts, and who holds it on the first of them: "it needs 5 hosts with gpus 2 each;
// none of 5 such hosts has that now; 5 lack gpus: of 4 on host 3, job a holds 4 until 100".
std::string ReasonWords::hosts(const WaitReason& reason) const {
    const WaitReason::Hosts& hosts = *reason.lack.hosts;
    const std::vector<std::string> amounts =
        mapped(hosts.amounts, [](const auto& one) { return one.first + " " + std::to_string(one.second); });
    const char* const verb = reason.idle > 1 ? (hosts.are_whole ? " are free" : " such hosts have that now")
                                             : (hosts.are_whole ? " is free" : " such hosts has that now");
    std::string text = "it needs " +
                       counted(static_cast<std::size_t>(reason.needed),
                               hosts.are_whole && hosts.may_be_shared ? "whole host" : "host") +
                       behind(" of partition ", hosts.partition) + behind(" with ", enumeration(amounts)) +
                       (!amounts.empty() && reason.needed > 1 ? " each" : "") + "; " +
                       (reason.idle == 0 ? "none" : std::to_string(reason.idle)) + " of " +
                       std::to_string(hosts.suitable) + verb +
                       behind(hosts.are_whole ? ", as " : "; ", holders(hosts.held));
    if (hosts.lacking > 0) {
        text += "; " + std::to_string(hosts.lacking) + (hosts.lacking == 1 ? " lacks " : " lack ") + hosts.capacity +
                ": of " + std::to_string(hosts.of_host) + place(ResourceSet::range(hosts.host, hosts.host)) + ", " +
                holders(hosts.held_there);
    }
    if (hosts.unavailable > 0) {
        text += "; " + std::to_string(hosts.unavailable) +
                (hosts.unavailable == 1 ? " is unavailable" : " are unavailable");
    }
    return text;
}

std::string ReasonWords::shortage(const Shortage& shortage) const {
    const auto needed = static_cast<std::size_t>(shortage.needed);
    const std::string left = std::to_string(shortage.left) + " would be left";
    const std::string of_which = ", of which " + left + " at " + instant_text(shortage.at);
    switch (shortage.of) {
        case Shortage::Of::processors:
            return "it needs " + processors_text(shortage.needed) + of_which;
        case Shortage::Of::hosts:
            return "it needs " + counted(needed, "host") + ", and " + left + " until it ends";
        case Shortage::Of::pool:
            return "it takes " + std::to_string(needed) + " of the pool " + shortage.name + of_which;
        case Shortage::Of::licence:
            return "it takes a copy of " + shortage.name + of_which;
        case Shortage::Of::block:
            break;
    }
    return "it needs " + processors_text(shortage.needed) + " side by side, and at most " + left;
}

std::string ReasonWords::lack(const WaitReason& reason) const {
    using OfReservation = WaitReason::Lack::OfReservation;
    const WaitReason::Lack& lack = reason.lack;
    if (reason.kind == WaitReason::Kind::dependency) {
        const std::string awaited =
            lack.conditions.empty() ? "" : "it waits for " + conditions_text(lack.conditions, instant_);
        return awaited + (lack.turn ? (awaited.empty() ? "" : "; ") + turn_text(*lack.turn) : "");
    }
    const std::vector<std::string> limits = texts_of(
        lack.limits, [this](const WaitReason::Limit& one) { return limit(one); }, " more limits", "it lacks ");
    if (lack.of_reservation != OfReservation::nothing) {
        const char* const of_windows =
            lack.of_reservation == OfReservation::has_room         ? "a window of its reservation has room for it now"
            : lack.of_reservation == OfReservation::no_open_window ? "no window of its reservation is open"
                                                                   : "no window of its reservation has room for it now";
        return limits.empty() ? of_windows : list_of(limits, "; ");
    }
    std::vector<std::string> parts = texts_of(
        lack.pools, [this](const WaitReason::Pool& one) { return pool(one); }, " more pools", "it lacks ");
    parts.insert(parts.end(), limits.begin(), limits.end());
    const bool is_short = parts.empty() ? !lack.next_window.empty() : reason.idle < reason.needed;
    if (lack.hosts) {
        parts.push_back(hosts(reason));
    } else if (is_short) {
        parts.push_back(idle_text(reason.needed, reason.idle, reason.idle));
    }
    return list_of(parts, "; ") + (lack.next_window.empty() ? ""
                                                            : ", but by its walltime it would run into window " +
                                                                  shown(lack.next_window) + ": " + shortage(lack.then));
}

std::string ReasonWords::windows(const WaitReason& reason) const {
    const auto text_of = [&](const WaitReason::Window& window) {
        const std::string taken = window.is_own           ? " is for it"
                                  : window.processors > 0 ? " takes " + processors_text(window.processors)
                                  : window.all_hosts      ? " takes all hosts"
                                  : !window.pools.empty() ? " takes " + pools_text(window.pools)
                                                          : " takes " + place(window.hosts).substr(4);
        return "window " + shown(window.name) + taken + " from " + instant_text(window.from) + " until " +
               instant_text(window.until);
    };
    return list_of(texts_of(reason.windows, text_of, " more windows follow"), "; ");
}

}  // namespace batfill
