#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <batfill/core/owned.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/events.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/engine/state.hpp>

#include "src/engine/dependencies.hpp"
#include "src/engine/job_numbers.hpp"
#include "src/engine/machine_failures.hpp"
#include "src/engine/wait_reasons.hpp"

namespace batfill {

// The implementation of Engine and Round. Functions of the same names fulfil their contracts.
class EngineCore {
 public:
    explicit EngineCore(const SchedulerChoice& choice);

    // ---- For Engine

    std::unique_ptr<EngineCore> copy() const;
    std::optional<Time> start_in_plan(Time now, const JobDescription& description) const;
    void begin(Time now, Machine machine, bool acknowledges_jobs, JobNumber first_free);
    void order_ties_by_id() { state_.jobs.order_by_id(); }
    void follow_dependencies(FindJob find) { dependencies_ = std::make_unique<Dependencies>(std::move(find)); }
    std::optional<Time> eligible_since(JobNumber job) const;
    void requeue_for_windows() { requeues_for_windows_ = true, registers_jobs_ = true; }
    bool requeues() const { return failures_.requeues() || requeues_for_windows_; }
    void record_outlived_estimates() { records_outlived_estimates_ = true; }
    void explain(const std::vector<std::string>& ids, const std::string& prefix) {
        wait_reasons_ = std::make_unique<WaitReasons>(std::set<std::string>(ids.begin(), ids.end()), prefix);
    }
    const std::vector<WaitReason>& wait_reasons() const;
    void record_state(Time from) { records_state_from_ = from; }
    const std::string& recorded_state() const { return recorded_state_; }
    void arrive(Time now);
    void take_in(Event&& event);
    std::vector<Decision>& decide();
    const SchedulerState& state() const { return state_; }
    const JobNumbers& numbers() const { return numbers_; }
    bool is_running(std::optional<JobIndex> index) const;
    bool is_waiting(std::optional<JobIndex> index) const;
    const SchedulerChoice& choice() const { return choice_; }
    const Algorithm& algorithm() const { return *algorithm_; }
    std::vector<Statistic> statistics() const;
    bool registers_jobs() const { return registers_jobs_; }
    const std::vector<GuaranteeBreak>& broken_guarantees() const { return broken_guarantees_; }
    Time guaranteed_at_submission(JobNumber job) const;

    // ---- For Round

    // Null: the job's placement chooses.
    void start(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window = {});
    bool start_if_possible(JobIndex index);
    void kill(JobIndex index);
    void promise(JobIndex index, Time time);
    void end_promise(JobIndex index);
    bool explains() const { return wait_reasons_ != nullptr; }
    std::span<const JobIndex> explained() const {
        return wait_reasons_ ? wait_reasons_->waiting() : std::span<const JobIndex>();
    }
    void because(JobIndex index, Reason reason);
    std::string name(JobIndex index) const;
    void put_to_sleep(const ResourceSet& processors);
    void wake(const ResourceSet& processors);
    void set_metadata(JobIndex index, std::string metadata);
    void register_profile(RegisterProfile profile);
    JobIndex register_job(JobDescription description);

 private:
    EngineCore(const EngineCore&) = default;
    template <class Call>
    decltype(auto) call_algorithm(Call call) const;
    void submitted(JobSubmitted&& submission);
    JobIndex add_submitted(JobSubmitted&& submission);
    void acknowledged(JobIndex index, const std::string& id);
    void completed(JobNumber number, JobState state);
    void withdraw_ended_jobs();
    void killed(const JobsKilled& killed);
    void machine_changed(const MachineChanged& change);
    void resource_state_changed(const ResourceStateChanged& change);
    void run_round();
    void correct_predictions(Time least_end);
    Time next_expiry() const;
    void require_switching(const ResourceSet& processors, const char* what, bool possible) const;
    void set_pstates(const ResourceSet& processors, int pstate);
    void require_registering(const std::string& what) const;
    bool was_told_of(JobIndex index) const { return index < admitted_ && !unacknowledged_.contains(index); }
    Job& add_job(JobNumber number, SharedJobDescription description);
    void describe(Job& job, SharedJobDescription description) const;
    Request request_of(const JobDescription& job) const;
    void take_processors(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window);
    void take_processors_inside(JobIndex index, const ResourceSet* allocation, std::size_t window);
    void take_hosts(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window);
    void change_pools(const Request& request, std::optional<std::size_t> window, int sign);
    void reject_over_reservations();
    std::string lack_on(const Request& request, int host) const;
    void check_hosts(JobIndex index, const ResourceSet& hosts, std::optional<std::size_t> window) const;
    void require_no_window_ahead(JobIndex index, const Place& place) const;
    void check_allocation(JobIndex index, const ResourceSet& allocation) const;
    void begin_resources();
    void give_resources(Job& job);
    void ask_for_wake();
    void call_at(Time time);
    std::optional<RejectJob> refused(JobNumber number, const JobDescription& job, const Request& request) const;
    // The job's needs with the windows of its reservation, or why none can hold it from now on.
    std::variant<Shared<Needs>, std::string> with_windows(const JobDescription& job, const Shared<Needs>& needs) const;
    std::optional<std::string> resources_refused(const JobDescription& job) const;
    void admit(Round& round, JobIndex index);
    void reject(JobIndex index, RejectJob&& rejection);
    // Jobs that wait for others.
    bool are_held() const;
    bool has_turn(const JobSubmitted& submission) const;
    void take_turn(JobSubmitted&& submission);
    std::optional<RejectJob> refused(const JobSubmitted& submission) const;
    void reject_submitted(JobSubmitted&& submission, RejectJob&& rejection);
    void reject_dependents();
    void take_turns(Round& round);
    bool admit_eligible(Round& round);
    bool admit_eligible_after_starts(Round& round);
    void admit_held(Round& round, JobNumber job);
    void reject_hopeless_jobs();
    void stop_overlong_jobs();
    void requeue_killed_jobs();
    std::vector<JobNumber> jobs_to_kill();
    void reject_too_small_jobs();
    void note_broken_guarantees(GuaranteeBreakCause cause, const std::string& window = {});
    // Windows.
    void pass_windows(Time until);
    void begin_window(std::size_t window);
    void end_window(std::size_t window);
    void update_closed_hosts();
    bool ends_for_window(JobIndex index, JobState state);
    void kill_for_windows();
    void kill_for_window(std::size_t number);
    std::vector<JobIndex> running_by_start() const;
    std::vector<Amount> held_outside(JobIndex index) const;
    std::vector<JobIndex> jobs_in_the_way(std::size_t number) const;
    bool is_window_round() const;
    std::vector<std::size_t> windows_before(std::size_t number) const;
    void break_guarantee(JobIndex index, Time new_start, GuaranteeBreakCause cause, const std::string& window = {});
    // Record guarantees that break because a job outlived its estimate: at the end of a round those that waiting jobs
    // lose, and that of a job that starts now, after its guaranteed start.
    void note_outlived_estimates();
    void note_late_start(JobIndex index);
    void finish_registration();
    // Throw: DecisionError, which names the algorithm and the instant.
    [[noreturn]] void fail(JobIndex index, const std::string& rule) const;
    [[noreturn]] void fail(const std::string& what) const;

    SchedulerChoice choice_;
    MachineFailures failures_;
    Owned<RunTimePredictor> predictor_;    // null: estimates are walltimes
    Time next_expiry_ = Time::infinity();  // of a prediction, if that starts a round
    Owned<Algorithm> algorithm_;
    // Number of jobs admitted so far. Counts rejected jobs, and jobs that the algorithm registered but Batsim has not
    // acknowledged yet.
    std::size_t admitted_ = 0;
    SchedulerState state_;
    JobNumbers numbers_;
    Time last_round_;
    std::vector<Time> guaranteed_at_submission_;  // by JobIndex, if there are guarantees
    std::vector<GuaranteeBreak> broken_guarantees_;
    Owned<WaitReasons> wait_reasons_;             // null: nobody asks why jobs wait
    Time records_state_from_ = Time::infinity();  // infinite: not, or not any more
    std::string recorded_state_;
    std::set<JobIndex> unacknowledged_;      // jobs that the algorithm registered
    std::set<JobIndex> to_be_acknowledged_;  // these, and killed jobs that were submitted again
    bool registers_jobs_;
    bool records_outlived_estimates_ = false;
    bool a_prediction_expired_ = false;  // since the last round
    bool acknowledges_jobs_ = false;
    bool is_beginning_ = false;  // an algorithm that registers jobs awaits its first round
    bool is_deciding_ = false;
    bool all_submitted_ = false;  // except registered jobs
    bool registration_finished_ = false;
    bool requeues_for_windows_ = false;  // jobs that windows kill are submitted again
    bool machine_changed_ = false;       // in the current message, as the next one
    bool processors_switched_ = false;

    Time windows_at_;         // the instants of windows up to this one are over
    Time announced_at_;       // those that were announced up to this instant are known
    Time last_window_round_;  // the instant of the last round because of windows
    Time killed_for_windows_at_;
    // Jobs that windows kill, with the number of their kill; and those whose end is still to be reported. The round of
    // the instant waits for it.
    std::map<JobIndex, std::size_t> killed_for_windows_;
    std::size_t window_kills_ = 0;
    std::set<JobIndex> awaited_ends_;
    std::set<JobIndex> requeued_for_windows_;
    std::string announced_window_;  // the first of those that are announced in this round; empty: none

    Owned<Dependencies> dependencies_;  // null: no job waits for others
    std::vector<Time> eligible_since_;  // of jobs that waited for others, by number; infinite: of no such job

    // From the current message.
    std::vector<JobIndex> submissions_;
    // Submissions that come after these, while jobs wait for others; then killed jobs that are submitted again.
    std::vector<JobSubmitted> in_turn_;
    std::vector<JobSubmitted> again_;
    std::vector<JobNumber> started_;  // what this makes eligible waits until the algorithm has decided
    std::vector<Completion> completions_;
    std::vector<JobIndex> ended_waiting_;  // jobs that ended without a start
    std::vector<JobIndex> to_be_requeued_;

    std::vector<Decision> decisions_;
    std::set<Time> calls_;                 // requested and still to come
    std::vector<JobIndex> to_be_stopped_;  // running jobs with an assumed walltime
};

}  // namespace batfill
