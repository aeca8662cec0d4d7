#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>

// How much a mean or another statistic would vary with other workloads, or with other weeks of a log. The one place
// that computes confidence intervals; docs/metrics.md describes the method, and measures how often it errs.
namespace batfill {

struct Interval {
    double low;
    double high;

    bool contains(double value) const { return low <= value && value <= high; }
};

// What the values of a mean are values of.
enum class Sample {
    workloads,  // drawn independently of each other
    weeks,      // consecutive weeks, or other periods, of a log: a week inherits the queue of the last one
};

// With fewer values there is no interval.
inline constexpr std::size_t fewest_workloads = 5;
inline constexpr std::size_t fewest_weeks = 20;
// Of statistics of less than a tenth of the jobs, such as a 99th percentile.
inline constexpr std::size_t fewest_weeks_of_tails = 50;
constexpr std::size_t fewest_of(Sample sample) {
    return sample == Sample::workloads ? fewest_workloads : fewest_weeks;
}

// The 95 % confidence interval of the mean of these values, which are in the order of time if they are of weeks. Errs
// in at most 5 % of the cases if their distribution is symmetric, and not in many more if it is skew.
// - Workloads: Student's t.
// - Weeks: Student's t, on the cosine estimate of the long-run variance (E. Lazarus, D. J. Lewis, J. H. Stock and
//   M. W. Watson, "HAR inference: recommendations for practice", Journal of Business and Economic Statistics 36(4),
//   2018), with 0.6 n^(2/3) degrees of freedom. They recommend 0.41, for series that depend on each other more than
//   waits of weeks do; 0.6 finds more.
// Each bound is moved to that of a t whose skewness is removed, if that is further out, and for workloads half way to
// it, if it is further in (P. Hall, "On the removal of skewness by transformation", Journal of the Royal Statistical
// Society B 54(1), 1992). Skewness needs some room even so: intervals of normal distributions err in 4 % of the cases
// for weeks, and in 3 % for workloads; of fewer than eleven workloads, in 0.48 % for each above four. `comparisons`:
// the interval is one of so many that hold together, by Bonferroni. None for fewer values than fewest_of(sample). The
// mean alone, if all values are equal. Requires: comparisons > 0. Cost: O(n), of weeks O(n^(5/3)).
std::optional<Interval> interval_of_mean(const std::vector<double>& values, Sample sample, std::size_t comparisons = 1);

// The workloads that values are of: some are replicates of others, and weeks of a log may be workloads.
struct WorkloadGroups {
    std::vector<std::size_t> numbers;  // of the group of each workload, from 0
    Sample sample = Sample::workloads;
};

// A mean over workloads. Each group of replicates counts with the mean of its values.
struct GroupedMean {
    std::size_t values = 0;  // that are known
    std::optional<double> mean;
    std::optional<Interval> interval;  // over the groups, as interval_of_mean()
};
// `comparisons` is as in interval_of_mean().
// Requires: as many values as workloads.
GroupedMean mean_over_groups(const std::vector<std::optional<double>>& values, const WorkloadGroups& groups,
                             std::size_t comparisons = 1);

// Why tables over these workloads have no intervals, as the end of a sentence. Empty if they have some.
std::string reason_for_no_intervals(const WorkloadGroups& groups);

// A metric, its 95 % confidence interval, and its difference from the baseline's metric.
struct MetricInterval {
    std::string metric;     // a mean over jobs, a percentile, or a mean of the worst or widest jobs
    std::size_t weeks = 0;  // number of weeks in which jobs were submitted
    std::optional<double> value;
    std::optional<Interval> interval;
    std::optional<double> difference;
    std::optional<Interval> difference_interval;  // paired: of the same weeks of both runs
};

// The intervals of these metrics, as docs/metrics.md defines them. A value is missing if no job finished or no baseline
// is given (null). An interval is also missing if there are too few weeks for the metric. The result does not depend on
// the order of the jobs.
// Throws: InputError, which names a job, if the same jobs did not finish in the baseline.
// Cost: O(n log n), and O(n * weeks) for the metrics that are not means.
std::vector<MetricInterval> measure_intervals(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                              const MeasuredSchedule* baseline = nullptr);

struct RunIntervals {
    std::string label;
    std::vector<MetricInterval> intervals;  // of measure_intervals()
};

// Writes a line, or object, for every metric of every run, in any format.
void write_intervals(std::ostream& out, const std::vector<RunIntervals>& runs, MetricsFormat format);

}  // namespace batfill
