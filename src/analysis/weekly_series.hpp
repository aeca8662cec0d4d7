#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/core/time.hpp>

#include "src/analysis/job_measures.hpp"

// Statistics of jobs as a series by week of submission, which is what their intervals are made of.
namespace batfill::analysis {

// The finished jobs of a run by week of submission: weeks from the first submission, without those that have no jobs.
using JobsByWeek = std::vector<FinishedJobs>;
// Cost: O(n log n).
JobsByWeek jobs_by_week(const FinishedJobs& jobs);

// A statistic of all weeks, and what each week adds to it.
struct WeeklySeries {
    double value = 0;
    // The pseudo-value of each week: n times the statistic minus n - 1 times that without the week, for n weeks. Their
    // mean is about the value, and they vary as the weeks let it vary (J. W. Tukey's jackknife, by week).
    std::vector<double> weeks;
};
// The series of any statistic of so many weeks. `without(week)` is the statistic without this week; none if it has no
// value. Then there is no series.
std::optional<WeeklySeries> jackknife(double value, std::size_t weeks,
                                      const std::function<std::optional<double>(std::size_t)>& without);
// The pseudo-values of a percentile are of the mean of the values beside it, as it jumps from one job to the next.
// None if no job has a value, or if all those that have one are of one week.
// Cost: O(n log n) for a mean, else O(n * weeks).
std::optional<WeeklySeries> weekly_series(const JobsByWeek& weeks, const JobStatistic& statistic, Duration tau);

// What one series has more than another of the same weeks.
WeeklySeries difference(const WeeklySeries& one, const WeeklySeries& other);

// The number of weeks that an interval of this statistic needs.
std::size_t fewest_weeks_of(const JobStatistic& statistic);
// The interval of the series around its value, as interval_of_mean(); of a tail, with half of the share of errors. None
// for fewer than fewest_weeks_of(), and for a maximum: a run has only one.
std::optional<Interval> interval_of(const WeeklySeries& series, const JobStatistic& statistic,
                                    std::size_t comparisons = 1);

// As interval_of_mean(), around `center` in place of the mean, for any number of values.
// Requires: values.size() > 4 for workloads, else at least 2.
Interval interval_around(double center, const std::vector<double>& values, Sample sample, std::size_t comparisons);

}  // namespace batfill::analysis
