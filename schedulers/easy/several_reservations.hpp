#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/availability_profile.hpp>
#include <batfill/planning/delay.hpp>

#include "schedulers/easy/easy_orders.hpp"

namespace batfill {

// What a round of `easy` with a number of reservations other than 1 may use.
struct SeveralReservations {
    int free;                         // processors that can be used now
    std::vector<RunningJob> running;  // their processors can be used from their estimated ends on
    std::uint64_t reservations;       // how many jobs get one
    std::uint64_t tests;              // how many jobs to look at after the first that cannot start
};

// Why a round does not start a job that has no reservation, beside those that have.
inline Reason reason_beside(const Round& round, JobIndex job, const Delay& delay, bool was_tried) {
    using Rule = Reason::Rule;
    if (delay.of == nullptr || !was_tried) {
        return {.rule = delay.fits ? Rule::not_tried : Rule::behind_others};
    }
    return {.rule = Rule::would_delay_reservation,
            .job = round.name(delay.of->job),
            .estimate = round.state().estimate(job),
            .shortage = delay.shortage,
            .delayed_start = delay.of->start};
}

// Says why explained jobs wait. `head`: the first that could not start, if there are no reservations. `profile` is what
// the round leaves.
inline void explain_several(Round& round, std::optional<JobIndex> head, const std::vector<LaterJob>& reserved,
                            const AvailabilityProfile& profile, const std::vector<JobIndex>& tried) {
    using Rule = Reason::Rule;
    const SchedulerState& state = round.state();
    round.explain([&](JobIndex job) {
        if (const auto own = std::ranges::find(reserved, job, &LaterJob::job); own != reserved.end()) {
            return Reason{.rule = own->start.is_infinite() ? Rule::without_reservation : Rule::reserved,
                          .start = own->start};
        }
        const bool was_tried = std::ranges::find(tried, job) != tried.end();
        return job == head ? Reason{.rule = Rule::head_without_reservation}
                           : reason_beside(round, job, find_delay(state, job, state.estimate(job), reserved, profile),
                                           was_tried);
    });
}

// One such round. It walks the waiting jobs in the primary order. A job that can start does so; one that cannot gets a
// reservation at its earliest start. The walk ends with the last reservation, or with the first job that cannot start
// if there are no reservations to give. Then the round tries the other jobs in the backfill order. A job starts only if
// it delays no reservation.
// Requires: `orders` is prepared.
// Cost: sorting the waiting jobs; O(n * log(n)) for n running and reserved jobs; one search of AvailabilityProfile for
// each job tried.
inline void decide_with_several_reservations(Round& round, EasyOrders& orders, SeveralReservations left) {
    const SchedulerState& state = round.state();
    const Time next_instant = state.now + Duration::microseconds(1);
    AvailabilityProfile profile(state.now, left.free);
    for (const RunningJob& job : left.running) {  // overdue jobs end at the next instant
        profile.add(std::max(job.end, next_instant), Time::infinity(), job.processors);
    }
    const auto take = [&](JobIndex job, Time start) {
        profile.add(start, start + state.estimate(job), -state.job(job).processors());
    };
    // Starts a job if it can start now without delaying a reservation; returns whether it did.
    const auto start = [&](JobIndex job) {
        const int processors = state.job(job).processors();
        if (processors > left.free ||
            profile.earliest(state.now, state.estimate(job), processors, Time::infinity(), next_instant) != state.now) {
            return false;
        }
        take(job, state.now);
        left.free -= processors;
        round.start(job);
        return true;
    };
    std::optional<JobIndex> head;  // the first that cannot start, if there are no reservations
    std::vector<JobIndex> tried;   // those that could not start, if somebody asks why
    std::vector<LaterJob> reserved;
    // Whether the round may look at another job. Counts that job as a test if it comes after one that could not start.
    bool one_could_not_start = false;
    const auto may_look = [&] { return !one_could_not_start || left.tests-- > 0; };

    const std::vector<JobIndex> order = orders.in_primary_order(state, state.waiting.jobs());
    auto next = order.begin();
    bool may_go_on = true;
    for (; next != order.end() && (left.free > 0 || round.explains()) &&
           !(one_could_not_start && left.reservations == 0) && (may_go_on = may_look());
         ++next) {
        if (start(*next)) {
            continue;
        }
        one_could_not_start = true;
        if (left.reservations > 0) {
            --left.reservations;
            const Time earliest = profile.earliest(state.now, state.estimate(*next), state.job(*next).processors());
            reserved.push_back({*next, earliest, earliest});
            if (!earliest.is_infinite()) {
                take(*next, earliest);
                reserved.back().end = earliest + state.estimate(*next);
            }
        } else {
            head = *next;
        }
    }
    std::vector<JobIndex> others(next, order.end());
    if (left.free > 0 && may_go_on) {
        std::sort(others.begin(), others.end(),
                  [&](JobIndex a, JobIndex b) { return state.jobs.submitted_before(a, b); });
        orders.for_each_in_backfill_order(state, others, [&](JobIndex job) {
            if (!may_look()) {
                return false;
            }
            if (!start(job) && round.explains()) {
                tried.push_back(job);
            }
            return left.free > 0;
        });
    }
    explain_several(round, head, reserved, profile, tried);
}

}  // namespace batfill
