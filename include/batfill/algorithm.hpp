#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/job.hpp>
#include <batfill/parameters.hpp>
#include <batfill/resource_set.hpp>
#include <batfill/state.hpp>
#include <batfill/time.hpp>

namespace batfill {

class Engine;

// A job that ended, as an algorithm hears of it.
struct Completion {
    JobIndex job;
    Time expected_end;  // start + walltime; the end was early if it is still to come
    int processors;     // that its end made available
};

// What an algorithm sees and may do during one scheduling round. Every decision is checked here before it leaves: it
// throws DecisionError, and nothing is changed, if the machine cannot do it.
class Round {
 public:
    explicit Round(Engine& engine) : engine_(engine) {}

    const SchedulerState& state() const;
    Time now() const { return state().now; }
    // The plan and the list of tentative jobs belong to the state; the plan family writes them. A job that starts
    // leaves the list by itself.
    Plan& plan();
    std::vector<JobIndex>& tentative();

    // Starts a waiting job now on its number of the lowest idle processors, or on `allocation`, which must be idle and
    // of that number. It leaves the queue and is running at once. O(queue + intervals of the idle processors).
    void start(JobIndex job);
    void start(JobIndex job, const ResourceSet& allocation);

    // Asks for a round at `time`, which must be in the future. Asking twice for one instant sends one call.
    void call_at(Time time);

 private:
    Engine& engine_;
};

// Something that an algorithm counts of its own decisions, for the log and PREFIX_statistics.csv.
struct Statistic {
    std::string name;
    std::uint64_t value;
};

// "name value, name value, ...", for the log.
std::string text_of(const std::vector<Statistic>& statistics);

// A scheduling algorithm. The engine calls, in each round: machine_changed or completed (not both; neither if nothing
// of the kind happened), submitted for each new job in the order received, then decide. See docs/architecture.md.
class Algorithm {
 public:
    virtual ~Algorithm() = default;

    // The machine is known, no job is.
    virtual void begin(Round&) {}

    // Why this job can never run under this algorithm, as a predicate ("asks for ..."), or nothing. The engine has
    // already refused jobs that are wider than the machine or lack a walltime.
    virtual std::optional<std::string> refuse(const JobDescription&) const { return std::nullopt; }

    // Processors became unavailable or available; state().processors stays the whole machine. Jobs may have ended too.
    virtual void machine_changed(Round&, std::span<const Completion>) {}

    // Jobs ended; they are out of the state.
    virtual void completed(Round&, std::span<const Completion>) {}

    // A job arrived; it is the newest in state().waiting, and later ones of the same message are not there yet.
    virtual void submitted(Round&, JobIndex) {}

    // Start what is to start.
    virtual void decide(Round& round) = 0;

    // Whether a job is in the plan, or runs, once it was submitted, and its place there is a promise unless it is
    // tentative. The plan family does this.
    virtual bool gives_guarantees() const { return false; }

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
};

// Registers an algorithm; one static object of this type in a file of schedulers/ is all that an algorithm needs.
class Registration {
 public:
    explicit Registration(AlgorithmDescription description);
};

// All registered algorithms by name, the parameters common to all appended to each one's own.
std::vector<const AlgorithmDescription*> registered_algorithms();

// The names of all registered algorithms, for error messages.
std::string known_algorithms();

// Throws UsageError that lists the known names.
const AlgorithmDescription& find_algorithm(const std::string& name);

}  // namespace batfill
