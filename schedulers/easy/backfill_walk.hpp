#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/reservation.hpp>

#include "schedulers/easy/easy_orders.hpp"
#include "schedulers/easy/imitations.hpp"

namespace batfill {

// The walk of `easy` through the jobs that it may backfill, in the backfill order.
class BackfillWalk {
 public:
    // The parameter `test-limit`.
    static Parameter test_limit() {
        return Parameter::whole_number("test-limit", "",
                                       "number of jobs tried after the first that cannot start (all if not given)");
    }
    explicit BackfillWalk(const Parameters& parameters) : test_limit_(parameters.whole_number("test-limit")) {}

    bool has_limit() const { return test_limit_.has_value(); }
    // Number of jobs that a round may try.
    std::uint64_t most_tests() const { return test_limit_.value_or(std::numeric_limits<std::uint64_t>::max()); }

    // Calls take(job) for all waiting jobs except the reserved one, in the backfill order. Stops when no processors are
    // free, or at the test limit, to which jobs that were passed over do not count. Skips jobs that `reservation`
    // cannot admit. Requires: the orders are prepared; `take` starts the job or leaves it in the queue. Cost: O(waiting
    // jobs), and that of EasyOrders::for_each_in_backfill_order().
    void for_each(const SchedulerState& state, EasyOrders& orders, const EventRounds& rounds, JobIndex reserved,
                  const std::vector<JobIndex>& passed_over, const Reservation& reservation, auto take) {
        std::uint64_t tests_left = most_tests();
        const auto test = [&](JobIndex job) {
            if (tests_left-- == 0) {
                return false;
            }
            take(job);
            return rounds.free(state) > 0;
        };
        if (orders.backfills_by_submission()) {
            for_each_candidate(state, rounds, reserved, passed_over, reservation, test);
            return;
        }
        std::vector<JobIndex> candidates;
        for_each_candidate(state, rounds, reserved, passed_over, reservation, [&](JobIndex job) {
            candidates.push_back(job);
            return true;
        });
        orders.for_each_in_backfill_order(state, candidates, test);
    }

 private:
    // As above, in the order of the queue, until `take` returns false. Skips jobs that cannot start now, because they
    // cannot start later in the round either. With a test limit it passes them, too, because they count as tests.
    void for_each_candidate(const SchedulerState& state, const EventRounds& rounds, JobIndex reserved,
                            const std::vector<JobIndex>& passed_over, const Reservation& reservation, auto take) {
        const WaitingQueue& queue = state.waiting;
        int most = largest_candidate(state, rounds);
        const auto next = [&](std::size_t from) {
            return test_limit_ ? queue.next_fitting(from, most) : state.next_allowed(from, most);
        };
        for (std::size_t at = 0; (at = next(at)) < queue.size();) {
            const JobIndex job = queue.job(at);
            const bool is_candidate =
                job != reserved && (test_limit_ ? !std::ranges::binary_search(passed_over, job)
                                                : reservation.may_admit(queue.processors(at), state.estimate_at(at)));
            if (is_candidate && !take(job)) {
                return;
            }
            if (at < queue.size() && queue.job(at) == job) {
                ++at;
            } else {  // it has started, and the jobs after it have moved up
                most = largest_candidate(state, rounds);
            }
        }
    }
    int largest_candidate(const SchedulerState& state, const EventRounds& rounds) const {
        return test_limit_ ? std::numeric_limits<int>::max() : std::min(state.most_for_one_job(), rounds.free(state));
    }

    std::optional<std::uint64_t> test_limit_;
};

}  // namespace batfill
