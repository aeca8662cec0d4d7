#pragma once

#include <memory>
#include <optional>
#include <string>

#include <batfill/core/machine.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>

namespace batfill {

// What happens to running jobs that lose a processor.
enum class OnFailure { proceed, requeue, kill };

// The values of the parameters that all algorithms have (with_common_parameters).
struct CommonParameters {
    // Throws: UsageError for a default walltime of 0.
    explicit CommonParameters(const Parameters& parameters);

    std::optional<Duration> default_walltime;  // none: jobs without a walltime are rejected
    Duration walltime_margin;
    Placement placement;
    OnFailure on_failure;
    bool rejects_too_small;  // jobs that no longer fit on the machine; otherwise they wait
};

// A scheduler as users write it. The algorithm may be left open, and nothing is checked yet.
struct WrittenScheduler {
    std::string algorithm;  // empty: left open
    Parameters::Given parameters;
    std::string problem = {};  // why a non-empty configuration chooses nothing; else empty
    // An algorithm that is not registered, with the common parameters, and with `algorithm` as its name. Null: the
    // registered one of this name.
    std::shared_ptr<const AlgorithmDescription> own = {};
};

// Which algorithm to run, with which parameters. It is checked when it is made and never changes.
//
//     run(scenario, {"easy", {{"order", "saf"}}});
class SchedulerChoice {
 public:
    // The registered algorithm of this name. The last of several values for one parameter counts. Makes the algorithm
    // once, as its constructor may refuse values, and asks it what the choice says below.
    // Throws:
    // - UsageError for an unknown algorithm or parameter, and for values that are not allowed or do not go together
    // - DecisionError for an algorithm that cannot be made
    SchedulerChoice(const std::string& algorithm, const Parameters::Given& given = {});
    // An algorithm that need not be registered. Throws: as above.
    // Requires: it has the common parameters.
    SchedulerChoice(std::shared_ptr<const AlgorithmDescription> description, const Parameters::Given& given);
    // What was written. Throws: as above, also if the algorithm is left open.
    explicit SchedulerChoice(const WrittenScheduler& written);

    const AlgorithmDescription& description() const { return *description_; }
    const std::string& algorithm() const { return description_->name; }
    const Parameters& parameters() const { return parameters_; }
    const CommonParameters& common() const { return common_; }

    // Whether the scheduler needs the run times of jobs, gives guarantees, and submits jobs of the algorithm's own.
    bool needs_run_times() const { return needs_run_times_; }
    bool gives_guarantees() const { return gives_guarantees_; }
    bool submits_jobs() const { return submits_jobs_; }

    // A new algorithm. Throws: as the constructor.
    std::unique_ptr<Algorithm> make_algorithm() const;

 private:
    std::shared_ptr<const AlgorithmDescription> description_;
    Parameters parameters_;
    CommonParameters common_;
    bool needs_run_times_;
    bool gives_guarantees_;
    bool submits_jobs_;
};

// Reads a scheduler as users write it: NAME[,KEY=VALUE]... A piece without '=' belongs to the value before it:
// "easy,order=mixed,weights=1,0,0,0,0,0".
// Throws: UsageError for a piece without '=' behind the name.
WrittenScheduler parse_scheduler(const std::string& text);

// Adds parameters to those written with the algorithm. `where` says where the user wrote the new ones.
// Throws: UsageError for a parameter that is there already.
void add_parameters(WrittenScheduler& scheduler, const Parameters::Given& more, const std::string& where);

// The scheduler in Batsim's --sched-cfg, such as {"algorithm": "easy", "params": {"threshold": 200000}}. One of the two
// members is enough. "algorithm" is a scheduler as above. The values of "params" are strings, numbers, booleans or
// arrays of numbers. A text without both members is for other schedulers and chooses nothing.
// Throws: UsageError if
// - there is a third member, or one of the two has another type
// - a name or value does not fit into one line
// - a parameter comes twice
WrittenScheduler parse_scheduler_configuration(const std::string& configuration);

// The choice that both make: the configuration decides what the command line leaves open. Its parameters count only if
// the command line does not name another algorithm. `how` tells the user where to name an algorithm.
// Throws: UsageError if neither names one; as the constructor of SchedulerChoice.
SchedulerChoice combine(const WrittenScheduler& command_line, const WrittenScheduler& configuration,
                        const std::string& how);

}  // namespace batfill
