#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
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

// Behaviour of the simulator that depends on the version of Batsim that it imitates; docs/simulator.md describes both.
// The defaults are Batsim 4's.
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

// A scheduler's answer to one message.
struct SchedulerReply {
    struct TimedDecision {
        Time timestamp;  // when the simulator applies it
        Decision decision;
    };
    Time now;  // when the simulation continues
    std::vector<TimedDecision> decisions;
};

// The jobs that were rejected for one cause.
struct Rejections {
    std::size_t jobs = 0;
    JobNumber first{};
    std::string reason;  // why the first was rejected, as in RejectJob
};

// The simulation stops because nothing more will happen, but some submitted jobs never started.
class DeadlockError : public InputError {
 public:
    using InputError::InputError;
};

class Simulation;
class Simulator;

// The scheduler of a simulation, in this process or behind a socket.
class SimulatedScheduler {
 public:
    virtual ~SimulatedScheduler() = default;
    // Begins the simulation at time 0. `simulator` outlives this object's use. `reply` is empty before each call.
    virtual void begin(const Simulator& simulator, SchedulerReply& reply) = 0;
    // Handles one message. The callee may move out of `events`.
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
    bool may_outlive_walltime = false;  // its workload believes walltimes
    JobState expected_state{};          // at `end`, unless the job is killed
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
    Simulator(const Simulator& other);
    Simulator(Simulator&& other) noexcept;
    Simulator& operator=(const Simulator&) = delete;
    Simulator& operator=(Simulator&&) = delete;
    ~Simulator();

    // Runs the simulation to its end.
    // Throws:
    // - InputError if the scheduler decides something impossible
    // - DeadlockError if some jobs never start; ended() has the jobs that ended until then
    // Cost: O((jobs + calls) log(jobs + calls)), and the scheduler's own time.
    void run(SimulatedScheduler& scheduler, const Progress& progress = {});

    const Scenario& scenario() const;
    // By JobNumber: workload by workload, in the order of the files; then the jobs that the scheduler has registered,
    // in order.
    const std::vector<SimulatedJob>& jobs() const;
    // Requires: there is a job of this number.
    const SimulatedJob& job(JobNumber number) const { return jobs()[static_cast<std::size_t>(number)]; }
    // `id` is like "w0!17". The first call builds an index.
    std::optional<JobNumber> find_job(const std::string& id) const;
    // The jobs in the order in which their ends were handled. The rows of the jobs' CSV have this order.
    const std::vector<JobNumber>& ended() const;
    // The text that the scheduler set for a job; empty if none.
    const std::string& metadata(JobNumber job) const;
    MachineTimes machine_times() const;
    // Number of times that a processor was put to sleep or woken, and number of decisions that did so.
    std::size_t processor_switches() const;
    std::size_t grouped_switches() const;
    // Number of jobs whose computing time was rounded to whole microseconds.
    std::size_t rounded_run_times() const;
    std::size_t messages() const;
    Time now() const;

 private:
    std::unique_ptr<Simulation> simulation_;
};

}  // namespace batfill
