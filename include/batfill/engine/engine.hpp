#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/events.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

class MachineFailures;
class RunTimePredictor;

// A loss of processors has moved the guaranteed start of a waiting job later.
struct GuaranteeBreak {
    JobIndex job;
    Time at;                // when the processors were lost, not after the guaranteed start before
    Time guaranteed_start;  // the one that is broken
    Time new_start;         // what the job is guaranteed from then on; infinite: nothing any more
};

// The one scheduler behind the daemon and the embedded simulator: owns the state, applies what happened, lets the
// algorithm decide, and keeps the decisions of the round.
//
// Use: begin(), then for each message arrive() with its time, take_in() for each event, and decide().
// A scheduling round takes place if the message brought a submission, a completion or a change of the machine, or if an
// instant has come at which the algorithm wants to be woken; other messages change nothing.
class Engine {
 public:
    // The registered algorithm of this name. `given` may hold the parameters common to all algorithms. Throws
    // UsageError for unknown names or values.
    Engine(const std::string& algorithm, const Parameters::Given& given);
    // An algorithm that need not be registered. `description` has the common parameters, and must outlive the engine.
    Engine(const AlgorithmDescription& description, const Parameters::Given& given);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // All of the machine is available at time `now`, and nothing runs. `acknowledges_jobs`: acknowledge() will be
    // called for each job that is registered. A decide() may follow at once, and has to if registers_jobs().
    void begin(Time now, Machine machine, bool acknowledges_jobs = false);

    // A message of time `now` follows. Requires now >= state().now.
    void arrive(Time now);

    // Notes what happened; the round itself is decide(). Jobs that are submitted have the numbers 0, 1, ... in the
    // order of the calls; a job that completes is running. Of changes of the machine, processors outside it are
    // ignored. Refers to the description of a submitted job from then on, and does not copy it.
    void take_in(Event&& event);

    // Notes that a job which a RegisterJob has named is submitted now. Those that an algorithm registers wait from then
    // on, those that are submitted again have done so since they were registered.
    void acknowledge(JobIndex job);

    // The round. The decisions are valid until the next call of decide(), in the order in which they are to be applied.
    // The caller may move out of them. Throws DecisionError if the algorithm breaks a rule; the engine is of no use
    // after that.
    std::vector<Decision>& decide();

    const SchedulerState& state() const { return state_; }
    // What the algorithm is called and what its parameters are, and the algorithm itself as it is at work.
    const AlgorithmDescription& description() const { return description_; }
    const Algorithm& algorithm() const { return *algorithm_; }
    bool gives_guarantees() const;
    bool needs_run_times() const { return algorithm_->needs_run_times(); }
    // What the algorithm has counted, and behind it what was predicted, if that is asked for, and what became of jobs
    // whose processors were lost, unless they go on.
    std::vector<Statistic> statistics() const;

    // Whether it may register jobs: those that were killed because their processors were lost (`on-failure=requeue`),
    // or the algorithm's own. The same all the time; when none can follow any more it says registration_finished.
    bool registers_jobs() const { return registers_jobs_; }
    // Whether it may do so with profiles of jobs that have ended.
    bool reuses_profiles() const;
    // In the order in which they broke; a job may be there more than once. Job::guaranteed_start is always the last.
    const std::vector<GuaranteeBreak>& broken_guarantees() const;
    // What a job was guaranteed when it was submitted; infinite if nothing. O(1).
    Time guaranteed_at_submission(JobIndex job) const;

 private:
    friend class Round;

    void submitted(JobSubmitted&& submission);
    void completed(JobIndex index, JobState state);
    void killed(const JobsKilled& killed);
    void machine_changed(const MachineChanged& change);
    void resource_state_changed(const ResourceStateChanged& change);
    void make_idle(const ResourceSet& processors);
    void run_round();
    void correct_predictions();
    void start(JobIndex index, const ResourceSet* allocation);  // null: as its placement says
    bool start_if_possible(JobIndex index);
    void kill(JobIndex index);
    void put_to_sleep(const ResourceSet& processors);
    void wake(const ResourceSet& processors);
    void require_switching(const ResourceSet& processors, const char* what, bool possible) const;
    void set_pstates(const ResourceSet& processors, int pstate);
    void set_metadata(JobIndex index, std::string metadata);
    void register_profile(RegisterProfile profile);
    JobIndex register_job(JobDescription description);
    void require_registering(const std::string& what) const;
    bool was_told_of(JobIndex index) const { return index < admitted_ && !unacknowledged_.contains(index); }
    Job& add_job(SharedJobDescription description);
    Request request_of(const JobDescription& job) const;
    void take_processors(JobIndex index, const ResourceSet* allocation);
    void check_allocation(JobIndex index, const ResourceSet& allocation) const;
    void ask_for_wake();
    void call_at(Time time);
    std::optional<RejectJob> refused(JobIndex index) const;
    void admit(Round& round, JobIndex index);
    void stop_overlong_jobs();
    void requeue_killed_jobs();
    std::vector<JobIndex> jobs_to_kill();
    void reject_too_small_jobs();
    void note_broken_guarantees();
    void break_guarantee(JobIndex index, Time new_start);
    void finish_registration();
    [[noreturn]] void fail(JobIndex index, const std::string& rule) const;

    const AlgorithmDescription& description_;
    std::optional<Duration> default_walltime_;
    Duration walltime_margin_;
    std::unique_ptr<MachineFailures> failures_;
    std::unique_ptr<RunTimePredictor> predictor_;  // null: estimates are walltimes
    std::unique_ptr<Algorithm> algorithm_;
    // How many jobs the algorithm was told of, or would have been had they not been rejected, with the ones of its own
    // that are not acknowledged.
    std::size_t admitted_ = 0;
    SchedulerState state_;
    Time last_round_;
    std::vector<Time> guaranteed_at_submission_;  // by JobIndex, if there are guarantees
    std::set<JobIndex> unacknowledged_;           // the algorithm's own
    bool acknowledges_jobs_ = false;
    bool registers_jobs_ = false;
    bool is_beginning_ = false;  // and the algorithm has a round of its own for that
    bool is_deciding_ = false;
    bool all_submitted_ = false;  // but for jobs that are registered
    bool registration_finished_ = false;

    // Of the message that is being taken in.
    bool machine_changed_ = false;
    bool processors_switched_ = false;
    std::vector<JobIndex> submissions_;
    std::vector<Completion> completions_;
    std::vector<JobIndex> to_be_requeued_;

    std::vector<Decision> decisions_;
    std::set<Time> calls_;                 // asked for and still to come
    std::vector<JobIndex> to_be_stopped_;  // running jobs whose walltime was assumed
};

}  // namespace batfill
