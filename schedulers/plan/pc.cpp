#include <memory>

#include <batfill/planning/job_order.hpp>
#include <batfill/planning/plan_algorithm.hpp>

namespace batfill {

namespace {

// Conservative backfilling, except that the holes of early completions are offered to the waiting jobs in an order that
// the user chooses. A job that moves may make room for one before it, so the scan starts again after each move.
class PrioritizedCompression : public OrderedPlanAlgorithm {
 public:
    explicit PrioritizedCompression(const Parameters& parameters) : OrderedPlanAlgorithm(parameters) {}

    bool understands_resources() const override { return true; }
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<PrioritizedCompression>(*this); }
    std::optional<Time> start_in_plan(const Job& job, Time now) const override { return start_if_placed(job, now); }

    std::vector<Statistic> statistics() const override { return counts(); }

 protected:
    void compress(Round& round) override {
        ++compressions_;
        const std::vector<JobIndex>& order = queue().now(round.state());
        count_compression(round, order, Scan::from_the_first);
        moves_ += plan().move_earlier_in_order(order);
    }
};

const Registration registration({
    "pc",
    "conservative backfilling with prioritized compression: freed processors go to the first jobs of an order",
    "Lindsay, Galloway-Carson, Johnson, Bunde, Leung, Backfilling with guarantees granted upon job submission, Euro-Par 2011, section 2.1",
    {JobOrder::order("order", "spf", "order in which waiting jobs are tried after early completions"),
     JobOrder::weights(), JobOrder::scales(), PlanAlgorithm::count_events(), Availability::plan_pools()},
    [](const Parameters& parameters) { return std::make_unique<PrioritizedCompression>(parameters); },
});

}  // namespace

}  // namespace batfill
