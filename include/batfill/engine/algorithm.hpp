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
#include <batfill/core/run_limits.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/engine/wait_reason.hpp>
#include <batfill/version.hpp>

namespace batfill {

class EngineCore;

// A job that ended, as the engine reports it to an algorithm.
struct Completion {
    JobIndex job;
    Time expected_end;                       // start + estimate; if it is in the future, the job ended early
    int processors;                          // number that became available
    ResourceSet hosts = {};                  // that it had, if hosts have names
    std::optional<std::size_t> window = {};  // in which it ran
    Place place() const { return {hosts, window}; }
};

// What an algorithm sees and may do during one scheduling round. Each decision is checked here before it leaves.
// Throws: DecisionError, and changes nothing, if the machine cannot do what is decided.
class Round {
 public:
    explicit Round(EngineCore& core);

    const SchedulerState& state() const;
    Time now() const { return state().now; }

    // Starts a waiting job now: on the idle processors that its placement chooses, or on `allocation`, which must be
    // idle and what the job requested. The job leaves the queue and runs at once.
    // Cost: O(queue + intervals of the idle processors).
    void start(JobIndex job);
    void start(JobIndex job, const ResourceSet& allocation);
    // As above, at a place: on its hosts, or on processors that its placement chooses; if it is booked, in this window
    // of it. Without a window, such a job starts in the first one in which it can, by the order of windows.
    // All of these refuse a start that would, by the job's walltime, run into an announced window on its processors or
    // hosts. Hosts that are not given are chosen beside such windows. Of what windows take of pools, only
    // start_if_possible() looks ahead: a pool need not be planned.
    void start(JobIndex job, const Place& place);
    // As above, with what the job takes of each of these hosts, in their order, by capacity: at least as much as its
    // request says of each. Only for an algorithm that lays out jobs (Algorithm::stated), and not for whole hosts.
    void start(JobIndex job, const Place& place, std::vector<Amount> by_host);
    // As above, if the job can start now (SchedulerState::can_start_now). Returns whether it could.
    bool start_if_possible(JobIndex job);

    // Asks to kill a running job, possibly one that starts in this round. The job runs, and holds all that it has,
    // until its end is reported. Does nothing if this was asked before.
    // Cost: O(1).
    void kill(JobIndex job);

    // Rejects a waiting job, which leaves the queue. `reason` is a predicate ("asks for ...").
    void reject(JobIndex job, std::string reason);
    // Notes since when a waiting job with conditions is eligible, for an algorithm that follows_conditions().
    void note_eligible(JobIndex job, Time since);

    // Guarantees a waiting job a latest start, for an algorithm that does not know it in guaranteed_start() yet. The
    // first promise counts; an earlier time changes nothing. In a round in which the machine changed or windows were
    // announced, a later time breaks the guarantee and replaces it. Does nothing with the placement `contiguous`, as
    // all guarantees. Requires:
    // - Algorithm::gives_guarantees(), and guaranteed_start() gives what was promised
    // - `time` is not in the past
    // Cost: O(1).
    void promise(JobIndex job, Time time);

    // Ends the guarantee of a waiting job, for good: it was due, and a pool that is not planned, or a limit, keeps it
    // from starting. Does nothing for a job without a guarantee.
    // Cost: O(1).
    void end_promise(JobIndex job);

    // Puts idle processors to sleep, or wakes sleeping ones. They are in state().falling_asleep or state().waking until
    // Batsim reports that it is done, which causes a round. An empty set does nothing.
    // Requires:
    // - the algorithm switches_processors()
    // - to sleep: all of them can sleep (Machine::can_sleep())
    // - to wake: all of them are asleep and available
    void put_to_sleep(const ResourceSet& processors);
    void wake(const ResourceSet& processors);

    // Whether somebody asks why jobs wait (Engine::explain); most often nobody does. And which of the waiting jobs they
    // ask about; some may have started in this round.
    // Cost: O(1).
    bool explains() const { return explains_; }
    std::span<const JobIndex> explained() const;
    // Says why one of them does not start in this round. The last reason of a round counts. Does nothing for other
    // jobs, and never changes a decision.
    void because(JobIndex job, Reason reason);
    // As above, in its own words: the rule, and behind a colon its numbers, as in "user above 30 %: 41 %".
    void because(JobIndex job, std::string text) {
        because(job, Reason{.rule = Reason::Rule::own_words, .text = std::move(text)});
    }
    // Says of each of explained() that still waits what `reason` gives for it, unless that has no rule.
    template <class ReasonOf>
    void explain(const ReasonOf& reason) {
        if (explains()) {
            explain_all(reason);
        }
    }
    // The job as reasons name it.
    std::string name(JobIndex job) const;

    // Sets the column `metadata` of Batsim's jobs.csv for a job that the algorithm knows or has registered. The last
    // text counts.
    // Requires: `metadata` has no double quotes.
    // Cost: O(text).
    void set_metadata(JobIndex job, std::string metadata);

    // Adds a profile, a JSON object as in a workload of Batsim 4, to a workload, which need not exist yet.
    // Requires: its name is new there; the engine is in decide().
    void register_profile(std::string workload, std::string name, std::string source);
    // Submits a job of the algorithm's own and returns its number. The engine reports the job like all others, by
    // submitted(): before this returns, or, if Batsim acknowledges registrations, after the acknowledgement.
    // Requires: the id "WORKLOAD!ID" is new; the profile exists; the engine is in decide();
    // Algorithm::registers_jobs().
    JobIndex register_job(JobDescription description);

 private:
    void explain_all(const std::function<Reason(JobIndex)>& reason);

    EngineCore& core_;
    bool explains_;
};

// Thrown by code that algorithms of a family share when an algorithm breaks one of its rules. The engine, which knows
// the names of algorithm and job, turns it into a DecisionError. `rule` says what was done and what is required.
class BrokenRule : public std::logic_error {
 public:
    BrokenRule(JobIndex job, const std::string& rule) : std::logic_error(rule), job_(job) {}
    JobIndex job() const { return job_; }

 private:
    JobIndex job_;
};

// A count that an algorithm keeps of its own decisions, for the log and PREFIX_statistics.csv.
struct Statistic {
    std::string name;
    std::uint64_t value;
};

// "name value, name value, ...", for the log.
std::string text_of(const std::vector<Statistic>& statistics);

// A scheduling algorithm. In each round the engine calls:
// 1. begin_round
// 2. withdrawn, for each job that the machine has become too small for, if such jobs are rejected, and for each waiting
//    job that has ended
// 3. machine_changed, completed or window_ended, or none of them if nothing of the kind happened; then
//    waiting_jobs_ended, if some did and the machine has not changed
// 4. predictions_expired, if expiries start rounds (RunTimePredictor) and a prediction has expired
// 5. submitted, for each new job in the order received
// 6. decide; if a start makes held jobs eligible, submitted for each of them, and decide again
// 7. end_round
//
// A round takes place when jobs were submitted or ended; when processors were lost, returned, fell asleep or woke; at
// the times that next_wake() names; when predictions expire, if that starts rounds; and at the beginning if the
// algorithm registers jobs. See docs/architecture.md.
class Algorithm {
 public:
    virtual ~Algorithm() = default;

    // ---- What the engine reports. All functions may start jobs, except begin, begin_round and end_round.

    // The machine is known; no job is.
    virtual void begin(Round&) {}

    // Jobs ended. They are no longer in state().running and hold nothing.
    virtual void completed(Round&, std::span<const Completion>) {}

    // Processors became unavailable or available. Jobs may have ended, too. state().processors remains the size of the
    // whole machine.
    virtual void machine_changed(Round&, std::span<const Completion>) {}

    // A window of the machine has ended, and no job with it. Windows also cause rounds in which nothing is called
    // before `submitted`: when one is announced (Window::announced), or begins and may change who starts.
    virtual void window_ended(Round&) {}

    // A waiting job was rejected because the remaining machine is too small for it, or it has ended without a start. It
    // has left the queue. Comes before machine_changed and waiting_jobs_ended.
    virtual void withdrawn(const SchedulerState&, JobIndex) {}

    // Waiting jobs have ended, and others may move up. decide() follows, also if nothing else has happened.
    virtual void waiting_jobs_ended(Round&) {}

    // Predictions of running jobs have expired since the last round. They are corrected.
    virtual void predictions_expired(Round&) {}

    // A job arrived. It is the newest in state().waiting; later ones of the same message are not yet there.
    virtual void submitted(Round&, JobIndex) {}

    // Starts the jobs that are to start.
    virtual void decide(Round& round) = 0;

    // A decision of this algorithm has just started a job: it has left the queue and runs.
    virtual void started(const SchedulerState&, JobIndex) {}

    // For code that a family of algorithms shares: called before and after everything else in a round.
    virtual void begin_round(const SchedulerState&) {}
    virtual void end_round(const SchedulerState&) {}

    // ---- What the engine asks.

    // Whether it needs to know how long jobs would run (SchedulerState::run_times). Only a simulator knows; the daemon
    // refuses such an algorithm.
    virtual bool needs_run_times() const { return false; }
    // Whether its estimates (SchedulerState::estimate) are run times. Only together with needs_run_times(), and without
    // a prediction.
    virtual bool estimates_are_run_times() const { return false; }

    // Whether it may still register jobs (Round::register_job); asked often. Such an algorithm has its first round when
    // the simulation begins, and Batsim continues until the answer is no. Not together with needs_run_times().
    virtual bool registers_jobs() const { return false; }

    // Whether it registers jobs with profiles that ended jobs may have had. Batsim must allow this.
    virtual bool reuses_profiles() const { return false; }

    // Whether killing jobs (Round::kill) is part of it. Never changes.
    virtual bool kills_jobs() const { return false; }

    // Whether it understands machines on which more decides who may start than a number of processors: those with
    // pools, capacities, partitions, windows or limits (not Machine::is_plain()). On others nobody asks. The engine
    // refuses an algorithm that does not understand its machine. Never changes.
    virtual bool understands_resources() const { return false; }

    // Whether the state keeps for it from now on what is free later (SchedulerState::later). Asked on machines that are
    // not plain, before begin(), and when a pool becomes scarce (SchedulerState::scarce_pools), until it says yes. If
    // somebody asks why jobs wait, all pools are scarce from the beginning.
    virtual bool looks_ahead(const SchedulerState&) const { return false; }

    // What a job states besides its number of hosts in the eyes of this algorithm, if that is not what its description
    // says. If it lays out the job itself (Round::start), then this has the least of each host.
    virtual std::optional<StatedNeeds> stated(const JobDescription&) const { return std::nullopt; }

    // Whether it looks itself at the conditions of jobs (StatedNeeds::has_conditions()), so that the engine submits
    // all jobs at once. It says when they are eligible (Round::note_eligible). It may decide by whole seconds: then a
    // walltime may reach into a window by less than one, so the engine leaves windows that are still to come to it.
    // Never changes.
    virtual bool follows_conditions() const { return false; }

    // The walltime that it assumes for a job that has none, which then runs at most so long. None: such a job is
    // rejected, unless there is a default-walltime.
    virtual std::optional<Duration> assumed_walltime(const JobDescription&) const { return std::nullopt; }

    // How long jobs hold what they have, if it launches them and looks at their limits itself. Then a job may outlive
    // its walltime. Only a simulator does so; the daemon refuses such an algorithm, as Batsim stops jobs. Never
    // changes.
    virtual RunLimits run_limits() const { return {}; }

    // A job was rejected at its submission. For an algorithm that follows_conditions().
    virtual void rejected(const SchedulerState&, JobIndex) {}

    // Whether it may put processors to sleep (Round::put_to_sleep). Never changes.
    virtual bool switches_processors() const { return false; }

    // Why this job can never run under this algorithm, as a predicate ("asks for ..."); empty if it can. The engine has
    // already refused jobs that are too large for the machine, or whose walltime is missing or 0.
    virtual std::optional<std::string> refuse(const JobDescription&) const { return std::nullopt; }

    // The engine calls this before it takes the first job that has conditions (StatedNeeds::has_conditions()). Rounds
    // may then call decide() more than once: again after starts that make other jobs eligible. Throws: UsageError,
    // which names a parameter with which the algorithm does not work so.
    virtual void require_dependencies() const {}

    // The same algorithm in the same state, which goes on by itself, for rounds that only answer a question. None: it
    // cannot be copied, and the whole process is copied for each question. In the copy of a state, the jobs of the
    // original stay where they are.
    virtual std::unique_ptr<Algorithm> copy() const { return nullptr; }

    // The guaranteed_start() of this job if it were submitted at `now`, at or after the last round, and no other job.
    // Nothing changes. None: only a round can tell.
    virtual std::optional<Time> start_in_plan(const Job& /*job*/, Time /*now*/) const { return std::nullopt; }

    // Whether it guarantees jobs a latest start. PREFIX_guarantees.csv then lists the answers of guaranteed_start(),
    // and the audit (`batfill check --guarantees`) checks that the algorithm keeps them.
    virtual bool gives_guarantees() const { return false; }

    // The latest start that it guarantees a job; none if it guarantees nothing. The engine asks just after submitted().
    // At the end of a round in which the machine changed or windows were announced, it asks again for each waiting job
    // with a guarantee: a later answer breaks the job's guarantee and replaces it.
    virtual std::optional<Time> guaranteed_start(const SchedulerState&, JobIndex) const { return std::nullopt; }

    // The first time after `after` at which it wants a round even if nothing happens; Time::infinity() if there is
    // none. The engine asks Batsim for a call at that time, unless a running job is expected to end just then.
    // Cost: should be O(1), because it is called often.
    virtual Time next_wake(Time /*after*/) const { return Time::infinity(); }

    // Its counts so far, in the order in which they are shown. docs/algorithms.md describes them.
    virtual std::vector<Statistic> statistics() const { return {}; }
};

// What is known of an algorithm by its name.
struct AlgorithmDescription {
    std::string name;
    std::string summary;  // one line
    std::string paper;    // where the algorithm is defined
    std::vector<Parameter> parameters;
    std::function<std::unique_ptr<Algorithm>(const Parameters&)> make;
    // The values of the parameter `placement` that it supports, at least one, the default first. An algorithm that
    // supports Placement::machine asks before each start whether the job can start (Round::start_if_possible,
    // Reservation): enough idle processors do not guarantee it. Placement::snug and fullest only make a difference to
    // an algorithm that understands_resources().
    std::vector<Placement> placements{Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous,
                                      Placement::snug, Placement::fullest};
    // Fields of jobs that only it reads.
    std::vector<std::string> own_fields = {};
    // What it does not know: the parameter walltime-margin, external events such as lost processors, and WRENCH.
    bool has_walltime_margin = true;
    bool takes_event_files = true;
    bool serves_wrench = true;
    // What to tell somebody who has chosen these parameters: a sentence without a full stop. Empty: nothing.
    std::function<std::string(const Parameters&)> note = [](const Parameters&) { return std::string(); };
};

// Appends the parameters that all algorithms have: default-walltime, walltime-margin, placement, on-failure,
// when-too-small. Registration calls it. Only code that makes an Engine from an unregistered description needs it.
// Throws: std::logic_error (a bug) if the description has no placement.
AlgorithmDescription with_common_parameters(AlgorithmDescription description);

// How a Registration reaches the library. The function's name contains the version of the interface, so the linker
// refuses a plugin for another version before any of its code runs.
namespace registration {
void BATFILL_INTERFACE(AlgorithmDescription description);
}

// Registers an algorithm. An algorithm needs one static object of this type, in a file of schedulers/ or of a plugin
// (plugin.hpp). Two algorithms of the same name are a bug: the program ends when it starts.
class Registration {
 public:
    explicit Registration(AlgorithmDescription description) { registration::BATFILL_INTERFACE(std::move(description)); }
};

// All registered algorithms by name. Each has its own parameters, followed by the common ones.
std::vector<const AlgorithmDescription*> registered_algorithms();

// The names of all registered algorithms, for error messages.
std::string known_algorithms();

// The registered algorithm of this name.
// Throws: UsageError, which lists the known names, if there is none.
const AlgorithmDescription& find_algorithm(const std::string& name);

// Loads a plugin, a shared object with algorithms, and returns their names. The algorithms register themselves as those
// of the library do (algorithm.hpp) and are then known by name like these. The plugin stays loaded until the process
// ends.
//
// Requires: no other thread uses algorithms during the call.
// Throws: InputError, which names the file, and changes nothing, if the file
// - does not exist, is incomplete, or is not a shared object
// - was built for another version of the interface (checked before its code runs)
// - has undefined symbols
// - is already loaded
// - registers no algorithm, or one whose name is taken
std::vector<std::string> load_plugin(const std::string& path);

}  // namespace batfill
