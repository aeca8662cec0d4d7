#include "schedulers/several_reservations.hpp"

#include <algorithm>
#include <vector>

#include <batfill/engine/availability_profile.hpp>

namespace batfill {

void decide_with_several_reservations(Round& round, EasyOrders& orders, int free, std::span<const RunningJob> running,
                                      std::uint64_t reservations, std::uint64_t tests) {
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
