#include "src/engine/wait_reasons.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "src/engine/lack.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

// A running job gives back what it holds, or takes it.
void change(SchedulerState& free, const Job& job, int sign) {
    if (free.hosts.are_named()) {
        if (sign > 0) {
            free.hosts.give(job.request, job.allocation);
        } else {
            free.hosts.take(job.request, job.allocation);
        }
    } else {
        ResourceSet own = job.allocation;
        own.remove(free.unavailable);
        sign > 0 ? free.idle.insert(own) : free.idle.remove(own);
    }
    for (const LicenseIndex license : job.request.licenses()) {
        free.copies_left[license] += sign;
    }
    for (std::size_t pool = 0; pool < free.pools_left.size(); ++pool) {
        free.pools_left[pool] += sign * job.request.of_pool(pool);
    }
    sign > 0 ? free.limits.give(job.request) : free.limits.take(job.request);
}

// What would be free now without windows. The rest of the state is empty.
SchedulerState free_without_windows(const SchedulerState& state) {
    SchedulerState free;
    free.machine = state.machine;
    free.unavailable = state.unavailable;
    free.copies_left = mapped(state.machine.licenses(), &Machine::License::copies);
    free.pools_left = mapped(state.machine.resources().pools(), &Resources::Pool::total);
    free.hosts = HostsNow(state.machine);
    free.hosts.set_unavailable(state.unavailable);
    ResourceSet idle = ResourceSet::range(0, state.processors - 1);
    for (const ResourceSet* others : {&state.unavailable, &state.asleep, &state.falling_asleep, &state.waking}) {
        idle.remove(*others);
    }
    free.idle.reset(state.machine, state.placement, std::move(idle));
    free.limits = state.limits;
    for (const RunningJob& running : state.running) {
        free.limits.give(state.job(running.job).request);
        change(free, state.job(running.job), -1);
    }
    return free;
}

// The first window that a job that is not booked would run into if it started now, and what it would lack when that
// begins, beside what runs by the estimates. Of hosts, it lacks those of all such windows so far.
std::optional<std::pair<const Window*, Shortage>> first_run_into(const SchedulerState& state, JobIndex job) {
    const Request& request = state.job(job).request;
    ResourceSet closing;
    const auto left = [&] {
        Amount hosts = 0;
        for (int host = 0; host < state.processors; ++host) {
            hosts += !closing.contains(host) && state.hosts.fits(request, host) ? 1 : 0;
        }
        return hosts;
    };
    const std::vector<std::size_t> ahead = state.windows_ahead(job);
    for (const std::size_t number : ahead) {
        const Window& window = state.machine.windows()[number];
        if (std::optional<Shortage> shortage = state.shortage_ahead(job, number)) {
            return std::pair(&window, *std::move(shortage));
        }
        closing.insert(window.hosts);
        if (!window.hosts.empty() && left() < request.processors) {
            for (const std::size_t other : ahead) {
                if (const Window& beside = state.machine.windows()[other]; beside.from == window.from) {
                    closing.insert(beside.hosts);
                }
            }
            return std::pair(&window, Shortage{Shortage::Of::hosts, "", request.processors, left(), window.from});
        }
    }
    return std::nullopt;
}

// Adds what a window takes of what the job may need. Returns whether there is any of it.
bool add_taken(const Window& window, const SchedulerState& state, const Request& request, WaitReason::Window& said) {
    const Resources& resources = state.machine.resources();
    said.processors = window.processors;
    const ResourceSet::Numbers numbers = window.hosts.numbers();
    if (std::ranges::any_of(numbers, [&](int host) { return resources.kind_of(host).suits(request); })) {
        said.hosts = window.hosts;
        said.all_hosts = window.hosts.size() == state.processors;
    }
    for (std::size_t pool = 0; pool < resources.pools().size(); ++pool) {
        if (request.of_pool(pool) > 0 && window.names_pool(pool)) {
            said.pools.emplace_back(resources.pools()[pool].name, window.pool_amounts[pool]);
        }
    }
    return said.processors > 0 || !said.hosts.empty() || !said.pools.empty();
}

// See WaitReason::windows. `until`: when the job would end, outside bookings.
Some<WaitReason::Window> windows_beside(const SchedulerState& state, const Job& job, Time until) {
    const std::vector<Window>& windows = state.machine.windows();
    const std::vector<std::size_t>& own = job.request.windows();
    for (const std::size_t number : own) {
        until = std::max(until, windows[number].announced <= state.now ? windows[number].until : until);
    }
    Some<WaitReason::Window> found;
    for (std::size_t number = 0; number < windows.size(); ++number) {
        const Window& window = windows[number];
        WaitReason::Window one{.name = window.name,
                               .is_own = std::ranges::find(own, number) != own.end(),
                               .from = window.from,
                               .until = window.until};
        if (window.announced <= state.now && window.until > state.now && window.from < until &&
            (one.is_own || add_taken(window, state, job.request, one))) {
            found.add(std::move(one));
        }
    }
    return found;
}

WaitReason reason_now(const SchedulerState& state, std::string job, WaitReason::Kind kind, int needed) {
    return {
        Waiting{.job = std::move(job), .time = state.now, .kind = kind, .needed = needed, .idle = state.idle.count()}};
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

const char* to_string(Waiting::Kind kind) {
    constexpr std::array names{"processors", "place",  "licence",     "pool",    "limit",   "hosts",
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
        held_.push_back({number,
                         {.job = name(job.id),
                          .kind = WaitReason::Kind::dependency,
                          .needed = job.processors,
                          .possible = Time::infinity()}});
    }
}

void WaitReasons::withdrawn(JobIndex index) {
    std::erase(waiting_, index);
}

void WaitReasons::rejected(const SchedulerState& state, JobIndex index, const std::string& reason) {
    const JobDescription& job = state.job(index).description();
    if (ids_.contains(job.id)) {
        std::erase(waiting_, index);
        WaitReason rejection = reason_now(state, name(job.id), WaitReason::Kind::rejected, job.processors);
        rejection.rejection = reason;
        record(std::move(rejection));
    }
}

void WaitReasons::end_round(const SchedulerState& state, const Dependencies* dependencies) {
    if (held_.empty() && waiting_.empty()) {
        return;  // nobody asks
    }
    std::erase_if(held_, [&](const auto& job) { return !dependencies->is_held(job.first); });
    for (const auto& [number, waiting] : held_) {
        WaitReason reason{waiting};
        reason.time = state.now;
        reason.idle = state.idle.count();
        reason.lack.conditions = dependencies->missing(number, state.now);
        reason.lack.turn = dependencies->missing_turn(number);
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
    WaitReason reason = reason_now(state, name(job.description().id), WaitReason::Kind::started, job.processors());
    if (job.state != JobState::submitted) {
        return reason;
    }
    const std::span<const JobIndex> queue = state.waiting.jobs();
    reason.place = static_cast<std::size_t>(std::ranges::find(queue, index) - queue.begin()) + 1;
    reason.waiting = queue.size();
    reason.because = because_[index];
    const auto name_of = [&](JobIndex other) { return name(state.job(other).description().id); };
    if (!job.request.is_booked()) {
        find_lack(state, job, name_of, reason);
        if (reason.kind == WaitReason::Kind::passed_over) {
            if (const auto ahead = first_run_into(state, index)) {
                reason.kind = WaitReason::Kind::window;
                reason.lack.next_window = ahead->first->name;
                reason.lack.then = ahead->second;
            }
        }
    } else {  // what is free outside is not for it
        using OfReservation = WaitReason::Lack::OfReservation;
        const bool can_start = state.place_now(index, SchedulerState::PoolsAhead::looked_at).has_value();
        const bool one_is_open = std::ranges::any_of(job.request.windows(),
                                                     [&](std::size_t window) { return state.windows.is_open(window); });
        find_lacking_limits(state, job, name_of, reason);
        reason.kind = can_start                           ? WaitReason::Kind::passed_over
                      : !reason.lack.limits.first.empty() ? WaitReason::Kind::limit
                                                          : WaitReason::Kind::window;
        reason.lack.of_reservation = can_start     ? OfReservation::has_room
                                     : one_is_open ? OfReservation::no_room
                                                   : OfReservation::no_open_window;
    }
    reason.possible = reason.kind == WaitReason::Kind::passed_over ? state.now : Time::infinity();
    if (reason.kind != WaitReason::Kind::passed_over && reason.kind != WaitReason::Kind::window &&
        !job.request.is_booked()) {
        find_holders(state, job.request, reason);
    }
    reason.windows =
        windows_beside(state, job, (reason.possible.is_infinite() ? state.now : reason.possible) + job.walltime);
    return reason;
}

void WaitReasons::find_holders(const SchedulerState& state, const Request& request, WaitReason& reason) const {
    SchedulerState free = free_without_windows(state);
    auto end = state.running.begin();
    Time instant = state.now;
    while (!free.can_start(request)) {
        if (end == state.running.end()) {
            return;
        }
        instant = std::max(end->end, state.now);
        for (; end != state.running.end() && end->end <= instant; ++end) {
            change(free, state.job(end->job), 1);
        }
    }
    reason.possible = instant;
    // One after another takes back what it had, if that is not missed.
    for (auto running = state.running.begin(); running != end; ++running) {
        const Job& job = state.job(running->job);
        change(free, job, -1);
        if (!free.can_start(request)) {
            change(free, job, 1);
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
