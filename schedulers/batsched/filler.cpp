#include <memory>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/job_order.hpp>

#include "schedulers/batsched/some_metadata.hpp"

namespace batfill {

namespace {

// Starts every job that fits, in an order that the user chooses. It reserves nothing, so wide jobs may starve.
//
// Cost of a round: a pass over the queue, and O(log n) for each of the n jobs that are narrow enough.
class Filler : public Algorithm {
 public:
    explicit Filler(const Parameters& parameters)
        : order_(parameters, "order"), writes_metadata_(parameters.boolean("metadata")) {}
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Filler>(*this); }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        const int most = state.most_for_one_job();
        ranked_.clear();
        for (std::size_t position = state.waiting.next_fitting(0, most); position < state.waiting.size();
             position = state.waiting.next_fitting(position + 1, most)) {
            const JobIndex job = state.waiting.job(position);
            ranked_.add(job, order_.score(state, job).at(state.now));
        }
        ranked_.for_each_until(
            [&](JobIndex job) {
                if (round.start_if_possible(job) && writes_metadata_) {
                    round.set_metadata(job, some_metadata(state.job(job)));
                }
                return state.idle.count() > 0;
            },
            [&](JobIndex a, JobIndex b) { return order_.compare(state, a, b); }, state.jobs.ordered_by_id());
    }

 private:
    JobOrder order_;
    bool writes_metadata_;
    RankedJobs ranked_;
};

const Registration registration({
    "filler",
    "starts every job that fits, in an order; nothing is reserved",
    "none; the algorithm of this name of batsched",
    {JobOrder::order("order", "fcfs", "order in which waiting jobs are tried"), JobOrder::weights(), JobOrder::scales(),
     Parameter::boolean("metadata", "writes a text into the column metadata of jobs.csv")},
    [](const Parameters& parameters) { return std::make_unique<Filler>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
