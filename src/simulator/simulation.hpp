#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/simulator/simulator.hpp>

#include "double_clock.hpp"
#include "machines.hpp"

namespace batfill {

// What is behind Simulator. Functions of the same names do what their contracts say.
class Simulation {
 public:
    explicit Simulation(const Scenario& scenario);

    // `simulator` is what the scheduler sees.
    void run(const Simulator& simulator, SimulatedScheduler& scheduler, const Simulator::Progress& progress);

    const Scenario& scenario() const { return scenario_; }
    const std::vector<SimulatedJob>& jobs() const { return jobs_; }
    std::optional<JobNumber> find_job(const std::string& id) const;
    const std::vector<JobNumber>& ended() const { return ended_; }
    const std::string& metadata(JobNumber job) const;
    MachineTimes machine_times() const { return machines_.times(); }
    std::size_t processor_switches() const { return processor_switches_; }
    std::size_t grouped_switches() const { return switches_.size(); }
    std::size_t rounded_run_times() const { return rounded_run_times_; }
    std::size_t messages() const { return messages_; }
    Time now() const { return now_; }

 private:
    // Something that waits for a time. Timers for the same time expire in the order in which they were set.
    struct Timer {
        enum class Kind { submitter, event_submitter, job, call, reply, switching };
        Time time;
        std::size_t order;
        Kind kind;
        std::size_t number;  // of a workload, an event list, a job, or an entry of switches_
    };
    struct Later {
        bool operator()(const Timer& a, const Timer& b) const {
            return a.time != b.time ? a.time > b.time : a.order > b.order;
        }
    };
    // A message in Batsim's mailbox: an expired timer, or the continuation of a sender that had to wait until an
    // earlier message was read. Examples of the second are a submitter's last word, the rest of a reply, and the end of
    // killed jobs.
    struct Message {
        enum class Kind {
            timer_expired,
            submission_continues,
            submitter_bye,
            event_submitter_bye,
            reply_continues,
            killing_done
        };
        Kind kind;
        Timer timer;
        std::vector<JobNumber> killed;
    };

    // Throws: InputError if a job of this profile communicates. `place` begins the error.
    static void require_simulable(const JobProfile& profile, const std::string& place, const JobDescription& job);
    // Appends the numbers of the jobs to `numbers`.
    void add_jobs(const Workload& workload, std::vector<JobNumber>& numbers);
    SimulatedJob& job(JobNumber number) { return jobs_[static_cast<std::size_t>(number)]; }
    void set_timer(Time time, Timer::Kind kind, std::size_t number) { set_timer({time, order_++, kind, number}); }
    void set_timer(const Timer& timer);
    void expire_timers();
    bool expire(const Timer& timer);
    bool clock_is_behind(Time submission) const;
    void continue_submission(std::size_t workload);
    void read_mailbox();
    void receive(const Message& message);
    void submit(std::size_t workload);
    void external_events(std::size_t list);
    void send_bye(Message::Kind kind, bool submitted_nothing);
    void submitter_bye(Message::Kind kind);
    void take_in_reply();
    void continue_reply();
    void apply(Decision& decision);
    void start(StartJob& decision);
    void reject(JobNumber number);
    void kill(const KillJobs& decision);
    void switch_processors(const SetResourceState& decision);
    Duration time_to_switch(int processor, int pstate) const;
    void set_power(const ResourceSet& processors, Machines::State power);
    void end_switch(const SetResourceState& decision);
    void call_later(Time time);
    void require_registration(const std::string& what) const;
    void register_profile(RegisterProfile& decision);
    const JobProfile& profile_to_register(const JobDescription& job) const;
    bool believes_walltimes(std::string_view workload) const;
    void register_job(RegisterJob& decision);
    void notified(NotificationType type);
    void report_kill(const std::vector<JobNumber>& killed);
    void report_end(JobNumber number);
    void leave_machines(SimulatedJob& job, JobState state);
    void change_machines(const ExternalEvent& event);
    std::optional<Duration> known_run_time(const JobProfile& profile) const;
    Duration run_time(const SimulatedJob& job, JobState& end);
    void begin(const Simulator& simulator, SimulatedScheduler& scheduler);
    void send(SimulatedScheduler& scheduler);
    // Adds an event to the scheduler's next message.
    template <class Data>
    void tell(Data data) {
        Event& event = events_.emplace_back();
        event.timestamp = now_;
        event.data = std::move(data);
    }
    bool finished() const;
    std::string deadlock() const;

    const Scenario& scenario_;
    std::vector<SimulatedJob> jobs_;
    std::map<JobNumber, std::string> metadata_;
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
    mutable std::map<std::string, JobNumber> by_id_;

    Time now_;
    std::optional<DoubleClock> clock_;  // of this run; null without clock_of_doubles
    std::priority_queue<Timer, std::vector<Timer>, Later> timers_;
    std::size_t order_ = 0;
    // Messages of the present instant, read from `next_message_` on.
    std::vector<Message> mailbox_;
    std::size_t next_message_ = 0;
    // Messages that arrive only after the scheduler has its message.
    std::vector<Message> late_messages_;
    std::vector<Event> events_;  // for the scheduler's next message
    SchedulerReply reply_;
    std::size_t next_decision_ = 0;
    bool scheduler_ready_ = false;
    bool dynamic_jobs_ = false;
    bool profile_reuse_ = false;
    bool registration_finished_ = false;

    std::size_t job_submitters_ = 0;  // still at work
    std::size_t event_submitters_ = 0;
    std::size_t running_ = 0;
    std::size_t in_queue_ = 0;
    std::size_t pending_calls_ = 0;
    std::size_t messages_ = 0;
    std::size_t rounded_run_times_ = 0;
    std::vector<SetResourceState> switches_;  // all switches requested so far
    std::size_t pending_switches_ = 0;
    std::size_t processor_switches_ = 0;
    std::vector<JobNumber> ended_;
};

}  // namespace batfill
