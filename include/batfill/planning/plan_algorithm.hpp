#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/owned.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/planning/job_order.hpp>
#include <batfill/planning/plan.hpp>

namespace batfill {

class ProfileEventCounter;

// What the plan family has in common. Every waiting job has a planned start: a job is placed when it is submitted, and
// starts when its planned start has come. A subclass decides how early completions are used and where new jobs are
// placed. It promises a job its planned start unless it says otherwise.
//
// At the end of each round, the plan must have every waiting job and nothing else. A job must leave the plan before it
// starts. If an algorithm breaks this, a DecisionError names the job.
class PlanAlgorithm : public Algorithm {
 public:
    // The parameter `count-events`, for algorithms whose compressions are compared by the number of events that they
    // examine.
    static Parameter count_events();
    // How a compression goes on after a move: with the next job; again with the first; or with the next, in a pass over
    // all planned jobs by planned start.
    enum class Scan { to_the_next, from_the_first, pass };
    ~PlanAlgorithm() override;

    void begin_round(const SchedulerState& state) final;
    void withdrawn(const SchedulerState&, JobIndex job) override {
        if (std::erase(to_place_, job) == 0) {
            plan_.remove(job);
        }
    }
    void machine_changed(Round& round, std::span<const Completion>) override { replan(round, NotBefore::now); }
    void completed(Round& round, std::span<const Completion> completions) override;
    // As after an early completion.
    void waiting_jobs_ended(Round& round) override {
        begin_planning(round);
        compress(round);
    }
    void submitted(Round& round, JobIndex job) override {
        begin_planning(round);
        place(round, job, round.now());
    }
    // Starts the jobs that are due, in the order of the plan. If another job has outlived its estimate, a due job may
    // find its processors still taken. It waits for that job, and the plan is rebuilt once it starts late.
    void decide(Round& round) override;
    void started(const SchedulerState& state, JobIndex job) override;
    void end_round(const SchedulerState& state) final;

    bool gives_guarantees() const override { return true; }
    // The planned start, or the start of a running job; none if the machine is too small at present, or if a pool that
    // is not planned has kept the job from starting in this round.
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex job) const override;
    // The next planned start.
    Time next_wake(Time after) const override { return plan_.next_start(after); }

    const Plan& plan() const { return plan_; }

 protected:
    explicit PlanAlgorithm(bool counts_events = false);
    PlanAlgorithm(const PlanAlgorithm&);
    // With the parameter Availability::plan_pools().
    explicit PlanAlgorithm(const Parameters& parameters, bool counts_events = false);

    // Compresses the plan: called once in a round, after all early completions gave their processors back.
    virtual void compress(Round& round) = 0;

    Plan& plan() { return plan_; }

    // Gives the processors of early completions back to the plan. Returns whether there was one.
    bool give_back(const Round& round, std::span<const Completion> completions);
    // Places a waiting job at its earliest start from `from` on, in the present plan.
    Time place(const Round& round, JobIndex index, Time from);
    // For start_in_plan() of an algorithm that places a submitted job by place() from the present on, with no change
    // of other places before.
    // Cost: one search.
    std::optional<Time> start_if_placed(const Job& job, Time now) const;
    // Starts a planned job now if it can start. Returns whether it could. It cannot if another job has outlived its
    // estimate, or if enough processors are idle but not as its placement requires.
    bool start_if_idle(Round& round, JobIndex job);

    // Before a compression: counts the events of a plain one, if they are counted. It tries to move these jobs, up to
    // `until`, in this order to a start before `than`.
    void count_compression(const Round& round, std::span<const JobIndex> jobs, Scan scan, Time than = Time::infinity(),
                           std::optional<JobIndex> until = {});
    // Once in a round: looks at windows that are announced, places the jobs that the last round parked, and places
    // those again that are in the way of windows. To be called before anything else of a round uses the plan, after
    // early completions gave back.
    void begin_planning(const Round& round);
    // Whether that will change the plan.
    bool must_begin_planning(const Round& round) const { return !to_place_.empty() || plan_.has_news(round.now()); }
    // A job has lost its place for this round, as a pool that is not planned has too little left; or has one again.
    virtual void parked(const Round&, JobIndex) {}
    virtual void unparked(const Round&, JobIndex) {}
    // Sorts jobs that are due, which come in the order of the plan, into the order in which they start. That decides
    // who gets which processors, and who waits if a job has outlived its estimate.
    virtual void sort_due(const SchedulerState& state, std::vector<JobIndex>& due);
    // Takes a planned job out of the plan, and places it as a new one: at its earliest start, which is not later than
    // the one that it had, and there on the hosts that its placement prefers. Returns whether its start moved. Nobody
    // is looked at because of hosts that it leaves: after the last call, call Plan::look_again_at_all().
    // Cost: that of Plan::cancel() and of Plan::place().
    bool place_anew(JobIndex job);
    // Compresses all planned jobs by planned start, when some are parked.
    virtual void compress_beside_parked(const Round&) { plan_.move_all_earlier(); }

    // The rule by which a waiting job has its place in the plan.
    virtual Reason::Rule kind_of_place(JobIndex) const { return Reason::Rule::planned; }

    // What an algorithm counts of its compressions.
    std::uint64_t compressions_ = 0;
    std::uint64_t moves_ = 0;
    // These two, `more`, and the numbers of profile events, if they are counted.
    std::vector<Statistic> counts(std::vector<Statistic> more = {}) const;

 private:
    enum class NotBefore { now, planned_start };
    // Rebuilds the plan from the running jobs and then the waiting ones in the order of their planned starts. Places
    // each at its earliest start not before `not_before`. Used for the rare events that break promises: processors are
    // lost or returned, or a job starts late.
    // Cost: O(waiting jobs) searches.
    void replan(const Round& round, NotBefore not_before);
    static Plan::Entry entry_of(const Round& round, JobIndex index);
    // Before a job takes its place that has made a pool scarce.
    void look_at_scarce_pools(const SchedulerState& state) {
        if (!state.scarce_pools.empty()) {
            plan_.add_scarce_pools(state);
        }
    }
    Reason reason(const Round& round, JobIndex job);
    void add_delay(const Round& round, JobIndex job, Reason& reason) const;
    void note(const Round& round, Reason::Event::Kind kind, std::optional<JobIndex> job = {});
    std::vector<Reason::Event> what_happened() const;

    bool is_parked(JobIndex job) const;
    bool is_due_but_lacks_pool(const SchedulerState& state, JobIndex job) const;
    bool park(Round& round, std::span<const JobIndex> due);
    void place_parked(const Round& round);

    Plan plan_;
    std::string planned_pools_ = "all";
    std::vector<JobIndex> to_place_;  // parked in the last round
    std::vector<JobIndex> parked_;    // in this one
    std::vector<JobIndex> due_;       // in decide(); kept to reuse the memory
    // If somebody asks why jobs wait: what happened in this round; and their starts and moves, as last said.
    std::map<Reason::Event::Kind, Reason::Event> happened_;
    std::map<JobIndex, Reason> explained_;
    bool has_plan_ = false;              // false until the first round, when the machine is known
    Owned<ProfileEventCounter> events_;  // null: they are not counted
};

// A plan algorithm that tries the waiting jobs in an order that the user chooses. It has the parameters `order`,
// `weights` and `scales`, as JobOrder makes them, and PlanAlgorithm::count_events().
class OrderedPlanAlgorithm : public PlanAlgorithm {
 public:
    void submitted(Round& round, JobIndex job) override {
        queue_.insert(round.state(), job);
        PlanAlgorithm::submitted(round, job);
    }
    void started(const SchedulerState& state, JobIndex job) override {
        PlanAlgorithm::started(state, job);
        queue_.remove(job);
    }
    void withdrawn(const SchedulerState& state, JobIndex job) override {
        PlanAlgorithm::withdrawn(state, job);
        queue_.remove(job);
    }

 protected:
    explicit OrderedPlanAlgorithm(const Parameters& parameters)
        : PlanAlgorithm(parameters, parameters.boolean("count-events")), queue_(JobOrder(parameters, "order")) {}

    // The waiting jobs. A subclass that overrides `submitted` must insert the new job.
    OrderedJobs& queue() { return queue_; }

 private:
    OrderedJobs queue_;
};

}  // namespace batfill
