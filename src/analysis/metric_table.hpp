#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/steps.hpp"

// The table of all metrics: the only place that defines their names and computations.
namespace batfill::analysis {

// The finished jobs of a run, split by whether the workload gives them a deadline.
struct JobsByDeadline {
    FinishedJobs driven;          // the jobs that have a deadline
    std::vector<Time> deadlines;  // the deadlines of these jobs, in the same order
    FinishedJobs regular;         // the jobs that have none and count in the metrics of regular jobs
    std::size_t regular_left_out = 0;
};

// The input of the metrics of one run. Metrics whose goal is the minimum need only the first two members.
struct MetricInput {
    MetricsOptions options;
    const FinishedJobs& finished;
    const MeasuredSchedule* schedule = nullptr;  // the schedule of these jobs
    OverTime over_time{};
    std::optional<JobsByDeadline> by_deadline{};  // none: no workload was given
    const FinishedJobs* baseline = nullptr;       // jobs of the run to compare with; null: no baseline
    std::vector<std::size_t> licenses{};          // for each job, how many licences it holds a copy of; empty: unknown
    // The finished jobs of each user; empty: no workload names any.
    std::map<std::string_view, FinishedJobs> by_user{};
    std::optional<WaitsForLimits> waits_for_limits{};  // none: no workload was given, or the machine has no limits
};

enum class Unit {
    count,
    seconds,
    ratio,
    share,  // a fraction of 1, shown to people as a percentage
};

enum class Goal {
    none,
    minimum,  // less is better, and needs only finished jobs: `compare` and `tune` take it
    less,     // less is better
    more,     // more is better
};

struct Metric {
    const char* name;     // in csv, json and options
    const char* title;    // in tables for people
    const char* meaning;  // in a sentence, for readers of a report
    Unit unit;
    // A statistic of the finished jobs, or else a function.
    std::variant<JobStatistic, std::optional<double> (*)(const MetricInput& run)> definition;
    Goal goal = Goal::none;

    // The value of a run; none if no job counts for it.
    std::optional<double> compute(const MetricInput& run) const;
};

// Returns a value as the table of metrics shows it: rounded, a share as a percentage, "-" if there is none.
std::string for_people(std::optional<double> value, Unit unit);

// All metrics, in display order.
std::span<const Metric> all_metrics();

// A metric of a table: one of all_metrics(), or that of a pool or a capacity.
struct ShownMetric {
    std::size_t place = 0;  // in Metrics::values()
    std::string name;
    std::string title;
    std::string meaning;
    Unit unit = Unit::share;
    Goal goal = Goal::more;
    // Whether it tells something only where some job has a deadline. Metrics of regular jobs, which have none, are the
    // same as those of all jobs elsewhere.
    bool is_of_deadlines = false;

    std::optional<double> of(const Metrics& run) const { return run.values()[place]; }
};

// The metrics with these names, in the order of the names; those of all metrics if there are no names. All runs of a
// table have the resources of `run`. Among chosen metrics an indented title, which is a part of the entry above, gives
// way to the name.
// Throws: UsageError, which lists the known names, for an unknown one.
std::vector<ShownMetric> shown_metrics(const std::vector<std::string>& names, const Metrics& run);

// The part of the interval of a metric's value that is possible: nothing is below 0, a slowdown or stretch is not below
// 1, and a utilisation is not above 1, unless the value itself is.
std::optional<Interval> possible_part(std::optional<Interval> interval, std::string_view metric, double value);

// Returns the metric with this name; null if it does not exist.
const Metric* find_metric(std::string_view name);

}  // namespace batfill::analysis
