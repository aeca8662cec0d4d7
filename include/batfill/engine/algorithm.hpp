#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/version.hpp>

namespace batfill {

class Engine;

// A job that ended, as an algorithm hears of it.
struct Completion {
    JobIndex job;
    Time expected_end;  // start + estimate; the end was early if it is still to come
    int processors;     // that its end made available
};

// What an algorithm sees and may do during one scheduling round. Every decision is checked here before it leaves: it
// throws DecisionError, and nothing is changed, if the machine cannot do it.
class Round {
 public:
    explicit Round(Engine& engine) : engine_(engine) {}

    const SchedulerState& state() const;
    Time now() const { return state().now; }

    // Starts a waiting job now on the idle processors that its placement says, or on `allocation`, which must be idle
    // and what it requested. It leaves the queue and is running at once. O(queue + intervals of the idle processors).
    void start(JobIndex job);
    void start(JobIndex job, const ResourceSet& allocation);
    // The same, if its request can be fulfilled now; returns whether it was.
    bool start_if_possible(JobIndex job);

    // Asks for the end of a running job, also of one that starts in this round. It runs, and holds all that it has,
    // until its end is told. Nothing happens if that was asked for before. O(1).
    void kill(JobIndex job);

    // Puts idle processors to sleep, all of which can sleep (Machine::can_sleep()), or wakes processors that are asleep
    // and available. Nothing happens without processors. They are in state().falling_asleep and state().waking until
    // Batsim tells that it is done, which is a round. Only of an algorithm that switches_processors().
    void put_to_sleep(const ResourceSet& processors);
    void wake(const ResourceSet& processors);

    // Writes a text of the algorithm's own of a job that it was told of, or has registered, without double quotes, into
    // the column `metadata` of Batsim's jobs.csv; of several the last counts. O(text).
    void set_metadata(JobIndex job, std::string metadata);

    // Adds a profile, a JSON object as in a workload of Batsim 4, to a workload, which may be one that there is not
    // yet. Its name must be new there. Only in decide().
    void register_profile(std::string workload, std::string name, std::string source);
    // Submits a job of the algorithm's own, whose id "WORKLOAD!ID" must be new, with a profile that is there. It is
    // told of the job as of all others, by submitted(): before this returns, or, if Batsim acknowledges registrations,
    // when it has done so. Only in decide(), and only while Algorithm::registers_jobs(). Returns the job's number.
    JobIndex register_job(JobDescription description);

 private:
    Engine& engine_;
};

// Thrown by what families of algorithms share when an algorithm breaks one of its rules; the engine, which knows the
// names of algorithm and job, makes a DecisionError of it. `rule` says what was done and what is demanded.
class BrokenRule : public std::logic_error {
 public:
    BrokenRule(JobIndex job, const std::string& rule) : std::logic_error(rule), job_(job) {}
    JobIndex job() const { return job_; }

 private:
    JobIndex job_;
};

// Something that an algorithm counts of its own decisions, for the log and PREFIX_statistics.csv.
struct Statistic {
    std::string name;
    std::uint64_t value;
};

// "name value, name value, ...", for the log.
std::string text_of(const std::vector<Statistic>& statistics);

// A scheduling algorithm. The engine calls, in each round: begin_round; withdrawn for each job that the machine has
// become too small for, if such are rejected; machine_changed or completed (not both; neither if nothing of the kind
// happened); submitted for each new job in the order received; decide; end_round. A round takes place when jobs were
// submitted or ended, when processors went or came, slept or woke, at the instants that next_wake() names, and at the
// beginning if the algorithm registers jobs. See docs/architecture.md.
class Algorithm {
 public:
    virtual ~Algorithm() = default;

    // ---- What it is told. Jobs may be started in all of these but begin, begin_round and end_round.

    // The machine is known, no job is.
    virtual void begin(Round&) {}

    // Jobs ended; they are out of the state.
    virtual void completed(Round&, std::span<const Completion>) {}

    // Processors became unavailable or available; state().processors stays the whole machine. Jobs may have ended too.
    virtual void machine_changed(Round&, std::span<const Completion>) {}

    // A waiting job was rejected because the machine that is left is too small for it, and has left the queue. Comes
    // before machine_changed.
    virtual void withdrawn(const SchedulerState&, JobIndex) {}

    // A job arrived; it is the newest in state().waiting, and later ones of the same message are not there yet.
    virtual void submitted(Round&, JobIndex) {}

    // Start what is to start.
    virtual void decide(Round& round) = 0;

    // A job has just started by a decision of this algorithm: it has left the queue and is running.
    virtual void started(const SchedulerState&, JobIndex) {}

    // For what a family of algorithms has in common: called before and after everything else in a round.
    virtual void begin_round(const SchedulerState&) {}
    virtual void end_round(const SchedulerState&) {}

    // ---- What it is asked.

    // Whether it is to be told how long jobs would run (SchedulerState::run_times), which only a simulator knows: the
    // daemon refuses such an algorithm.
    virtual bool needs_run_times() const { return false; }

    // Whether it may still register jobs (Round::register_job); asked often. One that does has its first round when the
    // simulation begins, and Batsim goes on until it says no. Not together with needs_run_times().
    virtual bool registers_jobs() const { return false; }

    // Whether it registers jobs with profiles that jobs which have ended may have had, which Batsim must allow.
    virtual bool reuses_profiles() const { return false; }

    // Whether it may put processors to sleep (Round::put_to_sleep). The same all the time.
    virtual bool switches_processors() const { return false; }

    // Why this job can never run under this algorithm, as a predicate ("asks for ..."), or nothing. The engine has
    // already refused jobs that are too large for the machine, or whose walltime is missing or 0.
    virtual std::optional<std::string> refuse(const JobDescription&) const { return std::nullopt; }

    // Whether it guarantees jobs a latest start. PREFIX_guarantees.csv then lists what guaranteed_start() said, and the
    // audit holds the algorithm to it (`batfill check --guarantees`).
    virtual bool gives_guarantees() const { return false; }

    // The latest start that it guarantees a job, asked just after submitted(); none if it leaves this job open. Asked
    // again of each waiting job with a guarantee at the end of a round in which the machine changed: what is later than
    // the job's present guarantee then breaks that and takes its place.
    virtual std::optional<Time> guaranteed_start(const SchedulerState&, JobIndex) const { return std::nullopt; }

    // The first instant after `after` at which it wants a round even if nothing happens then; Time::infinity() if there
    // is none. The engine asks Batsim for a call at that time, unless a running job is expected to end just then.
    // Called often: O(1) is expected.
    virtual Time next_wake(Time /*after*/) const { return Time::infinity(); }

    // What it has counted so far, in the order in which it is to be shown; described in docs/algorithms.md.
    virtual std::vector<Statistic> statistics() const { return {}; }
};

// What is known of an algorithm by its name.
struct AlgorithmDescription {
    std::string name;
    std::string summary;  // one line
    std::string paper;    // where it is defined
    std::vector<Parameter> parameters;
    std::function<std::unique_ptr<Algorithm>(const Parameters&)> make;
    // The values of the parameter `placement` that it knows, the default first. One that knows Placement::machine asks
    // before each start whether the job can start (Round::start_if_possible, Reservation): enough idle processors do
    // not say so.
    std::vector<Placement> placements{Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous};
};

// The description with the parameters that all algorithms have appended: default-walltime, walltime-margin, placement,
// on-failure, when-too-small. Registration does it; only who makes an Engine of a description that is not registered
// needs it.
AlgorithmDescription with_common_parameters(AlgorithmDescription description);

// How a Registration reaches the library. The name of the function holds the version of the interface, so the linker
// refuses a plugin that was built for another version before any of its code runs.
namespace registration {
void BATFILL_INTERFACE(AlgorithmDescription description);
}

// Registers an algorithm; one static object of this type is all that an algorithm needs, in a file of schedulers/ or of
// a plugin (plugin.hpp). Two algorithms of one name are a bug, and end the program when it starts.
class Registration {
 public:
    explicit Registration(AlgorithmDescription description) { registration::BATFILL_INTERFACE(std::move(description)); }
};

// All registered algorithms by name, the parameters common to all appended to each one's own.
std::vector<const AlgorithmDescription*> registered_algorithms();

// The names of all registered algorithms, for error messages.
std::string known_algorithms();

// Throws UsageError that lists the known names.
const AlgorithmDescription& find_algorithm(const std::string& name);

}  // namespace batfill
