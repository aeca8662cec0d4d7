#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/planning/job_order.hpp>
#include <batfill/planning/reservation.hpp>

#include "schedulers/farm/farm_heuristics.hpp"

namespace batfill {

// Flexible backfilling on a farm. The head of the queue starts, or it reserves processors of one machine, and licences.
// The other jobs are tried in the order of their priorities, each on the machines from the fastest down. They start if
// they do not delay the head. Under bf-unmod, a job that becomes the head remains it until it starts. Under bf-mod, the
// head is the job with the highest priority in each round.
//
// Cost of a round: O(waiting jobs * (licences of each + machines / 64)), and O(running jobs + machines) for the
// reservation; less if no job can start.
class FlexibleBackfilling : public Algorithm {
 public:
    FlexibleBackfilling(const Parameters& parameters, bool keeps_head)
        : priority_(parameters), keeps_head_(keeps_head) {}
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<FlexibleBackfilling>(*this); }

    void submitted(Round& round, JobIndex job) override { priority_.submitted(round.state().job(job), job); }
    void started(const SchedulerState&, JobIndex job) override { priority_.left(job); }
    void withdrawn(const SchedulerState&, JobIndex job) override {
        priority_.left(job);
        if (head_ == job) {
            head_.reset();
        }
    }
    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        if (!keeps_head_) {
            head_.reset();
        }
        const bool is_head_known = (head_ || !keeps_head_) && !round.explains();
        if (state.waiting.empty() || (is_head_known && next_startable(state, 0) == state.waiting.size())) {
            return;
        }
        priority_.prepare(state);
        start_heads(round);
        if (head_) {
            backfill(round);
            if (round.explains()) {
                Reservation(state, *head_).explain(round, *head_);
            }
        }
    }

 private:
    // The first position in the queue, at or after `from`, of a job that could start now. The queue's size if there is
    // none.
    std::size_t next_startable(const SchedulerState& state, std::size_t from) const {
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
    void start_heads(Round& round) {
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

    void backfill(Round& round) {
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

    farm::Priority priority_;
    bool keeps_head_;
    std::optional<JobIndex> head_;  // the head that could not start
    RankedJobs ranked_;
};

// Describes the variant of this name, which is in that section of the paper.
inline AlgorithmDescription flexible_backfilling(const char* name, const char* summary, const char* section,
                                                 bool keeps_head) {
    return {
        name,
        summary,
        std::string(
            "Techiouba, Capannini, Baraglia, Puppin, Pasquali, Ricci, Backfilling strategies for scheduling streams of jobs on computational farms, CoreGRID 2007, section ") +
            section,
        joined({farm::Priority::parameters(), RunTimePredictor::parameters()}),
        [=](const Parameters& given) { return std::make_unique<FlexibleBackfilling>(given, keeps_head); },
        {Placement::machine}};
}

}  // namespace batfill
