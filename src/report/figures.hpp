#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>

#include "src/analysis/job_groups.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/analysis/steps.hpp"

// What the figures of a report show, computed exactly from the finished jobs of a run. Nothing depends on the order of
// the jobs.
namespace batfill::report {

using analysis::FinishedJobs;
using analysis::Step;
using analysis::steps_of;

// One more than the highest number of a processor that a job had; 1 if none had any. O(n).
int processors_used(const Schedule& schedule);

// From the first submission or start to the last finish of any run; from 0 to 0 if there are no jobs. O(n).
struct TimeSpan {
    Time first;
    Time last;
};
TimeSpan span_of(const std::vector<FinishedJobs>& runs);

// What is between two instants.
struct Period {
    Time from;
    Time until;
    double mean_busy = 0;
    double mean_waiting = 0;
    long long max_waiting = 0;
};

// The time from `from` to `until` in `count` periods as equal as whole microseconds allow; none if that takes no time.
// Requires the steps of steps_of(), and count > 0. O(steps + count).
std::vector<Period> periods_of(const std::vector<Step>& steps, Time from, Time until, std::size_t count);

// A point of an empirical cumulative distribution function: so large a share of the values is not above `value`.
struct DistributionPoint {
    double value;
    double share;
    friend bool operator==(const DistributionPoint&, const DistributionPoint&) = default;
};

// The distribution of `values` in increasing order, one point for each different value; of more than `max_points` (at
// least 2), some evenly spread by rank, among them the first and the last. O(n log n).
std::vector<DistributionPoint> distribution_of(std::vector<double> values, std::size_t max_points);

// The smallest value that at least this share of the values is not above; none if there are no values. Requires
// increasing values and 0 < share <= 1. O(1).
std::optional<double> quantile(const std::vector<double>& values, double share);

// A group of jobs by its name.
struct GroupSummary {
    std::string name;
    GroupMetrics metrics;
};

// The jobs by class of width and class of run time.
using JobClasses = std::map<std::pair<std::size_t, std::size_t>, FinishedJobs>;
JobClasses classes_of(const FinishedJobs& jobs);

// The groups of jobs to which `name_of` gives the same name, those with most processor time first, then by name. It is
// asked once for each job.
std::vector<GroupSummary> groups_of(const FinishedJobs& jobs, Duration tau,
                                    const std::function<std::string(const FinishedJob&)>& name_of);

}  // namespace batfill::report
