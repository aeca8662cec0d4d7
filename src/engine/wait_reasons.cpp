#include "src/engine/wait_reasons.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

namespace batfill {

namespace {

// What is free while running jobs end one by one.
struct Free {
    ResourceSet processors;
    std::vector<long long> copies;
    std::vector<Amount> pools;
    HostsNow hosts;

    void give_back(const SchedulerState& state, const Job& job) {
        ResourceSet freed = job.allocation;
        freed.remove(state.unavailable);
        processors.insert(freed);
        for (const LicenseIndex license : job.request.licenses()) {
            ++copies[license];
        }
        if (hosts.is_on()) {
            hosts.give(job.request, job.allocation);
        }
        if (job.request.needs && !job.request.needs->pools.empty()) {
            std::ranges::transform(pools, job.request.needs->pools, pools.begin(), std::plus());
        }
    }

    bool has_copies_of(std::span<const LicenseIndex> licenses) const {
        return std::ranges::all_of(licenses, [this](LicenseIndex license) { return copies[license] > 0; });
    }

    bool has_of_pools(const Request& request) const {
        return !request.needs || request.needs->pools.empty() ||
               std::ranges::equal(request.needs->pools, pools, std::ranges::less_equal{});
    }

    // Processors on which a job with this request could start; empty if there are none.
    std::optional<ResourceSet> place_for(const Machine& machine, const Request& request) const {
        switch (request.placement) {
            case Placement::contiguous:
                return processors.lowest_block(request.processors);
            case Placement::machine:
                for (const Machine::Group& group : machine.groups()) {
                    if (group.has_all(request.licenses()) &&
                        processors.count_common(group.processors) >= request.processors) {
                        return group.processors;
                    }
                }
                return std::nullopt;
            case Placement::lowest:
            case Placement::best_effort_contiguous:
            case Placement::snug:
            case Placement::fullest:
                break;
        }
        if (hosts.is_on()) {
            return hosts.choose(request);
        }
        return processors.size() >= request.processors ? std::optional(processors) : std::nullopt;
    }
};

bool holds_one_of(const Request& request, std::span<const LicenseIndex> licenses) {
    return std::ranges::any_of(licenses, [&](LicenseIndex license) {
        return std::ranges::find(request.licenses(), license) != request.licenses().end();
    });
}

// A window, with what it takes of what the job may need. None: it takes nothing of it.
std::optional<WaitReason::Window> in_the_way(const Window& window, const SchedulerState& state,
                                             const Request& request) {
    const Resources& resources = state.machine.resources();
    WaitReason::Window found{.name = window.name, .from = window.from, .until = window.until};
    if (window.processors > 0) {
        found.processors = window.processors;
        return found;
    }
    const std::vector<int> numbers = window.hosts.numbers();
    if (std::ranges::any_of(numbers,
                            [&](int host) { return resources.kind_of(host).suits(request.needs_or_none()); })) {
        found.hosts = window.hosts;
        found.all_hosts = window.hosts.size() == state.processors;
        return found;
    }
    const std::vector<Amount>& needed = request.needs_or_none().pools;
    for (std::size_t pool = 0; pool < needed.size(); ++pool) {
        if (needed[pool] > 0 && window.names_pool(pool)) {
            found.pool = resources.pools()[pool].name;
            found.amount = window.pool_amounts[pool];
            return found;
        }
    }
    return std::nullopt;
}

// See WaitReason::windows. `until`: when the job would end, outside reservations.
WaitReason::Windows windows_beside(const SchedulerState& state, const Job& job, Time until) {
    const std::vector<Window>& windows = state.machine.windows();
    const std::vector<std::size_t>& own = job.request.needs_or_none().windows;
    for (const std::size_t number : own) {
        until = std::max(until, windows[number].announced <= state.now ? windows[number].until : until);
    }
    WaitReason::Windows found;
    for (std::size_t number = 0; number < windows.size(); ++number) {
        const Window& window = windows[number];
        if (window.announced > state.now || window.until <= state.now || window.from >= until) {
            continue;
        }
        const bool is_own = std::ranges::find(own, number) != own.end();
        std::optional<WaitReason::Window> one =
            is_own ? WaitReason::Window{.name = window.name, .is_own = true, .from = window.from, .until = window.until}
                   : in_the_way(window, state, job.request);
        if (one && found.first.size() < WaitReason::Windows::most) {
            found.first.push_back(std::move(*one));
        } else {
            found.others += one ? 1U : 0U;
        }
    }
    return found;
}

// The answer is the same, but for when it began. How many jobs wait behind is no part of it, nor what is idle beyond
// what the job needs, nor since when it could start.
bool agree(const WaitReason& a, const WaitReason& b) {
    const bool fits = a.kind == WaitReason::Kind::passed_over;
    const bool is_held = a.kind == WaitReason::Kind::dependency;
    const bool same_lack = a.lack == b.lack && (is_held || (a.idle == b.idle && a.possible == b.possible));
    return a.kind == b.kind && (fits || same_lack) && a.license == b.license && a.holders == b.holders &&
           a.windows == b.windows && a.place == b.place && a.because == b.because;
}

}  // namespace

std::string instant_text(Time time) {
    return time.is_infinite() ? "never" : time.since_zero().to_shortest_string();
}

std::string place_text(const ResourceSet& hosts) {
    constexpr std::size_t most_intervals = 4;
    if (hosts.empty()) {
        return "";
    }
    if (hosts.intervals().size() > most_intervals) {
        return " on " + std::to_string(hosts.size()) + " hosts";
    }
    return (hosts.size() == 1 ? " on host " : " on hosts ") + hosts.to_string();
}

const char* to_string(Waiting::Kind kind) {
    constexpr std::array names{"processors", "place",  "licence",     "pool",    "hosts",
                               "dependency", "window", "passed over", "started", "rejected"};
    return names.at(static_cast<std::size_t>(kind));
}

void WaitReasons::submitted(JobIndex index, const std::string& id) {
    if (ids_.contains(id)) {
        waiting_.push_back(index);
    }
}

void WaitReasons::held(JobNumber number, const JobDescription& job) {
    if (ids_.contains(job.id)) {
        held_.push_back({number, name(job.id), job.processors});
    }
}

void WaitReasons::withdrawn(JobIndex index) {
    std::erase(waiting_, index);
}

void WaitReasons::rejected(const SchedulerState& state, JobIndex index, const std::string& reason) {
    const JobDescription& job = state.job(index).description();
    if (!ids_.contains(job.id)) {
        return;
    }
    std::erase(waiting_, index);
    WaitReason rejection;
    rejection.job = name(job.id);
    rejection.time = state.now;
    rejection.kind = WaitReason::Kind::rejected;
    rejection.needed = job.processors;
    rejection.idle = state.idle.count();
    rejection.rejection = reason;
    record(std::move(rejection));
}

void WaitReasons::end_round(const SchedulerState& state, const Dependencies* dependencies) {
    std::erase_if(held_, [&](const HeldJob& job) { return !dependencies->is_held(job.number); });
    for (const HeldJob& job : held_) {
        WaitReason reason;
        reason.job = job.name;
        reason.time = state.now;
        reason.kind = WaitReason::Kind::dependency;
        reason.needed = job.processors;
        reason.idle = state.idle.count();
        reason.lack.conditions = dependencies->missing(job.number, state.now);
        reason.possible = Time::infinity();
        record(std::move(reason));
    }
    for (const JobIndex index : waiting_) {
        record(reason_of(state, index));
    }
    std::erase_if(waiting_, [&](JobIndex index) { return state.job(index).state != JobState::submitted; });
    because_.clear();
}

WaitReason WaitReasons::reason_of(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    WaitReason reason;
    reason.job = name(job.description().id);
    reason.time = state.now;
    reason.needed = job.processors();
    reason.idle = state.idle.count();
    if (job.state != JobState::submitted) {
        reason.kind = WaitReason::Kind::started;
        return reason;
    }
    const std::span<const JobIndex> queue = state.waiting.jobs();
    reason.place = static_cast<std::size_t>(std::ranges::find(queue, index) - queue.begin()) + 1;
    reason.waiting = queue.size();
    reason.because = because_[index];
    const Lack lack(state, job.request);
    reason.lack = lack.data([this](const Job& holder) { return name(holder.description().id); });
    reason.idle = state.hosts.is_on() ? lack.fitting() : reason.idle;
    const auto lacking = std::ranges::find_if(job.request.licenses(),
                                              [&](LicenseIndex license) { return state.copies_left[license] == 0; });
    if (lacking != job.request.licenses().end()) {
        reason.kind = WaitReason::Kind::license;
        reason.license = state.machine.licenses()[*lacking].name;
    } else if (lack.has_pools()) {
        reason.kind = WaitReason::Kind::pool;
    } else if (lack.has_hosts()) {
        reason.kind = WaitReason::Kind::hosts;
    } else if (!state.hosts.is_on() && job.processors() > state.idle.count()) {
        reason.kind = WaitReason::Kind::processors;
    } else if (!state.can_start(job.request)) {
        reason.kind = WaitReason::Kind::place;
    } else if (!state.can_start_now(index)) {
        reason.kind = WaitReason::Kind::window;
    } else {
        reason.possible = state.now;
    }
    const bool is_reserved = !job.request.needs_or_none().windows.empty();
    if (is_reserved && reason.kind != WaitReason::Kind::passed_over) {
        // What is free outside is not for it.
        const auto is_open = [&](std::size_t window) { return state.windows.is_open(window); };
        reason.kind = WaitReason::Kind::window;
        reason.lack = {.of_reservation = std::ranges::any_of(job.request.needs->windows, is_open)
                                             ? WaitReason::Lack::OfReservation::no_room
                                             : WaitReason::Lack::OfReservation::no_open_window};
    }
    if (reason.kind == WaitReason::Kind::window) {
        reason.lack.would_run_into_window = !is_reserved;
        reason.possible = Time::infinity();
    } else if (reason.kind != WaitReason::Kind::passed_over) {
        find_holders(state, job.request, lack, reason);
    }
    if (state.windows.is_on()) {
        reason.windows =
            windows_beside(state, job, (reason.possible.is_infinite() ? state.now : reason.possible) + job.walltime);
    }
    return reason;
}

void WaitReasons::find_holders(const SchedulerState& state, const Request& request, const Lack& lack,
                               WaitReason& reason) const {
    Free free{state.idle.set(), state.copies_left, state.pools_left, state.hosts};
    const ResourceSet idle = free.processors;
    reason.possible = Time::infinity();
    auto end = state.running.begin();
    std::optional<ResourceSet> place;
    while (end != state.running.end() && reason.possible.is_infinite()) {
        const Time instant = std::max(end->end, state.now);
        for (; end != state.running.end() && end->end <= instant; ++end) {
            free.give_back(state, state.job(end->job));
        }
        place = free.place_for(state.machine, request);
        if (place && free.has_copies_of(request.licenses()) && free.has_of_pools(request)) {
            reason.possible = instant;
        }
    }
    std::vector<LicenseIndex> lacking;
    std::ranges::copy_if(request.licenses(), std::back_inserter(lacking),
                         [&](LicenseIndex license) { return state.copies_left[license] == 0; });
    const bool lacks_processors = !state.hosts.is_on() && (!place || idle.count_common(*place) < request.processors);
    for (auto running = state.running.begin(); running != end; ++running) {
        const Job& job = state.job(running->job);
        const bool holds_processors =
            lacks_processors && running->processors > 0 && (!place || job.allocation.count_common(*place) > 0);
        if (holds_processors || holds_one_of(job.request, lacking) || lack.is_held_by(job)) {
            reason.holders.push_back({name(job.description().id), running->processors, running->end});
        }
    }
}

void WaitReasons::record(WaitReason reason) {
    const auto [last, is_first] = last_.try_emplace(reason.job, reasons_.size());
    if (!is_first) {
        if (WaitReason& before = reasons_[last->second]; agree(before, reason)) {
            ++before.rounds;
            return;
        }
        last->second = reasons_.size();
    }
    reasons_.push_back(std::move(reason));
}

}  // namespace batfill
