#include <memory>

#include <batfill/planning/job_order.hpp>
#include <batfill/planning/plan_algorithm.hpp>

namespace batfill {

namespace {

// Conservative backfilling with fewer moves. A job moves to an earlier start only if it can start now, or if a new job
// of lower priority would take that place. Other holes stay open for later jobs. Jobs are tried in an order that the
// user chooses.
//
// Cost of a completion: a pass over the waiting jobs, O(1) for each. Cost of a submission: a pass over the waiting jobs
// that go before the new one, O(1) for each that provably cannot move, else a search.
class DelayedCompression : public OrderedPlanAlgorithm {
 public:
    explicit DelayedCompression(const Parameters& parameters) : OrderedPlanAlgorithm(parameters) {}

    // Compresses even if all jobs ended on time: an open hole may begin now.
    void completed(Round& round, std::span<const Completion> completions) override {
        give_back(round, completions);
        compress(round);
    }

    // What no window takes any more may be a hole, too.
    void window_ended(Round& round) override { completed(round, {}); }

    void submitted(Round& round, JobIndex job) override {
        const SchedulerState& state = round.state();
        begin_planning(round);
        const Job& description = state.job(job);
        const Time completion =
            plan().earliest({job, description.walltime, description.submit(), &description.request}, round.now()) +
            description.walltime;
        queue().insert(state, job);
        if (plan().may_move()) {
            const std::vector<JobIndex>& order = queue().now(state);
            count_compression(round, order, Scan::to_the_next, completion, job);
            for (auto other = order.begin(); *other != job; ++other) {
                // A job that was parked in this round has no place.
                moves_at_submission_ += plan().contains(*other) && plan().move_earlier(*other, completion) ? 1U : 0U;
            }
        }
        place(round, job, round.now());
    }

    bool understands_resources() const override { return true; }
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<DelayedCompression>(*this); }

    std::vector<Statistic> statistics() const override {
        return counts({{"moves_at_submissions", moves_at_submission_}});
    }

 protected:
    void compress(Round& round) override {
        ++compressions_;
        const std::vector<JobIndex>& order = queue().now(round.state());
        count_compression(round, order, Scan::from_the_first, round.now() + Duration::microseconds(1));
        moves_ += plan().move_to_now_in_order(
            order, [&](JobIndex job) { return round.state().has_of_pools(round.state().job(job).request); });
    }

 private:
    std::uint64_t moves_at_submission_ = 0;
};

const Registration registration({
    "dc",
    "conservative backfilling with delayed compression: jobs move only to start now, or before a job of lower priority",
    "Lindsay, Galloway-Carson, Johnson, Bunde, Leung, Backfilling with guarantees granted upon job submission, Euro-Par 2011, section 2.2",
    {JobOrder::order("order", "spf", "order in which waiting jobs are tried"), JobOrder::weights(), JobOrder::scales(),
     PlanAlgorithm::count_events(), Availability::plan_pools()},
    [](const Parameters& parameters) { return std::make_unique<DelayedCompression>(parameters); },
});

}  // namespace

}  // namespace batfill
