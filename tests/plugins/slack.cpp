#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <batfill/planning/plan_algorithm.hpp>

namespace batfill {

namespace {

// Slack-based backfilling. A job is promised the start that is planned at its submission, plus a slack. A new job goes
// before planned jobs if it then starts earlier and delays none of them beyond its promise. When jobs end early, the
// others move earlier, in the order of the plan.
//
// Cost of a submission: it tries every place in the plan, front to back: O(planned jobs) trials, each with as many
// searches. It takes the first place that breaks no promise.
class Slack : public PlanAlgorithm {
 public:
    explicit Slack(const Parameters& parameters) : slack_(parameters.seconds("slack").value_or(Duration())) {}

    void submitted(Round& round, JobIndex job) override {
        const Time unaided = place(round, job, round.now());
        const std::vector<Plan::PlannedJob> before = plan().places();
        for (std::size_t position = 0; unaided > round.now() && plan().by_start()[position] != job; ++position) {
            // The new job, then the jobs from `position` on, in the order of the plan.
            std::vector<JobIndex> again(plan().by_start().begin() + static_cast<std::ptrdiff_t>(position),
                                        plan().by_start().end());
            plan().cancel(again);
            const auto own = std::find(again.begin(), again.end(), job);
            std::rotate(again.begin(), own, own + 1);
            plan().place_again(job);
            const bool helps = plan().planned_start(job) < unaided;
            if (helps && keeps_promises(round, again)) {
                ++advances_;
                return;
            }
            plan().restore(before);
            if (!helps) {
                return;  // a later place would not help either
            }
        }
    }

    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex job) const override {
        const std::optional<Time> planned = PlanAlgorithm::guaranteed_start(state, job);
        // Called again after a loss of processors: keeps a promise that can still be met.
        const Time promised = state.job(job).guaranteed_start;
        return planned ? std::optional(std::max(*planned, std::min(*planned + slack_, promised))) : std::nullopt;
    }

    bool understands_resources() const override { return true; }
    std::vector<Statistic> statistics() const override { return {{"advances", advances_}}; }

 protected:
    void compress(Round&) override { plan().move_all_earlier(); }

 private:
    // Places all cancelled jobs but the first, which has its place. Stops when one would break its promise.
    bool keeps_promises(const Round& round, const std::vector<JobIndex>& jobs) {
        return std::all_of(jobs.begin() + 1, jobs.end(), [&](JobIndex job) {
            plan().place_again(job);
            return plan().planned_start(job) <= round.state().job(job).guaranteed_start;
        });
    }

    Duration slack_;
    std::uint64_t advances_ = 0;
};

const Registration registration({
    "slack",
    "slack-based backfilling",
    "D. Talby and D. G. Feitelson, Supporting priorities and improving utilization of the IBM SP scheduler using slack-based backfilling, IPPS/SPDP 1999",
    {Parameter::seconds("slack", "3600", "how much later than first planned a job may start")},
    [](const Parameters& parameters) { return std::make_unique<Slack>(parameters); },
});

}  // namespace

}  // namespace batfill
