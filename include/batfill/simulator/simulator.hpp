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
#include <batfill/core/job.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/events.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

// Behaviour of the simulator that depends on the version of Batsim that it imitates. docs/batsim5.md tells what is
// known of each version. The defaults are Batsim 4's, as in docs/simulator.md.
struct SimulatorRules {
    // A number within the name of a host counts as a number when hosts are numbered: n9 comes before n10.
    bool numbers_in_host_names = false;
    // The time of a CALL_ME_LATER is rounded up to a multiple of this.
    Duration unit_of_calls = Duration::microseconds(1);
    // A call for a time that is not in the future comes at once, at the same instant. If not set, it is an error.
    bool past_calls_come_at_once = false;
    // Jobs with submission time 0 are submitted before the decisions of the reply to the first message.
    bool submissions_before_first_reply = false;
    // The clock is a sum of doubles. If it is slightly behind the submission time of jobs of one instant, several
    // messages report them. The scheduler speaks JSON: if the clock's time with twelve decimals is later than the
    // clock, the reply advances the clock to it.
    bool clock_of_doubles = false;
    // In the sums of times by state, a machine computes from the start of its first job on, and its availability does
    // not matter.
    bool machine_times_of_batsim5 = false;
    // The files are PREFIXjobs.csv and PREFIXschedule.json as Batsim 5 writes them, instead of PREFIX_jobs.csv and
    // PREFIX_schedule.csv.
    bool files_of_batsim5 = false;
};

inline constexpr const char* default_simulator_rules = "batsim4";

// The rules of this name.
// Throws: UsageError, which lists the known names, if there are none.
SimulatorRules simulator_rules(const std::string& like);

// Sorts the hosts of a platform into the order in which the rules number them.
// Cost: O(n log n) for n hosts.
void number_hosts(Platform& platform, const SimulatorRules& rules);

// All that is simulated. The simulator refers to it and does not change it.
struct Scenario {
    Platform platform;
    std::vector<Workload> workloads;
    std::vector<std::vector<ExternalEvent>> event_lists;  // one per file
    // Batsim's --sched-cfg, for a scheduler behind a socket.
    std::string scheduler_configuration;
    bool forward_unknown_events = false;
    // Batsim's options of these names.
    // The scheduler may register jobs. The simulation ends only after it has said that it registers no more.
    bool enable_dynamic_jobs = false;
    // The simulator reports the submission of registered jobs to the scheduler.
    bool acknowledge_dynamic_jobs = false;
    // Registered jobs may use a profile even after a job with this profile has ended.
    bool enable_profile_reuse = false;
    // The simulator leaves the rules for hosts and files to the caller: it uses hosts in the given order and writes no
    // files.
    SimulatorRules rules{};
};

// Number of a job in a scenario: workload by workload, in the order of the files; then the jobs that the scheduler
// registers, in order.
using JobNumber = JobIndex;

// A scheduler's answer to one message.
struct SchedulerReply {
    struct TimedDecision {
        Time timestamp;  // when the simulator applies it
        Decision decision;
    };
    Time now;  // when the simulation continues
    std::vector<TimedDecision> decisions;
};

// The simulation stops because nothing more will happen, but some submitted jobs never started.
class DeadlockError : public InputError {
 public:
    using InputError::InputError;
};

class Simulator;
class DoubleClock;

// The scheduler of a simulation, in this process or behind a socket.
class SimulatedScheduler {
 public:
    virtual ~SimulatedScheduler() = default;
    // Begins the simulation at time 0. `simulator` outlives this object's use. `reply` is empty before each call.
    virtual void begin(const Simulator& simulator, SchedulerReply& reply) = 0;
    // Handles one message. Events name jobs by their numbers in the scenario. The callee may move out of `events`.
    virtual void message(Time now, std::span<Event> events, SchedulerReply& reply) = 0;
    // Ends the simulation, also after an error. No reply is expected.
    virtual void end(Time now) = 0;
    // Whether it may register jobs, also with profiles of ended jobs, where the scenario does not say so.
    virtual bool registers_jobs() const { return false; }
};

// A job in the simulation. `job` and `profile` point into the scenario, or into the simulator if the scheduler
// registered them.
struct SimulatedJob {
    const WorkloadJob* job = nullptr;
    const JobProfile* profile = nullptr;
    Time start;
    Time end;  // of a running job: as far as known
    ResourceSet allocation;
    JobState state = JobState::not_submitted;
    JobState expected_state{};  // at `end`, unless the job is killed
    bool kill_requested = false;
    // The scheduler knows that the job has ended, and may not kill it any more.
    bool end_told = false;
};

// The time that machines spent in each state, summed over machines. As in Batsim, a period counts only once a change of
// state has ended it.
struct MachineTimes {
    Duration computing;
    Duration idle;
    Duration unavailable;
    Duration sleeping;
    Duration falling_asleep;
    Duration waking;
};

// Simulates a scenario event by event, in exact microseconds. Times, order of events within an instant, and their
// division into messages are those of Batsim 4.2.1 on a platform without latency (docs/simulator.md). The scenario's
// rules change this to imitate another Batsim.
//
// A copy of a simulator that has not run simulates the same scenario without preparing it again.
class Simulator {
 public:
    // Called now and then with the number of ended jobs and the clock.
    using Progress = std::function<void(std::size_t, Time)>;

    // Throws: InputError, which names the job, for a job that this simulator cannot run (its profile communicates).
    explicit Simulator(const Scenario& scenario);

    // Runs the simulation to its end.
    // Throws:
    // - InputError if the scheduler asks for something impossible
    // - DeadlockError if some jobs never start; ended() has the jobs that ended until then
    // Cost: O((jobs + calls) log(jobs + calls)), and the scheduler's own time.
    void run(SimulatedScheduler& scheduler, const Progress& progress = {});

    const Scenario& scenario() const { return scenario_; }
    const std::vector<SimulatedJob>& jobs() const { return jobs_; }
    // `id` is like "w0!17". The first call builds an index.
    std::optional<JobNumber> find_job(const std::string& id) const;
    // The jobs in the order in which their ends were handled. The rows of the jobs' CSV have this order.
    const std::vector<JobNumber>& ended() const { return ended_; }
    // The text that the scheduler set for a job; empty if none.
    const std::string& metadata(JobNumber job) const;
    const MachineTimes& machine_times() const { return machine_times_; }
    // Number of times that a processor was put to sleep or woken, and number of decisions that did so.
    std::size_t processor_switches() const { return processor_switches_; }
    std::size_t grouped_switches() const { return switches_.size(); }
    // Number of jobs whose computing time was rounded to whole microseconds.
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
    enum class MachineState : std::uint8_t { idle, computing, unavailable, sleeping, falling_asleep, waking };
    // Machines by number, in columns. A job that starts or ends changes all of its machines alike. With wide jobs, this
    // is most of the work of a replay.
    struct Machines {
        explicit Machines(std::size_t number)
            : state(number), since(number), busy(number), power(number), counted(number) {}
        std::vector<MachineState> state;
        std::vector<Time> since;
        std::vector<std::uint8_t> busy;  // 1: a job holds the machine, available or not
        // The state that the machine would have if no job held it and it were available.
        std::vector<MachineState> power;
        // The state for which its time counts; only with machine_times_of_batsim5.
        std::vector<MachineState> counted;
        std::size_t unavailable = 0;  // number of unavailable machines
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
    std::shared_ptr<DoubleClock> clock_;  // of this run; null without clock_of_doubles
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
    MachineTimes machine_times_;
};

}  // namespace batfill
