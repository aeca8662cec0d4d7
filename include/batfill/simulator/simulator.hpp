#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/core/job_state.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/events.hpp>
#include <batfill/formats/external_events.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/simulator/simulator_rules.hpp>

namespace batfill {

// All that is simulated. The simulator refers to it and does not change it.
struct Scenario {
    Platform platform;
    std::vector<Workload> workloads;
    std::vector<std::vector<ExternalEvent>> event_lists;  // one per file
    std::string scheduler_configuration;                  // --sched-cfg, for a scheduler on the other side of a socket
    bool forward_unknown_events = false;
    // Batsim's options of these names: the scheduler may register jobs, and the simulation ends only when it has said
    // that it is done with it; it is told of the submission of the jobs that it registers; and a profile can be used by
    // them even when a job that had it has ended.
    bool enable_dynamic_jobs = false;
    bool acknowledge_dynamic_jobs = false;
    bool enable_profile_reuse = false;
    // Those about hosts and files are for the caller: the simulator takes hosts as they come, and writes no files.
    SimulatorRules rules{};
};

// Numbers the jobs of a scenario: workload by workload, in the order of the files; then those that the scheduler
// registers, one after the other.
using JobNumber = JobIndex;

// What a scheduler answers to one message.
struct SchedulerReply {
    struct TimedDecision {
        Time timestamp;  // when it is applied
        Decision decision;
    };
    Time now;  // the simulation goes on when this time has come
    std::vector<TimedDecision> decisions;
};

// The simulation stops because nothing will happen any more, but some jobs were submitted and never started.
class DeadlockError : public InputError {
 public:
    using InputError::InputError;
};

class Simulator;
class DoubleClock;

// The scheduler of a simulation, which runs in this process or at the other end of a socket.
class SimulatedScheduler {
 public:
    virtual ~SimulatedScheduler() = default;
    // The simulation begins at time 0; `simulator` outlives this object's use. `reply` is empty before each call.
    virtual void begin(const Simulator& simulator, SchedulerReply& reply) = 0;
    // Jobs are named by their numbers in the scenario. What is in `events` may be moved out of them.
    virtual void message(Time now, std::span<Event> events, SchedulerReply& reply) = 0;
    // The simulation is over, and no reply is expected. This is also called when an error ends it.
    virtual void end(Time now) = 0;
};

// A job in the simulation. All pointers are into the scenario, but `job` into the simulator if the scheduler has
// registered it.
struct SimulatedJob {
    const WorkloadJob* job = nullptr;
    const JobProfile* profile = nullptr;
    Time start;
    Time end;  // of a running job: as far as it is known
    ResourceSet allocation;
    JobState state = JobState::not_submitted;
    JobState expected_state{};  // at `end`, unless it is killed
    bool kill_requested = false;
    bool end_told = false;  // the scheduler was told of its end and may not speak of it again
};

// For how long machines were in a state, summed over the machines. As in Batsim, only periods count that ended with a
// change of state.
struct MachineTimes {
    Duration computing;
    Duration idle;
    Duration unavailable;
    Duration sleeping;
    Duration falling_asleep;
    Duration waking;
};

// Simulates a scenario event by event, with the instants, the order of events within an instant and their division into
// messages of Batsim 4.2.1 on a platform without latency (docs/simulator.md), in exact microseconds. The scenario's
// rules say what it does otherwise to be like another Batsim.
// A copy of a simulator that has not run simulates the same scenario without preparing it again.
class Simulator {
 public:
    // Called now and then with the number of jobs that have ended and the clock.
    using Progress = std::function<void(std::size_t, Time)>;

    // Throws InputError for jobs that this simulator cannot run (profiles that communicate), naming the job.
    explicit Simulator(const Scenario& scenario);

    // Runs the simulation to its end. Throws InputError if the scheduler asks for something impossible, and
    // DeadlockError if jobs are never started; the jobs that had ended until then are in ended().
    // O((jobs + calls) log(jobs + calls)) and what the scheduler takes.
    void run(SimulatedScheduler& scheduler, const Progress& progress = {});

    const Scenario& scenario() const { return scenario_; }
    const std::vector<SimulatedJob>& jobs() const { return jobs_; }
    std::optional<JobNumber> find_job(const std::string& id) const;  // "w0!17"; the first call builds an index
    // The jobs in the order in which their ends were handled, which is the order of the rows in the jobs' CSV.
    const std::vector<JobNumber>& ended() const { return ended_; }
    // The text that the scheduler has set for a job; empty if none.
    const std::string& metadata(JobNumber job) const;
    const MachineTimes& machine_times() const { return machine_times_; }
    // How often processors were put to sleep or woken, and in how many decisions.
    std::size_t processor_switches() const { return processor_switches_; }
    std::size_t grouped_switches() const { return switches_.size(); }
    // How many jobs ran for a computing time that is no whole number of microseconds, and was rounded.
    std::size_t rounded_run_times() const { return rounded_run_times_; }
    std::size_t messages() const { return messages_; }
    Time now() const { return now_; }

 private:
    // Whatever waits for an instant. Of those that wait for the same one, the one that was set first expires first.
    struct Timer {
        enum class Kind { submitter, event_submitter, job, call, reply, switching };
        Time time;
        std::size_t order;
        Kind kind;
        std::size_t number;  // of the workload, event list, job or entry of switches_
    };
    struct Later {
        bool operator()(const Timer& a, const Timer& b) const {
            return a.time != b.time ? a.time > b.time : a.order > b.order;
        }
    };
    // What lies in Batsim's mailbox: that a timer has expired, or something that its sender could only say once an
    // earlier message had been read, such as a submitter's last word, the rest of a reply, or the end of killed jobs.
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
    enum class MachineState : std::uint8_t { idle, computing, unavailable, sleeping, falling_asleep, waking };
    // By number, in columns: a job that starts or ends changes all of its machines alike, which is most of the work of
    // a replay where jobs are wide.
    struct Machines {
        explicit Machines(std::size_t number)
            : state(number), since(number), busy(number), power(number), counted(number) {}
        std::vector<MachineState> state;
        std::vector<Time> since;
        std::vector<std::uint8_t> busy;     // 1: a job holds it, available or not
        std::vector<MachineState> power;    // in which it would be if no job held it and it were available
        std::vector<MachineState> counted;  // as which its time counts; only with machine_times_of_batsim5
        std::size_t unavailable = 0;        // how many are
    };

    static const char* name_of(MachineState state);
    void add_jobs(const Workload& workload);
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
    void set_power(const ResourceSet& processors, MachineState power);
    void end_switch(const SetResourceState& decision);
    void call_later(Time time);
    void require_registration(const std::string& what) const;
    void register_profile(RegisterProfile& decision);
    const JobProfile& profile_to_register(const JobDescription& job) const;
    void register_job(RegisterJob& decision);
    void notified(NotificationType type);
    void report_kill(const std::vector<JobNumber>& killed);
    void report_end(JobNumber number);
    void leave_machines(SimulatedJob& job, JobState state);
    void change_machines(const ExternalEvent& event);
    void set_state(ResourceSet::Interval machines, MachineState from, MachineState to);
    void count_time(MachineState state, Duration spent);
    void count_time_like_batsim5(std::size_t machine, MachineState to);
    std::optional<Duration> known_run_time(const JobProfile& profile) const;
    Duration run_time(const SimulatedJob& job, JobState& end);
    void begin(SimulatedScheduler& scheduler);
    void send(SimulatedScheduler& scheduler);
    template <class Data>
    void tell(Data data);
    bool finished() const;
    std::string deadlock() const;

    const Scenario& scenario_;
    std::vector<SimulatedJob> jobs_;
    std::map<JobNumber, std::string> metadata_;
    std::deque<WorkloadJob> registered_;  // by the scheduler; they do not move
    std::map<std::string, std::map<std::string, JobProfile>> registered_profiles_;  // likewise, by workload and name
    std::set<const JobProfile*> removed_profiles_;     // that Batsim has forgotten with a job that had them
    std::vector<std::vector<JobNumber>> submissions_;  // of each workload, in the order of submission
    std::vector<std::size_t> submitted_;               // how many of each workload
    std::vector<std::size_t> occurred_;                // how many of each event list
    Machines machines_;
    double equal_speed_ = 0;  // of all hosts; 0: they differ
    mutable std::map<std::string, JobNumber> by_id_;

    Time now_;
    std::shared_ptr<DoubleClock> clock_;  // of this run; none without clock_of_doubles
    std::priority_queue<Timer, std::vector<Timer>, Later> timers_;
    std::size_t order_ = 0;
    std::vector<Message> mailbox_;  // of the present instant, read from `next_message_` on
    std::size_t next_message_ = 0;
    std::vector<Message> late_messages_;  // those that arrive only after the scheduler was told
    std::vector<Event> events_;           // what the scheduler will be told next
    SchedulerReply reply_;
    std::size_t next_decision_ = 0;
    bool scheduler_ready_ = false;
    bool registration_finished_ = false;

    std::size_t job_submitters_ = 0;  // still at work
    std::size_t event_submitters_ = 0;
    std::size_t running_ = 0;
    std::size_t in_queue_ = 0;
    std::size_t pending_calls_ = 0;
    std::size_t messages_ = 0;
    std::size_t rounded_run_times_ = 0;
    std::vector<SetResourceState> switches_;  // all that were asked for
    std::size_t pending_switches_ = 0;
    std::size_t processor_switches_ = 0;
    std::vector<JobNumber> ended_;
    MachineTimes machine_times_;
};

}  // namespace batfill
