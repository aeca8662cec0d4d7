#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/core/job.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/run_limits.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/events.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

// The Batsim that the simulator imitates, with its files. docs/simulator.md lists the differences.
enum class SimulatorRules { batsim4, batsim5 };

inline constexpr const char* default_simulator_rules = "batsim4";

// The rules of this name.
// Throws: UsageError, which lists the known names, if there are none.
SimulatorRules simulator_rules(const std::string& like);

// Sorts the hosts of a platform into the order in which the rules number them. In Batsim 5, a number within the name of
// a host counts as a number: n9 comes before n10. Batsim 4 keeps the order of the platform.
// Cost: O(n log n) for n hosts.
void number_hosts(Platform& platform, SimulatorRules rules);

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

    // Whether jobs of a workload may outlive their walltimes.
    bool believes_walltimes() const { return std::ranges::any_of(workloads, &Workload::believes_walltimes); }
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
    // How long jobs hold what they have, if it is not only until their walltimes. Never changes.
    virtual RunLimits run_limits() const { return {}; }
    // How many calls in a row the simulation makes for which the scheduler only asks for a further one, while no job
    // runs and nothing else will happen. `jobs_wait` says whether jobs wait. Batsim makes any number.
    virtual std::size_t most_idle_calls(bool /*jobs_wait*/) const { return std::numeric_limits<std::size_t>::max(); }
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

// The times of a job that ran, as Batsim reports them.
struct ReportedTimes {
    Duration run;
    Time finish;
    Duration wait;
    Duration turnaround;

    explicit ReportedTimes(const SimulatedJob& job)
        : run(job.end == job.start ? shown_for_no_time : job.end - job.start),
          finish(job.start + run),
          wait(job.start - job.job->description.submit),
          turnaround(wait + run) {}
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

// What a simulation has done so far.
struct SimulationResults {
    // By JobNumber: workload by workload, in the order of the files; then the jobs that the scheduler has registered,
    // in order.
    std::vector<SimulatedJob> jobs;
    // The jobs in the order in which their ends were handled. The rows of the jobs' CSV have this order.
    std::vector<JobNumber> ended;
    // The texts that the scheduler set for jobs.
    std::map<JobNumber, std::string> metadata;
    // How many cores jobs had of each of their hosts, if the scheduler decided that (StartJob::cores).
    std::map<JobNumber, Shared<std::vector<Amount>>> cores;
    // Number of times that a processor was put to sleep or woken, and number of decisions that did so.
    std::size_t processor_switches = 0;
    std::size_t grouped_switches = 0;
    // Number of jobs whose computing time was rounded to whole microseconds.
    std::size_t rounded_run_times = 0;
    std::size_t messages = 0;
    Time now;
};

// Simulates a scenario event by event, in exact microseconds. Times, order of events within an instant, and their
// division into messages are those of Batsim 4.2.1 on a platform without latency (docs/simulator.md). The scenario's
// rules change this to imitate another Batsim.
//
// A copy simulates the same scenario without preparing it again.
class Simulator {
 public:
    // Called now and then with the number of ended jobs and the clock.
    using Progress = std::function<void(std::size_t, Time)>;

    // Throws: InputError, which names the job, for a job that this simulator cannot run (its profile communicates), or
    // that waits for a job that its workload does not have, or in a circle.
    explicit Simulator(const Scenario& scenario);
    // Requires: `other` has not run.
    Simulator(const Simulator& other);
    Simulator(Simulator&& other) noexcept;
    Simulator& operator=(const Simulator&) = delete;
    Simulator& operator=(Simulator&&) = delete;
    ~Simulator();

    // Runs the simulation to its end. If no job waits, calls that the scheduler asks for keep the simulation only for
    // SimulatedScheduler::most_idle_calls().
    // Throws:
    // - InputError if the scheduler decides something impossible
    // - DecisionError if jobs wait and the scheduler asks for more idle calls than that
    // - DeadlockError if some jobs never start; ended() has the jobs that ended until then
    // Cost: O((jobs + calls) log(jobs + calls)), and the scheduler's own time.
    void run(SimulatedScheduler& scheduler, const Progress& progress = {});

    const Scenario& scenario() const;
    const SimulationResults& results() const;
    const std::vector<SimulatedJob>& jobs() const { return results().jobs; }
    // Requires: there is a job of this number.
    const SimulatedJob& job(JobNumber number) const { return jobs()[static_cast<std::size_t>(number)]; }
    // `id` is like "w0!17". The first call builds an index.
    std::optional<JobNumber> find_job(const std::string& id) const;
    // Whether jobs of the scenario have conditions (StatedNeeds::has_conditions()). The scheduler holds them back.
    bool has_dependencies() const;
    const std::vector<JobNumber>& ended() const { return results().ended; }
    MachineTimes machine_times() const;
    // Why the simulation goes on although no job runs and nothing but calls of the scheduler will happen: "waits for
    // calls of the scheduler: 3 jobs wait, none runs". Empty if something else will happen.
    std::string waits_for() const;

 private:
    std::unique_ptr<Simulation> simulation_;
};

}  // namespace batfill
