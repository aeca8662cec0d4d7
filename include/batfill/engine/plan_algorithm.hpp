#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/job_order.hpp>
#include <batfill/engine/plan.hpp>

namespace batfill {

// What the plan family has in common: every waiting job has a planned start, a job is placed when it is submitted, and
// jobs start when their planned start has come. A subclass says what an early completion is good for, and where new
// jobs are placed; what it promises a job is its planned start unless it says otherwise.
//
// At the end of each round every waiting job must be in the plan, and nothing else; a job that starts has to leave the
// plan before. An algorithm that breaks this ends in a DecisionError that names the job.
class PlanAlgorithm : public Algorithm {
 public:
    // The parameter `count-events`, for algorithms whose compressions are compared by the events that they examine.
    static Parameter count_events();

    void begin_round(const SchedulerState& state) final;
    void withdrawn(const SchedulerState& state, JobIndex job) override;
    void machine_changed(Round& round, std::span<const Completion> completions) override;
    void completed(Round& round, std::span<const Completion> completions) override;
    void submitted(Round& round, JobIndex job) override;
    // Starts the jobs that are due, in the order of the plan. A job that is due but finds its processors still taken,
    // because a job has outlived its estimate, waits for that job; the plan is made anew once it starts late.
    void decide(Round& round) override;
    void started(const SchedulerState& state, JobIndex job) override;
    void end_round(const SchedulerState& state) final;

    bool gives_guarantees() const override { return true; }
    // The planned start, or the start of a job that runs already; none if the machine is too small at present.
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex job) const override;
    // The next planned start.
    Time next_wake(Time after) const override { return plan_.next_start(after); }

    const Plan& plan() const { return plan_; }

 protected:
    explicit PlanAlgorithm(bool counts_events = false) : counts_events_(counts_events) {}

    // Once a round, after all early completions gave their processors back to the plan.
    virtual void compress(Round& round) = 0;

    Plan& plan() { return plan_; }

    // Gives the processors of early completions back to the plan. Returns whether there was one.
    bool give_back(const Round& round, std::span<const Completion> completions);
    // Places a waiting job at its earliest start from `from` on, on the present plan.
    Time place(const Round& round, JobIndex index, Time from);
    // Compression by planned start: each planned job in turn is placed again if it can start earlier than planned and
    // before `than`. O(1) for each that provably cannot move. Returns how many moved.
    std::size_t move_all_earlier(const Round& round, Time than = Time::infinity());
    // Starts a planned job now if it can start, and returns whether it could. It cannot if another job has outlived its
    // estimate, or if enough processors are idle but not as its placement demands.
    bool start_if_idle(Round& round, JobIndex job);

    // `own`, and the number of events that the plan has counted if it was to.
    std::vector<Statistic> with_profile_events(std::vector<Statistic> own) const;

 private:
    enum class NotBefore { now, planned_start };
    // Builds the plan anew from the running jobs and the waiting ones in the order of their planned starts, each at the
    // earliest start not before `not_before`. For the rare events that break promises: processors that go or come back,
    // a job that starts late. O(waiting jobs) searches.
    void replan(const Round& round, NotBefore not_before);

    Plan plan_;
    bool has_plan_ = false;  // not before the first round: the machine must be known
    bool counts_events_;
};

// A plan algorithm that tries the waiting jobs in an order of the user's choice. It has the parameters `order` and
// `weights`, with `scale`, as JobOrder makes them, and PlanAlgorithm::count_events().
class OrderedPlanAlgorithm : public PlanAlgorithm {
 public:
    void submitted(Round& round, JobIndex job) override;
    void started(const SchedulerState& state, JobIndex job) override;
    void withdrawn(const SchedulerState& state, JobIndex job) override;

 protected:
    explicit OrderedPlanAlgorithm(const Parameters& parameters);

    // The waiting jobs. Whoever overrides `submitted` has to insert the new one.
    OrderedJobs& queue() { return queue_; }

    // Compression in that order: each job in turn is placed again if it can start earlier than planned, and after each
    // that moved the pass begins anew, until none moves. O(1) for each job that provably cannot move, and what
    // Plan::move_earlier_in_order says for each move. Returns how many moves there were.
    std::size_t move_earlier_in_order(const Round& round);
    // The same for those jobs alone that can start now. Costs what Plan::move_to_now_in_order says.
    std::size_t move_to_now_in_order(const Round& round);

 private:
    OrderedJobs queue_;
};

}  // namespace batfill
