#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <batfill/simulator/simulator.hpp>

#include "src/simulator/double_clock.hpp"
#include "src/simulator/machines.hpp"

namespace batfill {

// What is behind Simulator. Functions of the same names do what their contracts say.
class Simulation {
 public:
    explicit Simulation(const Scenario& scenario);

    // `simulator` is what the scheduler sees.
    void run(const Simulator& simulator, SimulatedScheduler& scheduler, const Simulator::Progress& progress);

    const Scenario& scenario() const { return scenario_; }
    const SimulationResults& results() const { return results_; }
    std::optional<JobNumber> find_job(const std::string& id) const;
    MachineTimes machine_times() const { return machines_.times(); }
    bool has_dependencies() const { return has_dependencies_; }
    std::string waits_for() const;

 private:
    // What a message in Batsim's mailbox is about. Timers have one of the first six kinds.
    enum class Kind {
        submitter,
        event_submitter,
        job,
        call,
        reply,
        switching,
        submission_continues,
        submitter_bye,
        event_submitter_bye,
        killing_done
    };
    // Something that waits for a time. Timers for the same time expire in the order in which they were set.
    struct Timer {
        Time time;
        std::size_t order;  // also its number among the sleepers of clock_
        Kind kind;
        std::size_t number;  // of a workload, an event list, a job, or an entry of switches_

        bool operator>(const Timer& other) const {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    // A message in Batsim's mailbox: an expired timer, or the continuation of a sender that had to wait until an
    // earlier message was read. Examples of the second are a submitter's last word, the rest of a reply, and the end of
    // killed jobs.
    struct Message {
        Kind kind;
        std::size_t number = 0;  // as in Timer
        std::vector<JobNumber> killed{};
    };

    bool like_batsim5() const { return scenario_.rules == SimulatorRules::batsim5; }
    // Throws: InputError if a job of this profile communicates. `place` begins the error.
    static void require_simulable(const JobProfile& profile, const std::string& place, const JobDescription& job);
    // Appends the numbers of the jobs to `numbers`.
    void add_jobs(const Workload& workload, std::vector<JobNumber>& numbers);
    SimulatedJob& job(JobNumber number) { return results_.jobs[static_cast<std::size_t>(number)]; }
    // As above, for a job that the scheduler names.
    // Throws: InputError if it does not exist.
    SimulatedJob& named_job(JobNumber number);
    void set_timer(Time time, Kind kind, std::size_t number) { set_timer({time, order_++, kind, number}); }
    void set_timer(const Timer& timer);
    void expire_timers();
    bool expire(const Timer& timer);
    void continue_submission(std::size_t workload);
    void read_mailbox();
    void receive(const Message& message);
    void submit(std::size_t workload);
    void external_events(std::size_t list);
    void send_bye(Kind kind, bool submitted_nothing);
    void submitter_bye(Kind kind);
    void take_in_reply();
    void continue_reply();
    void apply(Decision& decision);
    void start(StartJob& decision);
    void reject(JobNumber number);
    void kill(const KillJobs& decision);
    void switch_processors(const SetResourceState& decision);
    Duration time_to_switch(int processor, int pstate) const;
    void call_later(Time time);
    void require_registration(const std::string& what) const;
    void register_profile(RegisterProfile& decision);
    const Workload* find_workload(std::string_view name) const;
    const JobProfile& profile_to_register(const JobDescription& job) const;
    void register_job(RegisterJob& decision);
    void report_kill(const std::vector<JobNumber>& killed);
    void report_end(JobNumber number);
    void leave_machines(SimulatedJob& job, JobState state);
    void change_machines(const ExternalEvent& event);
    std::optional<Duration> known_run_time(const JobProfile& profile) const;
    Duration run_time(const SimulatedJob& job, JobState& end);
    void begin(const Simulator& simulator, SimulatedScheduler& scheduler);
    void send(SimulatedScheduler& scheduler);
    // Adds an event to the scheduler's next message.
    void tell(auto data) {
        Event& event = events_.emplace_back();
        event.timestamp = results_.now;
        event.data = std::move(data);
    }
    bool finished() const;
    bool only_calls_will_happen() const;
    void note_idle_call(const SimulatedScheduler& scheduler);
    std::string first_waiting_job() const;
    std::string deadlock() const;

    const Scenario& scenario_;
    SimulationResults results_;
    // Jobs that the scheduler registered. They keep their addresses.
    std::deque<WorkloadJob> registered_;
    // Profiles that the scheduler registered, likewise, by workload and name.
    std::map<std::string, std::map<std::string, JobProfile>> registered_profiles_;
    // Profiles that Batsim has forgotten because a job that had them has ended.
    std::set<const JobProfile*> removed_profiles_;
    std::vector<std::vector<JobNumber>> submissions_;  // of each workload, in the order of submission
    std::vector<std::size_t> submitted_;               // number of jobs submitted from each workload
    std::vector<std::size_t> occurred_;                // number of events of each list that have occurred
    Machines machines_;
    double equal_speed_ = 0;  // of all hosts; 0 if they differ
    bool has_dependencies_ = false;
    mutable std::unordered_map<std::string_view, JobNumber> by_id_;  // only looked up; the texts are the jobs'

    RunLimits run_limits_;  // of the scheduler

    // The clock of this run in Batsim 5; null in Batsim 4. If it is slightly behind the submission time of jobs of one
    // instant, several messages report them. The scheduler speaks JSON: if the clock's time with twelve decimals is
    // later than the clock, the reply advances the clock to it.
    std::optional<DoubleClock> clock_;
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
    std::size_t order_ = 0;
    // Messages of the present instant, read from `next_message_` on.
    std::vector<Message> mailbox_;
    std::size_t next_message_ = 0;
    // Messages that arrive only after the scheduler has its message.
    std::vector<Message> late_messages_;
    std::vector<Event> events_;  // for the scheduler's next message
    SchedulerReply reply_;
    std::size_t next_decision_ = 0;

    std::size_t job_submitters_ = 0;  // still at work
    std::size_t event_submitters_ = 0;
    std::size_t in_queue_ = 0;
    std::size_t pending_ = 0;     // running jobs, requested calls and switches whose end was not reported yet
    std::size_t calls_ = 0;       // the requested calls among them
    std::size_t idle_calls_ = 0;  // in a row until now; see SimulatedScheduler::most_idle_calls()
    std::vector<SetResourceState> switches_;  // all switches requested so far

    bool scheduler_ready_ = false;
    bool waits_no_longer_ = false;  // for calls that were requested
    bool dynamic_jobs_ = false;
    bool profile_reuse_ = false;
    bool registration_finished_ = false;
};

// Whether jobs of the workload have conditions (StatedNeeds::has_conditions()).
// Throws: InputError, which names the job, if one waits for a job that the workload does not have, or in a circle.
// Cost: O(jobs + conditions).
bool has_dependencies(const Workload& workload);

}  // namespace batfill
