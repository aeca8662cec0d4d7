#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/reservation.hpp>

namespace batfill {

namespace {

bool holds(const Request& request, LicenseIndex license) {
    return std::binary_search(request.licenses().begin(), request.licenses().end(), license);
}

// On other machines, processors are not all that is free.
void require_counted(const SchedulerState& state, JobIndex job) {
    if (!state.counts_processors()) {
        throw BrokenRule(job,
                         "it gets a Reservation, expected one only on a machine without scarce pools, capacities, "
                         "partitions and windows: it counts processors");
    }
}

}  // namespace

Reservation::Reservation(const SchedulerState& state, JobIndex job, std::span<const RunningJob> running, int withheld)
    : state_(state), withheld_(withheld) {
    require_counted(state, job);
    const Request& request = state.job(job).request;
    place_matters_ = request.placement == Placement::contiguous || request.placement == Placement::machine;
    if (!place_matters_) {
        reserve_processors(running, request.processors);
    } else if (request.placement == Placement::contiguous) {
        reserve_block(running, request.processors);
    } else {
        reserve_on_machine(running, request);
    }
}

// Ends running jobs one by one, with add(). Finds the first instant at which enough() is true after all its ends. Jobs
// that overrun their estimates count as ending now or, on a machine with pools, at the next instant.
template <typename Add, typename Enough>
void Reservation::find_shadow_time(std::span<const RunningJob> running, Add add, Enough enough) {
    const Time soonest = state_.now + Duration::microseconds(state_.machine.counts_processors() ? 0 : 1);
    for (auto job = running.begin(); job != running.end(); ++job) {
        add(*job);
        const Time end = std::max(job->end, soonest);
        const auto next = std::next(job);
        if ((next == running.end() || next->end > end) && enough()) {
            shadow_time_ = end;
            return;
        }
    }
}

void Reservation::reserve_processors(std::span<const RunningJob> running, int processors) {
    int free = state_.idle.count() - withheld_;
    find_shadow_time(
        running, [&](const RunningJob& job) { free += job.processors; }, [&] { return free >= processors; });
    extra_processors_ = free - processors;
}

void Reservation::reserve_block(std::span<const RunningJob> running, int processors) {
    ResourceSet free = state_.idle.set();
    find_shadow_time(
        running,
        [&](const RunningJob& job) {
            ResourceSet freed = state_.job(job.job).allocation;
            freed.remove(state_.unavailable);
            free.insert(freed);
        },
        [&] {
            const std::optional<ResourceSet> block = free.lowest_block(processors);
            block_ = block.value_or(ResourceSet());
            return block.has_value();
        });
}

void Reservation::reserve_on_machine(std::span<const RunningJob> running, const Request& request) {
    const Machine& machine = state_.machine;
    std::vector<int> free = state_.idle.by_group().counts();
    for (const LicenseIndex license : request.licenses()) {
        extra_copies_.emplace_back(license, state_.copies_left[license] - 1);
    }
    std::optional<GroupIndex> first =
        state_.idle.by_group().first_with(machine, request.processors, request.licenses());
    find_shadow_time(
        running,
        [&](const RunningJob& running_job) {
            const Job& job = state_.job(running_job.job);
            if (running_job.processors > 0) {
                const GroupIndex group = machine.group_number_of(job.allocation.last());
                const int before = std::exchange(free[group], free[group] + running_job.processors);
                const bool has_become_enough = before < request.processors && free[group] >= request.processors;
                if (has_become_enough && (!first || group < *first) &&
                    machine.groups()[group].has_all(request.licenses())) {
                    first = group;
                }
            }
            for (auto& [license, copies] : extra_copies_) {
                copies += holds(job.request, license) ? 1 : 0;
            }
        },
        [&] {
            return first && std::ranges::all_of(extra_copies_, [](const auto& extra) { return extra.second >= 0; });
        });
    if (!shadow_time_.is_infinite()) {
        group_ = *first;
        extra_processors_ = free[group_] - request.processors;
    }
}

// The first licence of which a job that still runs at the shadow time does not leave the reserved job a copy.
std::optional<LicenseIndex> Reservation::lacking_copy(const Request& request) const {
    const auto lacking = std::ranges::find_if(
        extra_copies_, [&](const auto& extra) { return extra.second < 1 && holds(request, extra.first); });
    return lacking == extra_copies_.end() ? std::nullopt : std::optional(lacking->first);
}

void Reservation::take_copies(const Request& request) {
    for (auto& [license, copies] : extra_copies_) {
        copies -= holds(request, license) ? 1 : 0;
    }
}

void Reservation::explain(Round& round, JobIndex reserved) const {
    round.explain([&](JobIndex job) {
        const Request& request = state_.job(job).request;
        const bool is_head = job == reserved;
        const bool can_start = state_.can_start(request) && request.processors <= state_.idle.count() - withheld_;
        Reason reason{.rule = is_head                 ? Reason::Rule::head
                              : !can_start            ? Reason::Rule::behind_head
                              : can_start_beside(job) ? Reason::Rule::not_tried_behind_head
                                                      : Reason::Rule::would_delay_head,
                      .job = is_head ? "" : round.name(reserved),
                      .processors = is_head ? 0 : state_.job(reserved).processors(),
                      .start = shown_shadow_time(),
                      .block = block_,
                      .is_strict = is_strict_};
        if (block_.empty() && !reason.start.is_infinite()) {
            reason.extra_processors = std::max(extra_processors_, 0);
            reason.machine = place_matters_ ? state_.machine.groups()[group_].name : "";
        }
        if (reason.rule == Reason::Rule::would_delay_head) {
            reason.estimate = state_.estimate(job);
            reason.shortage = shortage(request);
        }
        return reason;
    });
}

// Of a job that can start now, and would still run at the shadow time: what it would lack beside the reserved job.
Shortage Reservation::shortage(const Request& request) const {
    const Time at = shown_shadow_time();
    if (request.placement == Placement::contiguous) {
        ResourceSet free = state_.idle.set();
        free.remove(block_);
        return {Shortage::Of::block, "", request.processors, free.longest_block(), at};
    }
    if (const std::optional<LicenseIndex> license = lacking_copy(request)) {
        return {Shortage::Of::licence, state_.machine.licenses()[*license].name, 1, 0, at};
    }
    return {Shortage::Of::processors, "", request.processors, std::max(extra_processors_, 0), at};
}

bool Reservation::start_if_admitted(Round& round, JobIndex job) {
    const Job& candidate = state_.job(job);
    if (!state_.has_of_pools(candidate.request)) {
        return false;  // a limit keeps it from starting
    }
    if (place_matters_) {
        return start_in_place(round, job);
    }
    if (candidate.processors() > state_.idle.count() - withheld_ ||
        !may_admit(candidate.processors(), state_.estimate(job))) {
        return false;
    }
    if (!ends_in_time(state_.estimate(job))) {
        extra_processors_ -= candidate.processors();
    }
    round.start(job);
    return true;
}

// Of contiguous processors, or those of one machine.
std::optional<ResourceSet> Reservation::place_beside(JobIndex job) const {
    const Request& request = state_.job(job).request;
    const bool in_time = ends_in_time(state_.estimate(job));
    if (request.placement == Placement::contiguous) {
        ResourceSet free = state_.idle.set();
        if (!in_time) {
            free.remove(block_);
        }
        return free.lowest_block(request.processors);
    }
    if (!state_.has_copies_of(request.licenses()) || (!in_time && lacking_copy(request))) {
        return std::nullopt;
    }
    const auto next = [&](GroupIndex from) {
        return state_.idle.by_group().first_with(state_.machine, request.processors, request.licenses(), from);
    };
    std::optional<GroupIndex> group = next(0);
    if (!in_time && group == group_ && request.processors > extra_processors_) {
        group = next(group_ + 1);
    }
    if (!group) {
        return std::nullopt;
    }
    return state_.idle.set().intersection(state_.machine.groups()[*group].processors).take_lowest(request.processors);
}

bool Reservation::start_in_place(Round& round, JobIndex job) {
    const std::optional<ResourceSet> place = place_beside(job);
    if (!place) {
        return false;
    }
    const Request& request = state_.job(job).request;
    if (request.placement == Placement::machine && !ends_in_time(state_.estimate(job))) {
        extra_processors_ -= state_.machine.group_number_of(place->last()) == group_ ? request.processors : 0;
        take_copies(request);
    }
    round.start(job, *place);
    return true;
}

bool Reservation::can_start_beside(JobIndex job) const {
    return place_matters_ ? place_beside(job).has_value()
                          : may_admit(state_.job(job).processors(), state_.estimate(job));
}

}  // namespace batfill
