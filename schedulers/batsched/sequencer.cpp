#include <memory>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/job_order.hpp>

namespace batfill {

namespace {

// Runs one job at a time: the first in an order that the user chooses, as soon as nothing runs.
//
// Cost of a round in which nothing runs: a pass over the queue, unless the order is that of submission.
class Sequencer : public Algorithm {
 public:
    explicit Sequencer(const Parameters& parameters) : order_(parameters, "order") {}
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Sequencer>(*this); }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        if (!state.running.empty() || state.waiting.empty()) {
            return;
        }
        // If the first job does not fit, it waits for processors that are unavailable.
        if (order_.is_submission_order()) {
            round.start_if_possible(state.waiting.job(0));
            return;
        }
        ranked_.clear();
        for (const JobIndex job : state.waiting.jobs()) {
            ranked_.add(job, order_.score(state, job).at(state.now));
        }
        ranked_.for_each_until(
            [&](JobIndex job) {
                round.start_if_possible(job);
                return false;
            },
            [&](JobIndex a, JobIndex b) { return order_.compare(state, a, b); }, state.jobs.ordered_by_id());
    }

 private:
    JobOrder order_;
    RankedJobs ranked_;
};

const Registration registration({
    "sequencer",
    "runs one job at a time, in an order",
    "none; the algorithm of this name of batsched",
    {JobOrder::order("order", "fcfs", "order in which jobs run"), JobOrder::weights(), JobOrder::scales()},
    [](const Parameters& parameters) { return std::make_unique<Sequencer>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
