#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <batfill/planning/job_order.hpp>
#include <batfill/planning/plan_algorithm.hpp>

namespace batfill {

namespace {

// Every job gets the earliest start that delays no planned one. When a job ends early, the waiting jobs are placed
// again one by one, so planned starts only move earlier. With compression=start-now, jobs move only if they can then
// start at once; holes that begin later stay open.
//
// Cost of a compression: one pass over the waiting jobs, O(1) for each job that the freed processors cannot help.
class Conservative : public PlanAlgorithm {
 public:
    explicit Conservative(const Parameters& parameters)
        : PlanAlgorithm(parameters, parameters.boolean("count-events")),
          compression_(parameters.choice<Compression>("compression")) {}

    // With start-now, compresses even if all jobs ended on time: an open hole may begin now.
    void completed(Round& round, std::span<const Completion> completions) override {
        const bool early = give_back(round, completions);
        if (early || compression_ == Compression::start_now) {
            compress(round);
        }
    }

    bool understands_resources() const override { return true; }
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Conservative>(*this); }
    std::optional<Time> start_in_plan(const Job& job, Time now) const override { return start_if_placed(job, now); }

    std::vector<Statistic> statistics() const override { return counts(); }

 protected:
    void compress(Round& round) override {
        if (compression_ == Compression::none) {
            return;
        }
        ++compressions_;
        if (compression_ == Compression::submission) {
            const SchedulerState& state = round.state();
            count_compression(round, state.waiting.jobs(), Scan::to_the_next);
            // batsched, in whose place ids decide ties, gives a job other hosts also at the same start.
            const bool places_anew =
                state.jobs.ordered_by_id() != nullptr && state.machine.resources().has_named_hosts();
            for (const JobIndex job : state.waiting.jobs()) {
                moves_ += (places_anew ? place_anew(job) : plan().move_earlier(job)) ? 1U : 0U;
            }
            if (places_anew) {
                plan().look_again_at_all();
            }
            return;
        }
        const bool only_now = compression_ == Compression::start_now;
        const Time than = only_now ? round.now() + Duration::microseconds(1) : Time::infinity();
        count_compression(round, plan().by_start(), Scan::pass, than);
        moves_ += plan().move_all_earlier(than);
    }

 private:
    enum class Compression { planned_start, submission, order, start_now, none };
    Compression compression_;
};

// With compression=order: after any completion, one pass over the waiting jobs in an order that the user chooses. Each
// is placed again, whether or not it was planned before, on named hosts also at the same start. So new jobs wait for
// their places until all jobs of the instant are known, and one may take a hole before a job that goes behind it.
//
// Cost of a compression: that of Conservative, and O(n log n) for the n waiting jobs if some are due.
class ConservativeInOrder : public OrderedPlanAlgorithm {
 public:
    explicit ConservativeInOrder(const Parameters& parameters) : OrderedPlanAlgorithm(parameters) {}

    void completed(Round& round, std::span<const Completion> completions) override {
        give_back(round, completions);
        compress(round);
    }
    void submitted(Round& round, JobIndex job) override {
        if (!has_pass_ahead_) {
            OrderedPlanAlgorithm::submitted(round, job);
            return;
        }
        queue().insert(round.state(), job);
        unplaced_.push_back(job);
    }
    void decide(Round& round) override {
        has_passed_ = std::exchange(has_pass_ahead_, false);
        if (has_passed_) {
            pass(round);
        }
        OrderedPlanAlgorithm::decide(round);
    }

    // None for a new job that the pass has still to place.
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex job) const override {
        const bool is_placed = std::ranges::find(unplaced_, job) == unplaced_.end();
        return is_placed ? OrderedPlanAlgorithm::guaranteed_start(state, job) : std::nullopt;
    }

    bool understands_resources() const override { return true; }
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<ConservativeInOrder>(*this); }
    std::optional<Time> start_in_plan(const Job& job, Time now) const override { return start_if_placed(job, now); }

    std::vector<Statistic> statistics() const override { return counts(); }

 protected:
    void compress(Round&) override { has_pass_ahead_ = true; }

    // The pass starts jobs as it comes to them.
    void sort_due(const SchedulerState& state, std::vector<JobIndex>& due) override {
        if (!has_passed_ || due.size() < 2) {
            OrderedPlanAlgorithm::sort_due(state, due);
            return;
        }
        std::ranges::sort(due);
        std::vector<JobIndex> in_order;
        std::ranges::copy_if(queue().now(state), std::back_inserter(in_order),
                             [&](JobIndex job) { return std::ranges::binary_search(due, job); });
        std::ranges::stable_sort(in_order, {}, [&](JobIndex job) { return plan().planned_start(job); });
        due = std::move(in_order);
    }

 private:
    void pass(Round& round) {
        begin_planning(round);
        ++compressions_;
        const SchedulerState& state = round.state();
        const std::vector<JobIndex> order = queue().now(state);
        std::vector<JobIndex> planned;
        std::ranges::copy_if(order, std::back_inserter(planned), [&](JobIndex job) { return plan().contains(job); });
        count_compression(round, planned, Scan::to_the_next);
        const bool places_anew = state.machine.resources().has_named_hosts();
        for (const JobIndex job : order) {
            if (plan().contains(job)) {
                moves_ += (places_anew ? place_anew(job) : plan().move_earlier(job)) ? 1U : 0U;
            } else {
                place(round, job, round.now());
            }
        }
        if (places_anew) {
            plan().look_again_at_all();
        }
        for (const JobIndex job : std::exchange(unplaced_, {})) {
            if (const std::optional<Time> start = guaranteed_start(state, job)) {
                round.promise(job, *start);
            }
        }
    }

    bool has_pass_ahead_ = false;     // in this round, once its submissions are known
    bool has_passed_ = false;         // just before the starts that are decided now
    std::vector<JobIndex> unplaced_;  // the new jobs that the pass will place
};

const Registration registration({
    "conservative",
    "conservative backfilling: every waiting job has a planned start that is never delayed",
    "Mu'alem, Feitelson, IEEE TPDS 12(6), 2001; compression as in Lindsay et al., Backfilling with guarantees granted upon job submission, Euro-Par 2011, section 2",
    {Parameter::choice(
         "compression", {"planned-start", "submission", "order", "start-now", "none"}, "planned-start",
         "order in which waiting jobs are placed again after an early completion; order: by the parameter order, after any completion, with the new jobs of its instant; start-now: as planned-start, after any completion, and only for jobs that can start at once"),
     JobOrder::order("order", "fcfs", "order in which waiting jobs are placed again").used_with({"compression=order"}),
     JobOrder::weights(), JobOrder::scales(), PlanAlgorithm::count_events(), Availability::plan_pools()},
    [](const Parameters& parameters) -> std::unique_ptr<Algorithm> {
        if (parameters.choice("compression") == "order") {
            return std::make_unique<ConservativeInOrder>(parameters);
        }
        return std::make_unique<Conservative>(parameters);
    },
});

}  // namespace

}  // namespace batfill
