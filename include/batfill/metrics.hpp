#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <batfill/schedule.hpp>
#include <batfill/time.hpp>
#include <batfill/workload.hpp>

namespace batfill {

struct MetricsOptions {
    Duration tau = Duration::seconds(10);  // bound of the bounded slowdown; positive
    std::optional<int> processors;         // of the machine, positive; without it there is no utilisation
};

// What needs the deadlines of the workload.
struct DeadlineMetrics {
    std::size_t jobs = 0;        // finished jobs that have a deadline
    std::size_t violations = 0;  // of these, finished after it
    std::optional<double> mean_usage;
    std::optional<double> mean_wait_regular;  // regular: finished jobs without a deadline
    std::optional<double> mean_stretch_regular;
    std::optional<double> max_stretch_regular;
};

// The metrics of one run, defined one by one in docs/metrics.md. Times are in seconds. A value is missing where no job
// counts for it. Means are over the finished jobs.
struct Metrics {
    std::size_t jobs = 0;
    std::size_t finished = 0;
    std::size_t rejected = 0;
    std::size_t unfinished = 0;
    std::size_t walltime_reached = 0;
    std::size_t killed = 0;
    std::size_t failed = 0;
    std::optional<double> mean_wait;
    std::optional<double> max_wait;
    std::optional<double> mean_wait_worst_5_percent;
    std::optional<double> mean_wait_worst_1_percent;
    std::optional<double> mean_wait_widest_10_percent;
    std::optional<double> mean_stretch;
    std::optional<double> max_stretch;
    std::optional<double> mean_slowdown;
    std::optional<double> mean_bounded_slowdown;
    std::optional<double> utilisation;  // of 1
    std::optional<double> makespan;
    std::optional<DeadlineMetrics> deadlines;  // none: no workload was given
};

// Computes the metrics of a schedule; the result does not depend on the order of its jobs. `workloads`, if not empty,
// give the deadlines. Throws InputError if a job of the schedule is in none of them. O(n log n).
Metrics compute_metrics(const Schedule& schedule, const MetricsOptions& options,
                        const std::vector<Workload>& workloads = {});

struct RunMetrics {
    std::string label;
    Metrics metrics;
};

enum class MetricsFormat {
    table,  // for people: a metric per line, a run per column, rounded; metrics that no run has are left out
    csv,    // a run per line, every metric a column, full precision, empty where missing
    json,   // an array with an object per run, full precision, null where missing
};

void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format);

}  // namespace batfill
