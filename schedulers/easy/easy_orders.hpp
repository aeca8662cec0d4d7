#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/core/owned.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/planning/job_order.hpp>

#include "schedulers/easy/imitations.hpp"
#include "schedulers/easy/multifactor.hpp"
#include "schedulers/easy/ranking.hpp"
#include "src/planning/weight_tuner.hpp"

namespace batfill {

// The two orders of `easy`, and what changes them during a run: users' usage (multifactor), tuned weights (period) and
// long waits (threshold). In the primary order, jobs over the threshold go before all others, by submission.
class EasyOrders {
 public:
    // The parameters order, backfill-order, weights, scales, order-field, threshold and ties.
    static std::vector<Parameter> parameters() {
        const std::vector<std::string> orders{"order", "backfill-order"};
        const std::vector<std::string> also{"predicted", "field", "multifactor"};
        return {JobOrder::order("order", "fcfs",
                                "which waiting job goes first, and has the reservation if it does not fit", also),
                JobOrder::order("backfill-order", "fcfs", "order in which the others are tried", also),
                JobOrder::weights(orders),
                JobOrder::scales(orders),
                JobOrder::field(orders),
                Parameter::seconds("threshold", "", "jobs that have waited longer go before all others, by submission"),
                TieRule::parameter()};
    }
    // Reads these, and the parameters of WeightTuner and MultifactorPriority.
    // Throws: UsageError if they do not go together.
    explicit EasyOrders(const Parameters& parameters)
        : ties_(parameters),
          // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the exception below destroys the members.
          multifactor_(MultifactorPriority::from(parameters)),
          primary_(JobOrder(parameters, "order"), ties_.by_arrival, true, multifactor_.get()),
          backfill_(JobOrder(parameters, "backfill-order"), ties_.by_arrival, false, multifactor_.get()),
          threshold_(parameters.seconds("threshold")),
          tuner_(WeightTuner::from("easy", parameters)) {
        refuse_if(tuner_ && (multifactor_ || RunTimePredictor::is_asked_for(parameters)),
                  "parameter period replays jobs without their users, so it does not go with ",
                  std::string(multifactor_ ? "the order multifactor" : "prediction"));
    }

    // Requires: the other does not tune.
    EasyOrders(const EasyOrders& other)
        : ties_(other.ties_),
          multifactor_(other.multifactor_),
          primary_(other.primary_, multifactor_.get()),
          backfill_(other.backfill_, multifactor_.get()),
          threshold_(other.threshold_) {}

    // Reports what happens to jobs.
    // Requires: called once for each job and event.
    // Cost: O(log(waiting jobs) + log(users)).
    void submitted(const SchedulerState& state, JobIndex job) {
        if (multifactor_) {
            multifactor_->submitted(state, job);
        }
        primary_.insert(state, job);
        backfill_.insert(state, job);
    }
    void withdrawn(JobIndex job) { primary_.remove(job); }
    void started(const SchedulerState& state, JobIndex job) {
        primary_.remove(job);
        if (multifactor_) {
            multifactor_->started(state, job);
        }
    }
    void ended(const SchedulerState& state, std::span<const Completion> completions) {
        if (tuner_) {
            tuner_->ended(state, completions);
        }
        if (multifactor_) {
            multifactor_->ended(state, completions);
        }
    }

    // Whether a tuner changes the weights.
    bool tunes() const { return tuner_ != nullptr; }
    // Changes the weights if the tuner has found better ones.
    // Requires: called once in each round of the engine.
    // Cost: that of WeightTuner::tune().
    void tune(const SchedulerState& state) {
        if (const auto better = tuner_ ? tuner_->tune(state) : std::nullopt) {
            primary_.change_mixed(*better, state);
            backfill_.change_mixed(*better, state);
        }
    }
    // The counts of the tuner; empty without a tuner.
    std::vector<Statistic> statistics() const { return tuner_ ? tuner_->statistics() : std::vector<Statistic>(); }

    // Brings the scores up to date.
    // Requires: called before anyone asks for jobs.
    // Cost: O(users) under multifactor, else O(1).
    void prepare(Time now) {
        if (multifactor_) {
            multifactor_->prepare(now);
        }
    }

    // Passes the waiting jobs, in the primary order, to `take` until that returns false. `take` must start each job for
    // which it returns true.
    // Cost: that of Ranking::for_each_waiting_until().
    void for_each_in_primary_order(const SchedulerState& state, auto take) {
        while (!state.waiting.empty() && is_over_threshold(state, state.waiting.job(0))) {
            if (!take(state.waiting.job(0))) {
                return;
            }
        }
        primary_.for_each_waiting_until(state, take);
    }

    // Passes `jobs`, in the primary order, to `take` until that returns false. Jobs may start, or go on waiting.
    // Requires: `jobs` is in the order of the queue, and does not change with it.
    // Cost: O(jobs), and O(log(jobs)) for each job passed.
    void for_each_of_in_primary_order(const SchedulerState& state, std::span<const JobIndex> jobs, auto take) {
        const auto others = std::ranges::find_if(jobs, [&](JobIndex job) { return !is_over_threshold(state, job); });
        if (std::all_of(jobs.begin(), others, take)) {
            primary_.for_each_of_queue_until(state, {others, jobs.end()}, take);
        }
    }

    // Sorts jobs by the primary order.
    // Requires: `jobs` is in the order of the queue.
    // Cost: O(jobs * log(jobs)).
    std::vector<JobIndex> in_primary_order(const SchedulerState& state, std::span<const JobIndex> jobs) {
        if (starts_by_submission()) {
            return {jobs.begin(), jobs.end()};
        }
        std::vector<JobIndex> order;
        order.reserve(jobs.size());
        for_each_of_in_primary_order(state, jobs, [&](JobIndex job) {
            order.push_back(job);
            return true;
        });
        return order;
    }

    // The primary order, if a search for its first job is all of it; else null.
    const Ranking* searched(const SchedulerState& state) const {
        return primary_.can_search() && !threshold_ && state.jobs.ordered_by_id() == nullptr ? &primary_ : nullptr;
    }
    // Whether the primary order is that of the queue.
    bool starts_by_submission() const { return primary_.is_submission_order(); }
    // Whether the backfill order is that of the queue.
    bool backfills_by_submission() const {
        return backfill_.is_submission_order() && (!ties_.backfilling_follows_order || primary_.is_submission_order());
    }

    // Passes `jobs`, in the backfill order, to `take` until that returns false. Of equal scores, the job that was
    // submitted first goes first; with ties=last and ties=order, the job that is first in the primary order.
    // Requires: `jobs` is in the order of the queue.
    // Cost: O(jobs), and O(log(jobs)) for each job passed; with ties=last and ties=order, O(jobs * log(jobs)).
    void for_each_in_backfill_order(const SchedulerState& state, std::span<const JobIndex> jobs, auto take) {
        if (!ties_.backfilling_follows_order) {
            backfill_.for_each_until(state, jobs, take);
            return;
        }
        std::vector<JobIndex> ordered = in_primary_order(state, jobs);
        if (backfill_.is_submission_order()) {
            std::stable_sort(ordered.begin(), ordered.end(), [&state](JobIndex a, JobIndex b) {
                return state.job(a).submit() < state.job(b).submit();
            });
        }
        backfill_.for_each_until(state, ordered, take);
    }

 private:
    // Jobs over the threshold have waited longest, so they stand first in the queue.
    bool is_over_threshold(const SchedulerState& state, JobIndex job) const {
        return threshold_ && state.now - state.job(job).submit() > *threshold_;
    }

    TieRule ties_;
    Owned<MultifactorPriority> multifactor_;  // null: neither order is multifactor
    Ranking primary_;
    Ranking backfill_;
    std::optional<Duration> threshold_;
    std::unique_ptr<WeightTuner> tuner_;  // null: the weights do not change
};

}  // namespace batfill
