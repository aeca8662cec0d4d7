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

#include <batfill/core/error.hpp>
#include <batfill/core/owned.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/events.hpp>
#include <batfill/engine/run_time_predictor.hpp>
#include <batfill/engine/state.hpp>

#include "src/engine/dependencies.hpp"
#include "src/engine/guarantees.hpp"
#include "src/engine/job_numbers.hpp"
#include "src/engine/job_registration.hpp"
#include "src/engine/machine_failures.hpp"
#include "src/engine/wait_reasons.hpp"
#include "src/engine/window_rounds.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

// The implementation of Engine and Round. Functions of the same names fulfil their contracts.
class EngineCore : private Admission {
 public:
    explicit EngineCore(const SchedulerChoice& choice);

    // ---- For Engine

    std::unique_ptr<EngineCore> copy() const;
    std::optional<Time> start_in_plan(Time now, const JobDescription& description) const;
    void begin(Time now, Machine machine, bool acknowledges_jobs, JobNumber first_free);
    void order_ties_by_id() { state_.jobs.order_by_id(); }
    void follow_dependencies(FindJob find);
    std::optional<Time> eligible_since(JobNumber job) const;
    void requeue_for_windows() { failures_.requeue_for_windows(); }
    bool requeues() const { return failures_.may_requeue(); }
    void record_outlived_estimates() { records_outlived_estimates_ = choice_.gives_guarantees(); }
    void explain(const std::vector<std::string>& ids, const std::string& prefix);
    const std::vector<WaitReason>& wait_reasons() const { return wait_reasons_.reasons(); }
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
    bool registers_jobs() const { return failures_.may_requeue() || choice_.submits_jobs(); }
    const std::vector<GuaranteeBreak>& broken_guarantees() const { return guarantees_.broken(); }
    Time guaranteed_at_submission(JobNumber job) const { return guarantees_.at_submission(numbers_.find(job).value()); }

    // ---- For Round

    // Null: the job's placement chooses.
    void start(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window = {},
               std::vector<Amount> by_host = {});
    bool start_if_possible(JobIndex index);
    void kill(JobIndex index);
    void reject_waiting(JobIndex index, std::string reason);
    void note_eligible(JobIndex index, Time since) { eligible_since_[numbers_[index]] = since; }
    void promise(JobIndex index, Time time);
    void end_promise(JobIndex index);
    bool explains() const { return wait_reasons_.explains(); }
    std::span<const JobIndex> explained() const { return wait_reasons_.waiting(); }
    void because(JobIndex index, Reason reason);
    std::string name(JobIndex index) const;
    void put_to_sleep(const ResourceSet& processors);
    void wake(const ResourceSet& processors);
    void set_metadata(JobIndex index, std::string metadata);
    void register_profile(RegisterProfile profile);
    JobIndex register_job(JobDescription description);

 private:
    // What messages have brought since the last round.
    struct News {
        std::vector<JobIndex> submissions;
        std::vector<Completion> completions;
        std::vector<JobIndex> ended_waiting;  // jobs that ended without a start
        bool machine_changed = false;
        bool processors_switched = false;
        bool is_beginning = false;  // an algorithm that registers jobs awaits its first round

        bool empty() const {
            return submissions.empty() && completions.empty() && ended_waiting.empty() && !machine_changed &&
                   !processors_switched && !is_beginning;
        }
        void clear() {
            submissions.clear();
            completions.clear();
            ended_waiting.clear();
            machine_changed = processors_switched = is_beginning = false;
        }
    };

    EngineCore(const EngineCore&) = default;
    template <class Call>
    decltype(auto) call_algorithm(Call call) const;
    JobIndex add_submitted(JobSubmitted&& submission);
    void acknowledged(JobIndex index, const JobSubmitted& submission);
    void completed(JobNumber number, JobState state);
    void withdraw_ended_jobs();
    void killed(const JobsKilled& killed);
    void machine_changed(const MachineChanged& change);
    void resource_state_changed(const ResourceStateChanged& change);
    void run_round();
    void require_switching(const ResourceSet& processors, const char* what, bool possible) const;
    void set_pstates(const ResourceSet& processors, int pstate);
    void require_registering(const std::string& what) const;
    bool was_told_of(JobIndex index) const { return registration_.was_told_of(index); }
    // Whether a job waits that the algorithm was told of.
    bool waits(JobIndex index) const {
        return was_told_of(index) && state_.jobs.has(index) && state_.jobs[index].state == JobState::submitted;
    }
    // Whether a job waits or runs.
    bool is_any_present() const { return !state_.waiting.empty() || !state_.running.empty(); }
    std::vector<JobNumber> numbers_of(const std::vector<JobIndex>& jobs) const {
        return mapped(jobs, [this](JobIndex job) { return numbers_[job]; });
    }
    Job& add_job(JobNumber number, SharedJobDescription description);
    std::optional<Duration> assumed_walltime(const JobDescription& job) const;
    void describe(Job& job, SharedJobDescription description) const;
    std::vector<Amount> cores_by_host(const Request& request) const;
    void take_amounts(JobIndex index, const ResourceSet& hosts, std::vector<Amount> by_host);
    void take_processors(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window);
    void take_processors_inside(JobIndex index, const ResourceSet* allocation, std::size_t window);
    void take_hosts(JobIndex index, const ResourceSet* allocation, std::optional<std::size_t> window);
    void change_pools(const Request& request, std::optional<std::size_t> window, int sign);
    std::string lack_on(const Request& request, int host) const;
    void check_hosts(JobIndex index, const ResourceSet& hosts, std::optional<std::size_t> window) const;
    void require_no_window_ahead(JobIndex index, const Place& place) const;
    void check_allocation(JobIndex index, const ResourceSet& allocation) const;
    void begin_resources();
    void begin_availability();
    template <class IsScarce>
    void make_scarce(IsScarce is_scarce);
    void find_scarce_pools(const Request& request);
    void leave_queue(JobIndex index);
    void give_resources(Job& job);
    void ask_for_wake();
    void call_at(Time time);
    // What the job takes, or why it is refused.
    std::variant<Request, RejectJob> resolve(JobNumber number, const JobDescription& job) const;
    std::variant<Request, std::string> with_windows(const JobDescription& job, Request request) const;
    void admit(Round& round, JobIndex index);
    void reject(JobIndex index, RejectJob&& rejection);
    // Jobs that wait for others, and those that are submitted while there are any.
    bool is_any_held() const { return dependencies_ && dependencies_->is_any_held(); }
    void take_turn(JobSubmitted&& submission);
    void admit(JobSubmitted&& job) override;
    void hold(const JobSubmitted& job) override;
    std::optional<RejectJob> refused(const JobSubmitted& job) const override;
    void reject(JobSubmitted&& job, RejectJob&& rejection) override;
    Time stop_of(const Job& job) const;
    void stop_overlong_jobs();
    void requeue_killed_jobs();
    template <class Reason>
    void reject_waiting(GuaranteeBreakCause cause, const std::string& window, Reason reason);
    void reject_over_bookings();
    void reject_all_that_wait();
    void note_broken_guarantees(GuaranteeBreakCause cause, const std::string& window = {});
    void break_guarantee(JobIndex index, Time new_start, GuaranteeBreakCause cause, const std::string& window = {});
    void finish_registration();
    // Throw: DecisionError, which names the algorithm and the instant.
    [[noreturn]] void fail(JobIndex index, const std::string& rule) const;
    [[noreturn]] void fail(const std::string& what) const;
    // The same with the text of these parts, as refuse_if().
    template <class... Parts>
    void fail_if(bool is_wrong, JobIndex index, const Parts&... parts) const {
        if (is_wrong) [[unlikely]] {
            fail(index, one_text(parts...));
        }
    }
    void require_waiting(JobIndex index, const char* what) const {
        fail_if(!waits(index), index, what, ", it is not waiting");
    }

    SchedulerChoice choice_;
    MachineFailures failures_;
    WindowRounds windows_;
    Owned<RunTimePredictor> predictor_;  // null: estimates are walltimes
    Owned<Algorithm> algorithm_;
    SchedulerState state_;
    JobNumbers numbers_;
    Time last_round_;
    Guarantees guarantees_;
    WaitReasons wait_reasons_;
    Time records_state_from_ = Time::infinity();  // infinite: not, or not any more
    std::string recorded_state_;
    JobRegistration registration_;
    Owned<Dependencies> dependencies_;          // null: no job waits for others, or the algorithm looks at them
    std::map<JobNumber, Time> eligible_since_;  // as the algorithm says
    News news_;
    bool records_outlived_estimates_ = false;
    bool is_deciding_ = false;
    std::vector<Decision> decisions_;
    std::set<Time> calls_;                 // requested and still to come
    std::vector<JobIndex> to_be_stopped_;  // running jobs with an assumed walltime
};

}  // namespace batfill
