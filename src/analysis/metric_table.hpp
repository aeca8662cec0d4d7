#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

// The places in all_metrics() of the metrics with these names, in the order of the names; those of all metrics if there
// are no names.
// Requires: the names exist.
std::vector<std::size_t> places_of(const std::vector<std::string>& names);

// The title of a metric in a table with chosen metrics, where the entry above is another one than in the whole table:
// its name in place of an indented title.
const char* chosen_title(const Metric& metric);

// Whether the metric tells something only where some job has a deadline. Those of regular jobs, which have none, are
// the same as those of all jobs elsewhere.
bool is_of_deadlines(const Metric& metric);

// Returns the metric with this name; null if it does not exist.
const Metric* find_metric(std::string_view name);

}  // namespace batfill::analysis
