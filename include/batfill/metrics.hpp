#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <batfill/schedule.hpp>
#include <batfill/time.hpp>
#include <batfill/workload.hpp>

namespace batfill {

struct MetricsOptions {
    Duration tau = Duration::seconds(10);         // bound of the bounded slowdown; positive
    std::optional<int> processors;                // of the machine, positive; without it there is no utilisation
    Duration short_deadline = Duration::days(1);  // longest time to the deadline of a short job
};

// What the metrics look at in a job that ran and came to an end, however it ended.
struct FinishedJob {
    std::string_view id;
    Time submit;
    int processors = 0;                // requested
    std::optional<Duration> walltime;  // none: the job has none
    Time start;
    Duration run;
    Time finish;
    int allocated = 0;  // processors that it ran on
};

// Jobs by their full id ("w0!17"); the texts are those of the jobs that they were taken from.
using JobIds = std::unordered_set<std::string_view>;

// The jobs that finished after a wait in at least one of `schedules`, which must outlive the result.
JobIds jobs_that_waited(const std::vector<Schedule>& schedules);

// What needs the deadlines of the workload; of finished jobs. Short: whose deadline is at most
// MetricsOptions::short_deadline after the submission; long: all others that have one.
struct DeadlineMetrics {
    std::size_t jobs = 0;  // that have a deadline
    std::size_t jobs_short = 0;
    std::size_t jobs_started_at_once = 0;
    std::size_t violations = 0;  // completed after the deadline
    std::size_t violations_short = 0;
    std::size_t violations_long = 0;
    std::optional<double> mean_usage;
    std::optional<double> mean_usage_delayed;  // without the jobs that started at once
    std::optional<double> share_usage_above_80_percent;
    std::optional<double> mean_wait;
    std::optional<double> mean_stretch;
    std::optional<double> max_stretch;
    std::size_t regular_jobs = 0;  // that have no deadline and count
    std::size_t regular_jobs_left_out = 0;
    std::optional<double> mean_wait_regular;
    std::optional<double> mean_stretch_regular;
    std::optional<double> max_stretch_regular;
};

// By how much the waits of a run are shorter than those of another, its baseline, as a fraction of the baseline's:
// 0.2 for 80 s instead of 100 s, negative if they are longer. A value is missing where the baseline's is 0.
struct WaitImprovement {
    std::optional<double> mean_wait;
    std::optional<double> mean_wait_worst_5_percent;
    std::optional<double> mean_wait_worst_1_percent;
    std::optional<double> mean_wait_widest_10_percent;
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
    std::optional<DeadlineMetrics> deadlines;    // none: no workload was given
    std::optional<WaitImprovement> improvement;  // none: no baseline was given
};

// Computes the metrics of a schedule; the result does not depend on the order of its jobs. `workloads`, if not empty,
// give the deadlines. Regular jobs count in the metrics of regular jobs if they are among `counted_regular`, or if it
// is null. Throws InputError if a job of the schedule is in none of the workloads. O(n log n).
Metrics compute_metrics(const Schedule& schedule, const MetricsOptions& options,
                        const std::vector<Workload>& workloads = {}, const JobIds* counted_regular = nullptr);

// Compares the waits of a run with those of its baseline.
WaitImprovement improvement_over(const Metrics& baseline, const Metrics& run);

// Throws InputError naming a job if not the same jobs finished in both runs: then their waits cannot be compared.
// O(number of jobs).
void require_same_finished_jobs(const Schedule& baseline, const Schedule& run);

// Writes the csv file `path`, whole or not at all, with a line for every job that finished in all of `schedules`, in
// the order of the workloads: its id, its kind, whether it counts as in compute_metrics(), and its wait and stretch in
// each of the schedules, which have the names `labels`. Throws InputError if the file cannot be written. O(number of
// jobs * number of schedules).
void write_compared_jobs(const std::string& path, const std::vector<std::string>& labels,
                         const std::vector<Schedule>& schedules, const std::vector<Workload>& workloads,
                         const JobIds* counted_regular);

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
