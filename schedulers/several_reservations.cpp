#include "schedulers/several_reservations.hpp"

#include <algorithm>
#include <vector>

namespace batfill {

void SeveralReservations::start_and_backfill(EasyOrders& orders) {
    const std::vector<JobIndex> order = orders.in_primary_order(state_, state_.waiting.jobs());
    auto next = order.begin();
    for (; next != order.end() && free_ > 0 && !(one_could_not_start_ && reservations_left_ == 0); ++next) {
        if (!may_look()) {
            return;
        }
        if (!start(*next)) {
            one_could_not_start_ = true;
            if (reservations_left_ > 0) {
                profile_.reserve(state_.job(*next), state_.estimate(*next));
                --reservations_left_;
            }
        }
    }
    if (free_ == 0) {
        return;
    }
    std::vector<JobIndex> others(next, order.end());
    std::sort(others.begin(), others.end(), [&](JobIndex a, JobIndex b) { return state_.submitted_before(a, b); });
    orders.for_each_in_backfill_order(state_, others, [&](JobIndex job) {
        if (!may_look()) {
            return false;
        }
        start(job);
        return free_ > 0;
    });
}

// Whether the round may look at another job. Counts that job as a test if it comes after one that could not start.
bool SeveralReservations::may_look() {
    if (!one_could_not_start_) {
        return true;
    }
    if (tests_left_ == 0) {
        return false;
    }
    --tests_left_;
    return true;
}

// Starts a job if it can start now without delaying a reservation; returns whether it did.
bool SeveralReservations::start(JobIndex index) {
    const Job& job = state_.job(index);
    const Duration estimate = state_.estimate(index);
    if (job.processors() > free_ || !profile_.can_start(job, estimate)) {
        return false;
    }
    profile_.take(job, estimate);
    free_ -= job.processors();
    round_.start(index);
    return true;
}

}  // namespace batfill
