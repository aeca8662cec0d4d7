#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/events.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/engine/wait_reason.hpp>

namespace batfill {

class EngineCore;

// The number of the job with this id, as in messages ("w0!17"). None: no job has it, as far as is known.
using FindJob = std::function<std::optional<JobNumber>(const std::string& id)>;

// The guaranteed start of a job has moved to a later time.
struct GuaranteeBreak {
    JobNumber job;
    Time at;                // when it broke; at most `guaranteed_start`
    Time guaranteed_start;  // the broken guarantee
    Time new_start;         // the new guarantee; infinite: none
    GuaranteeBreakCause cause = GuaranteeBreakCause::loss;
    std::string window = {};  // the name of the announced window, if that is the cause
};

// The one scheduler behind the daemon and the embedded simulator. It owns the state, applies events, lets the algorithm
// decide, and keeps the decisions of the round.
//
// Use: begin(); then, for each message, arrive() with its time, take_in() for each event, and decide().
//
// A submission, a completion or a change of the machine causes a scheduling round. So does a time at which the
// algorithm wants to wake, or at which a job that waits for others becomes eligible. Other messages change nothing.
class Engine {
 public:
    explicit Engine(const SchedulerChoice& choice);
    // As above, of the choice that is made of these.
    Engine(const std::string& algorithm, const Parameters::Given& given);
    Engine(const AlgorithmDescription& description, const Parameters::Given& given);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Begins at time `now`: all of the machine is available and nothing runs. `acknowledges_jobs`: a JobSubmitted will
    // report each registered job. `first_free`: the first number that no job of the caller has or will have; 0 if the
    // caller numbers jobs in the order in which they are submitted or registered. A decide() may follow at once, and
    // must if registers_jobs().
    // Throws: InputError for properties of hosts that the placement or the algorithm needs and the machine could not
    // read.
    void begin(Time now, Machine machine, bool acknowledges_jobs = false, JobNumber first_free = {});

    // Jobs may be killed and submitted again at the beginning of a window, too. To be called before begin(), for a
    // machine with such a window.
    void requeue_for_windows();

    // From now on, jobs wait for others and for instants as they say (StatedNeeds::has_conditions()). The algorithm
    // knows a job only once it is eligible; the job's submission time is then that instant. A job that can never be
    // eligible is rejected. Without this call, no job waits so. Cost: O(1) for each job.
    void follow_dependencies(FindJob find);

    // Jobs of one instant wait in the order of their ids as text, and not in that in which they arrive. An order of the
    // algorithm's own (parameter `order`) keeps that of arrival for its ties. To be called before begin().
    void order_ties_by_id();

    // From now on, also records guarantees that break because a job outlives its estimate. Without this call, only
    // losses of processors count, because Batsim stops jobs at their walltimes.
    // Cost: O(waiting jobs) in each round from now on.
    void record_outlived_estimates();

    // Records why these jobs wait, by their ids, of those that are submitted from now on. Reasons leave out `prefix`
    // where an id begins with it.
    // Cost: O(running jobs) for each of them that waits, in each round.
    void explain(const std::vector<std::string>& ids, const std::string& prefix = "");

    // Records to_string(state()), as it is before the first round at this instant or after it.
    void record_state(Time from);

    // An engine in the same state, which goes on by itself. None: the algorithm cannot be copied (Algorithm::copy()).
    // Requires: this engine outlives the copy, and does not change as long as that is in use.
    // Cost: that of copying the state and what the algorithm keeps.
    std::unique_ptr<Engine> copy() const;

    // The start that a job would be guaranteed if it were submitted at `now`, which nothing changes; infinite if it
    // would be rejected. None: only a round in a copy can tell.
    // Requires: now >= state().now; nothing was taken in since the last decide().
    // Cost: that of Algorithm::start_in_plan().
    std::optional<Time> start_in_plan(Time now, const JobDescription& job) const;

    // Begins a message of time `now`.
    // Requires: now >= state().now.
    void arrive(Time now);

    // Notes an event; decide() runs the round. Ignores processors outside the machine when the machine changes. Refers
    // to the description of a submitted job from then on, and does not copy it.
    //
    // The submission of a registered job (RegisterJob) acknowledges it: a job that the algorithm registered waits from
    // now on; a killed job that is submitted again has waited since it was registered.
    // A job that waits may complete, too: somebody has ended it. It leaves the queue and never starts.
    // Requires: a job that completes is running or waiting (knows(), and not over).
    // Throws:
    // - InputError for a job that is submitted twice
    // - UsageError for a job that waits for others, if the algorithm does not work so (require_dependencies())
    void take_in(Event&& event);

    // Runs the round and returns its decisions in the order in which they must be applied. They are valid until the
    // next call of decide(). The caller may move out of them.
    // Throws: DecisionError if the algorithm breaks a rule. The engine is unusable afterwards.
    std::vector<Decision>& decide();

    const SchedulerState& state() const;
    // Whether a job of this number was submitted or registered, and is no longer held until it is eligible; and whether
    // it is running, or waits in the queue.
    // Cost: O(1).
    bool knows(JobNumber job) const;
    bool is_running(JobNumber job) const;
    bool is_waiting(JobNumber job) const;
    // What it was made of, and the algorithm in use.
    const SchedulerChoice& choice() const;
    const Algorithm& algorithm() const;
    // What the algorithm counts; then the counts of predictions, if run times are predicted; then the counts of jobs
    // killed for lost processors, unless such jobs continue to run.
    std::vector<Statistic> statistics() const;

    // Whether the engine may register jobs: jobs killed for lost processors (`on-failure=requeue`) or windows, or the
    // algorithm's own. Never changes after begin(). When no more jobs can follow, the engine sends
    // registration_finished.
    bool registers_jobs() const;
    // Whether it may register jobs with profiles of ended jobs.
    bool reuses_profiles() const;
    // When a job that waited for others became eligible. None: it waited for no other, or was never eligible.
    // Cost: O(log(jobs that waited)).
    std::optional<Time> eligible_since(JobNumber job) const;
    // Why the jobs of explain() waited, in the order of time: a reason for each instant at which the answer changed.
    const std::vector<WaitReason>& wait_reasons() const;
    // What record_state() asked for; empty before that round.
    const std::string& recorded_state() const;
    // In the order in which the engine learned that they broke. A job may occur more than once; Job::guaranteed_start
    // is always the latest guarantee.
    const std::vector<GuaranteeBreak>& broken_guarantees() const;
    // What a job was guaranteed at its submission; infinite if nothing.
    // Requires: knows(job).
    // Cost: O(1).
    Time guaranteed_at_submission(JobNumber job) const;

 private:
    explicit Engine(std::unique_ptr<EngineCore> core);
    std::unique_ptr<EngineCore> core_;
};

}  // namespace batfill
