#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability_profile.hpp>

#include "schedulers/easy_orders.hpp"

namespace batfill {

// One round of `easy` with a number of reservations other than 1. It walks the waiting jobs in the primary order. A job
// that can start does so; one that cannot gets a reservation at its earliest start. The walk ends with the last
// reservation, or with the first job that cannot start if there are no reservations to give. Then the round tries the
// other jobs in the backfill order. A job starts only if it delays no reservation.
//
// `free` processors can be used now, and the processors of the `running` jobs from their estimated ends on. `tests` is
// the number of jobs to look at after the first that cannot start.
// Requires: `orders` is prepared.
// Cost: sorting the waiting jobs, and with n running and reserved jobs O(n * log(n)) and what AvailabilityProfile says
// for each job that is looked at.
inline void decide_with_several_reservations(Round& round, EasyOrders& orders, int free,
                                             std::span<const RunningJob> running, std::uint64_t reservations,
                                             std::uint64_t tests) {
    const SchedulerState& state = round.state();
    const Time next_instant = state.now + Duration::microseconds(1);
    AvailabilityProfile profile(state.now, free);
    for (const RunningJob& job : running) {  // overdue jobs end at the next instant
        profile.add(std::max(job.end, next_instant), Time::infinity(), job.processors);
    }
    const auto take = [&](JobIndex job, Time start) {
        profile.add(start, start + state.estimate(job), -state.job(job).processors());
    };
    // Starts a job if it can start now without delaying a reservation; returns whether it did.
    const auto start = [&](JobIndex job) {
        const int processors = state.job(job).processors();
        if (processors > free ||
            profile.earliest(state.now, state.estimate(job), processors, Time::infinity(), next_instant) != state.now) {
            return false;
        }
        take(job, state.now);
        free -= processors;
        round.start(job);
        return true;
    };
    // Whether the round may look at another job. Counts that job as a test if it comes after one that could not start.
    bool one_could_not_start = false;
    const auto may_look = [&] { return !one_could_not_start || tests-- > 0; };

    const std::vector<JobIndex> order = orders.in_primary_order(state, state.waiting.jobs());
    auto next = order.begin();
    for (; next != order.end() && free > 0 && !(one_could_not_start && reservations == 0); ++next) {
        if (!may_look()) {
            return;
        }
        if (start(*next)) {
            continue;
        }
        one_could_not_start = true;
        if (reservations > 0) {
            --reservations;
            const Time earliest = profile.earliest(state.now, state.estimate(*next), state.job(*next).processors());
            if (!earliest.is_infinite()) {
                take(*next, earliest);
            }
        }
    }
    if (free == 0) {
        return;
    }
    std::vector<JobIndex> others(next, order.end());
    std::sort(others.begin(), others.end(), [&](JobIndex a, JobIndex b) { return state.jobs.submitted_before(a, b); });
    orders.for_each_in_backfill_order(state, others, [&](JobIndex job) {
        if (!may_look()) {
            return false;
        }
        start(job);
        return free > 0;
    });
}

}  // namespace batfill
