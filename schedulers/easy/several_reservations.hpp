#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/availability_profile.hpp>

#include "schedulers/easy/easy_orders.hpp"

namespace batfill {

// What a round of `easy` with a number of reservations other than 1 may use.
struct SeveralReservations {
    int free;                         // processors that can be used now
    std::vector<RunningJob> running;  // their processors can be used from their estimated ends on
    std::uint64_t reservations;       // how many jobs get one
    std::uint64_t tests;              // how many jobs to look at after the first that cannot start
};

// What such a round says of a job that it has tried in vain, with so many processors left, and of one with a
// reservation.
inline Reason reason_passed_over(const SchedulerState& state, JobIndex job, int free) {
    return state.job(job).processors() > free
               ? Reason{.rule = Reason::Rule::behind_others}
               : Reason{.rule = Reason::Rule::would_delay_reservation, .estimate = state.estimate(job)};
}
inline Reason reason_reserved(Time start) {
    return {.rule = start.is_infinite() ? Reason::Rule::without_reservation : Reason::Rule::reserved, .start = start};
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
    const auto say = [&](JobIndex job, const auto& why) {
        if (round.explains()) {
            round.because(job, why());
        }
    };
    for (const JobIndex job : round.explained()) {
        round.because(job, {.rule = Reason::Rule::not_tried});  // what is tried gets another answer below
    }
    // Whether the round may look at another job. Counts that job as a test if it comes after one that could not start.
    bool one_could_not_start = false;
    const auto may_look = [&] { return !one_could_not_start || left.tests-- > 0; };

    const std::vector<JobIndex> order = orders.in_primary_order(state, state.waiting.jobs());
    auto next = order.begin();
    for (; next != order.end() && left.free > 0 && !(one_could_not_start && left.reservations == 0); ++next) {
        if (!may_look()) {
            return;
        }
        if (start(*next)) {
            continue;
        }
        one_could_not_start = true;
        if (left.reservations > 0) {
            --left.reservations;
            const Time earliest = profile.earliest(state.now, state.estimate(*next), state.job(*next).processors());
            if (!earliest.is_infinite()) {
                take(*next, earliest);
            }
            say(*next, [&] { return reason_reserved(earliest); });
        } else {
            say(*next, [] { return Reason{.rule = Reason::Rule::head_without_reservation}; });
        }
    }
    if (left.free == 0) {
        return;
    }
    std::vector<JobIndex> others(next, order.end());
    std::sort(others.begin(), others.end(), [&](JobIndex a, JobIndex b) { return state.jobs.submitted_before(a, b); });
    orders.for_each_in_backfill_order(state, others, [&](JobIndex job) {
        if (!may_look()) {
            return false;
        }
        const int free = left.free;
        if (!start(job)) {
            say(job, [&] { return reason_passed_over(state, job, free); });
        }
        return left.free > 0;
    });
}

}  // namespace batfill
