#include "schedulers/flexible_backfilling.hpp"

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <batfill/engine/reservation.hpp>
#include <batfill/engine/run_time_predictor.hpp>

namespace batfill::farm {

AlgorithmDescription FlexibleBackfilling::description(const char* name, const char* summary, const char* section,
                                                      Head head) {
    std::vector<Parameter> declared = Priority::parameters();
    const std::vector<Parameter> of_predictions = RunTimePredictor::parameters();
    declared.insert(declared.end(), of_predictions.begin(), of_predictions.end());
    return {
        name,
        summary,
        std::string(
            "Techiouba, Capannini, Baraglia, Puppin, Pasquali, Ricci, Backfilling strategies for scheduling streams of jobs on computational farms, CoreGRID 2007, section ") +
            section,
        std::move(declared),
        [head](const Parameters& parameters) { return std::make_unique<FlexibleBackfilling>(parameters, head); },
        {Placement::machine}};
}

void FlexibleBackfilling::withdrawn(const SchedulerState&, JobIndex job) {
    priority_.left(job);
    if (head_ == job) {
        head_.reset();
    }
}

void FlexibleBackfilling::decide(Round& round) {
    const SchedulerState& state = round.state();
    if (!keeps_head_) {
        head_.reset();
    }
    const bool is_head_known = head_ || !keeps_head_;
    if (state.waiting.empty() || (is_head_known && next_startable(state, 0) == state.waiting.size())) {
        return;
    }
    priority_.prepare(state);
    start_heads(round);
    if (head_) {
        backfill(round);
    }
}

std::size_t FlexibleBackfilling::next_startable(const SchedulerState& state, std::size_t from) const {
    const WaitingQueue& queue = state.waiting;
    const int most = state.most_for_one_job();
    std::size_t at = from;
    while ((at = queue.next_fitting(at, most)) < queue.size() &&
           !state.can_start_on_a_machine(queue.processors(at), priority_.licenses_of(queue.job(at)))) {
        ++at;
    }
    return at;
}

// Starts the head and each next head, until one cannot start.
void FlexibleBackfilling::start_heads(Round& round) {
    const SchedulerState& state = round.state();
    if (head_ && !state.can_start(state.job(*head_).request)) {
        return;
    }
    ranked_.clear();
    for (const JobIndex job : state.waiting.jobs()) {
        ranked_.add(job, job == head_ ? std::numeric_limits<double>::infinity() : priority_.of(job));
    }
    head_.reset();
    ranked_.for_each_until([&](JobIndex job) {
        if (!round.start_if_possible(job)) {
            head_ = job;
        }
        return !head_;
    });
}

void FlexibleBackfilling::backfill(Round& round) {
    const SchedulerState& state = round.state();
    const WaitingQueue& queue = state.waiting;
    ranked_.clear();
    for (std::size_t at = 0; (at = next_startable(state, at)) < queue.size(); ++at) {
        if (queue.job(at) != *head_) {
            ranked_.add(queue.job(at), priority_.of(queue.job(at)));
        }
    }
    if (ranked_.size() == 0) {
        return;
    }
    Reservation reservation(state, *head_);
    ranked_.for_each_until([&](JobIndex job) {
        reservation.start_if_admitted(round, job);
        return state.idle.count() > 0;
    });
}

}  // namespace batfill::farm
