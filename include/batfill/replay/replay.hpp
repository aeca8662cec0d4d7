#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/replay/outcome.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill {

namespace analysis {
struct Metric;
}

// A metric of docs/metrics.md for which less is better. Its name is that in the csv of `batfill metrics`.
class ReplayMetric {
 public:
    // `tau` is the bound of the bounded slowdown.
    // Requires: tau > 0.
    // Throws: UsageError, which lists the known names, if `name` is not one of them.
    explicit ReplayMetric(const std::string& name, Duration tau = default_tau);

    static std::vector<std::string> known_names();

    const std::string& name() const { return name_; }
    // The value over `jobs`, in any order; none if no job counts for it.
    // Cost: O(n log n).
    std::optional<double> value(const std::vector<FinishedJob>& jobs) const;
    // As above, over the jobs that a run finished.
    std::optional<double> value(const Outcome& outcome) const;

 private:
    const analysis::Metric* metric_;
    std::string name_;
    Duration tau_;
};

// Replays one scenario in this process, without files, any number of times. Prepares once what does not depend on the
// scheduler. Several threads may call const members at once; their results do not depend on each other.
class Replay {
 public:
    // Throws: InputError, which names the job, for a job that cannot be simulated (its profile communicates).
    explicit Replay(Scenario scenario);
    // A workload on a machine that does not change.
    Replay(Platform platform, Workload workload);

    // As run() of the scenario. The outcome may outlive this object.
    Outcome run(const SchedulerChoice& scheduler, const RunOptions& options = {}) const;

    // Returns the metric of the schedule, bit for bit as `batfill metrics` computes it, and computes no other. No value
    // if no job counts for it, for instance because there are no jobs.
    // Throws: as run(); UsageError if the algorithm submits jobs of its own; InputError, which names a job that the
    // scheduler rejects. Values over different jobs must not be compared.
    std::optional<double> measure(const SchedulerChoice& scheduler, const ReplayMetric& metric,
                                  const RunOptions& options = {}) const;

    // All metrics of the schedule, as compute_metrics() gives them with the scenario's workloads.
    // Throws: as measure().
    Metrics measure_all(const SchedulerChoice& scheduler, const MetricsOptions& metrics,
                        const RunOptions& options = {}) const;

    // A run of the workload's jobs only.
    // Throws: as run(); UsageError if the algorithm submits jobs of its own.
    Outcome run_of_workload(const SchedulerChoice& scheduler, const RunOptions& options = {}) const;
    // A run whose values may be compared with those of others: as above, and no job is rejected.
    // Throws: as measure().
    Outcome run_to_compare(const SchedulerChoice& scheduler, const RunOptions& options = {}) const;

    const Scenario& scenario() const { return *scenario_; }
    const Machine& machine() const { return machine_; }

 private:
    std::shared_ptr<const Scenario> scenario_;
    Simulator simulator_;  // has not run: each run is of a copy
    Machine machine_;
};

}  // namespace batfill
