#include "schedulers/easy_orders.hpp"

#include <algorithm>
#include <string>

#include <batfill/core/error.hpp>
#include <batfill/engine/job_order.hpp>
#include <batfill/engine/run_time_predictor.hpp>

namespace batfill {

std::vector<Parameter> EasyOrders::parameters() {
    const std::vector<std::string> orders{"order", "backfill-order"};
    const std::vector<std::string> also{"predicted", "field", "multifactor"};
    return {
        JobOrder::order("order", "fcfs", "which waiting job goes first, and has the reservation if it does not fit",
                        also),
        JobOrder::order("backfill-order", "fcfs", "order in which the others are tried", also),
        JobOrder::weights(orders),
        JobOrder::scales(orders),
        JobOrder::field(orders),
        Parameter::seconds("threshold", "", "jobs that have waited longer go before all others, by submission"),
        Parameter::choice(
            "ties", {"first", "last", "order"}, "first",
            "which of two equal scores goes first: the earlier or the later arrival; last, order: in backfill-order the one that is first in order")};
}

EasyOrders::EasyOrders(const Parameters& parameters)
    : ties_(parameters.choice("ties") == "last" ? Ranking::Ties::last : Ranking::Ties::first),
      ties_follow_order_(parameters.choice("ties") != "first"),
      multifactor_(MultifactorPriority::from(parameters)),
      primary_(JobOrder(parameters, "order"), ties_, true, multifactor_.get()),
      backfill_(JobOrder(parameters, "backfill-order"), ties_, false, multifactor_.get()),
      threshold_(parameters.seconds("threshold")),
      tuner_(WeightTuner::from("easy", parameters)) {
    if (tuner_ && (multifactor_ || RunTimePredictor::is_asked_for(parameters))) {
        throw UsageError("parameter period replays jobs without their users, so it does not go with " +
                         std::string(multifactor_ ? "the order multifactor" : "prediction"));
    }
}

void EasyOrders::submitted(const SchedulerState& state, JobIndex job) {
    if (multifactor_) {
        multifactor_->submitted(state, job);
    }
    primary_.insert(state, job);
    backfill_.insert(state, job);
}

void EasyOrders::started(const SchedulerState& state, JobIndex job) {
    primary_.remove(job);
    if (multifactor_) {
        multifactor_->started(state, job);
    }
}

void EasyOrders::ended(const SchedulerState& state, std::span<const Completion> completions) {
    if (tuner_) {
        tuner_->ended(state, completions);
    }
    if (multifactor_) {
        multifactor_->ended(state, completions);
    }
}

void EasyOrders::tune(const SchedulerState& state) {
    if (const auto better = tuner_ ? tuner_->tune(state) : std::nullopt) {
        primary_.change_mixed(*better, state);
        backfill_.change_mixed(*better, state);
    }
}

std::vector<JobIndex> EasyOrders::in_primary_order(const SchedulerState& state, std::span<const JobIndex> jobs) {
    const auto others = std::ranges::find_if(jobs, [&](JobIndex job) { return !is_over_threshold(state, job); });
    std::vector<JobIndex> order(jobs.begin(), others);
    const std::vector<JobIndex> sorted = primary_.sorted(state.now, {others, jobs.end()});
    order.insert(order.end(), sorted.begin(), sorted.end());
    return order;
}

}  // namespace batfill
