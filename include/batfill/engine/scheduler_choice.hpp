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
    SchedulerChoice(const std::string& algorithm, const Parameters::Given& given = {});  // NOLINT(*explicit*)
    // An algorithm that need not be registered. Throws: as above.
    // Requires: it has the common parameters.
    SchedulerChoice(std::shared_ptr<const AlgorithmDescription> description, const Parameters::Given& given);
    // This choice, with other values of some parameters. Throws: as above.
    SchedulerChoice with(const Parameters::Given& changes) const;

    const AlgorithmDescription& description() const { return *description_; }
    const std::string& algorithm() const { return description_->name; }
    const Parameters& parameters() const { return parameters_; }
    const CommonParameters& common() const { return common_; }

    // Whether the scheduler needs the run times of jobs, gives guarantees, and submits jobs of the algorithm's own; and
    // its Algorithm::run_limits().
    bool needs_run_times() const { return needs_run_times_; }
    bool gives_guarantees() const { return gives_guarantees_; }
    bool submits_jobs() const { return submits_jobs_; }
    const RunLimits& run_limits() const { return run_limits_; }

    // A new algorithm. Throws: as the constructor.
    std::unique_ptr<Algorithm> make_algorithm() const;

 private:
    std::shared_ptr<const AlgorithmDescription> description_;
    Parameters parameters_;
    CommonParameters common_;
    bool needs_run_times_;
    bool gives_guarantees_;
    bool submits_jobs_;
    RunLimits run_limits_;
};

}  // namespace batfill
