#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/resource_use.hpp"
#include "src/analysis/steps.hpp"

// The data of a report's figures, computed exactly from the finished jobs of a run. Nothing depends on the order of the
// jobs.
namespace batfill::report {

using analysis::FinishedJobs;
using analysis::Step;
using analysis::steps_of;

// The time from the first submission or start of a job to the last finish; from 0 to 0 if there are no jobs.
// Cost: O(n).
struct TimeSpan {
    Time first;
    Time last;
};
TimeSpan span_of(const FinishedJobs& jobs);

// The state between two instants.
struct Period {
    Time from;
    Time until;
    double mean_busy = 0;
    double mean_waiting = 0;
    long long max_waiting = 0;
};

// Divides the time from `from` to `until` into `count` periods as equal as whole microseconds allow. None if that takes
// no time.
// Requires: `steps` come from steps_of(), and count > 0.
// Cost: O(steps + count).
std::vector<Period> periods_of(const std::vector<Step>& steps, Time from, Time until, std::size_t count);

// The means over the same periods of what jobs take, or windows.
// Requires: `steps` are in the order of time, and count > 0.
// Cost: O(steps + count).
std::vector<double> means_of(const std::vector<analysis::UseStep>& steps, Time from, Time until, std::size_t count);

// A point of an empirical cumulative distribution function: this share of the values is at most `value`.
struct DistributionPoint {
    double value;
    double share;
    friend bool operator==(const DistributionPoint&, const DistributionPoint&) = default;
};

// Returns the distribution of `values` in increasing order, one point for each distinct value. If there are more than
// `max_points`, returns some, evenly spread by rank, among them the first and the last.
// Requires: max_points >= 2.
// Cost: O(n log n).
std::vector<DistributionPoint> distribution_of(std::vector<double> values, std::size_t max_points);

// Returns the smallest value that at least this share of the values does not exceed. None if there are no values.
// Requires: increasing values, and 0 < share <= 1.
// Cost: O(1).
std::optional<double> quantile(const std::vector<double>& values, double share);

// A group of jobs by its name.
struct GroupSummary {
    std::string name;
    GroupMetrics metrics;
};

// The jobs by class of width and class of their longest run time.
// Requires: all of them have been added to `longest`.
using JobClass = std::pair<std::size_t, std::size_t>;
JobClass class_of(const FinishedJob& job, const analysis::LongestRuns& longest);
using JobClasses = std::map<JobClass, FinishedJobs>;
JobClasses classes_of(const FinishedJobs& jobs, const analysis::LongestRuns& longest);

// Groups the jobs by the name that `name_of` gives them. Groups with the most processor time come first, then by name.
// Calls `name_of` once for each job. `for_limits` as in analysis::measure_group().
std::vector<GroupSummary> groups_of(const FinishedJobs& jobs, Duration tau,
                                    const std::function<std::string(const FinishedJob&)>& name_of,
                                    const analysis::WaitsForLimits* for_limits = nullptr);

}  // namespace batfill::report
