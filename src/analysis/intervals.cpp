#include <array>
#include <cassert>
#include <map>
#include <ostream>
#include <set>

#include <batfill/analysis/intervals.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/metric_table.hpp"
#include "src/analysis/tables.hpp"
#include "src/analysis/weekly_series.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

using analysis::JobStatistic;
using analysis::WeeklySeries;

// The metrics that have intervals, in the order in which they are shown. Each is a statistic of jobs.
constexpr std::array<const char*, 13> measured{"mean_wait",
                                               "mean_bounded_slowdown",
                                               "mean_stretch",
                                               "mean_slowdown",
                                               "median_wait",
                                               "wait_percentile_90",
                                               "wait_percentile_99",
                                               "mean_wait_worst_5_percent",
                                               "mean_wait_worst_1_percent",
                                               "mean_wait_widest_10_percent",
                                               "median_bounded_slowdown",
                                               "bounded_slowdown_percentile_90",
                                               "bounded_slowdown_percentile_99"};

}  // namespace

GroupedMean mean_over_groups(const std::vector<std::optional<double>>& values, const WorkloadGroups& groups,
                             std::size_t comparisons) {
    assert(values.size() == groups.numbers.size());
    std::map<std::size_t, std::vector<double>> known;  // by group
    GroupedMean result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]) {
            known[groups.numbers[i]].push_back(*values[i]);
            ++result.values;
        }
    }
    const auto means = mapped(known, [](const auto& group) {
        return group.second.size() == 1 ? group.second.front() : *analysis::mean(group.second);
    });
    result.mean = analysis::mean(means);
    result.interval = interval_of_mean(means, groups.sample, comparisons);
    return result;
}

std::string reason_for_no_intervals(const WorkloadGroups& groups) {
    const std::size_t different = std::set<std::size_t>(groups.numbers.begin(), groups.numbers.end()).size();
    const bool are_weeks = groups.sample == Sample::weeks;
    const std::size_t fewest = fewest_of(groups.sample);
    if (different >= fewest) {
        return "";
    }
    if (different < 2) {
        return std::string("measured once: nothing is said about chance") +
               (groups.numbers.size() > 1 ? ", as all workloads have the same jobs" : "");
    }
    return "nothing is said about chance: " + std::to_string(different) +
           (are_weeks ? " weeks" : " workloads with different jobs") + ", expected at least " + std::to_string(fewest);
}

std::vector<MetricInterval> measure_intervals(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                              const MeasuredSchedule* baseline) {
    if (baseline != nullptr) {
        analysis::require_same_finished_jobs(*baseline, schedule);
    }
    const analysis::JobsByWeek weeks = analysis::jobs_by_week(schedule.finished());
    // The same jobs were submitted in the same weeks.
    const analysis::JobsByWeek before =
        baseline == nullptr ? analysis::JobsByWeek() : analysis::jobs_by_week(baseline->finished());
    std::vector<MetricInterval> result;
    for (const char* const metric : measured) {
        const auto& statistic = std::get<JobStatistic>(analysis::find_metric(metric)->definition);
        MetricInterval& found = result.emplace_back();
        found.metric = metric;
        found.weeks = weeks.size();
        found.value = analysis::measure(schedule.finished(), statistic, options.tau);
        const std::optional<WeeklySeries> series = analysis::weekly_series(weeks, statistic, options.tau);
        if (series) {
            found.interval = analysis::possible_part(analysis::interval_of(*series, statistic), metric, *found.value);
        }
        if (baseline == nullptr || !found.value) {
            continue;
        }
        found.difference = *found.value - *analysis::measure(baseline->finished(), statistic, options.tau);
        if (const auto of_baseline = analysis::weekly_series(before, statistic, options.tau); series && of_baseline) {
            found.difference_interval = analysis::interval_of(difference(*series, *of_baseline), statistic);
        }
    }
    return result;
}

void write_intervals(std::ostream& out, const std::vector<RunIntervals>& runs, MetricsFormat format) {
    analysis::Rows rows{analysis::with_intervals({{"run", "run"}, {"metric", "metric"}, {"weeks", "weeks"}}, "value"),
                        {}};
    for (const RunIntervals& run : runs) {
        for (const MetricInterval& found : run.intervals) {
            const analysis::Unit unit = analysis::find_metric(found.metric)->unit;
            const analysis::Number weeks{static_cast<double>(found.weeks), analysis::Unit::count};
            std::vector<analysis::Cell>& row = rows.rows.emplace_back();
            row = {run.label, found.metric, weeks};
            append(row, found.value, found.interval, unit);
            append(row, found.difference, found.difference_interval, unit);
        }
    }
    analysis::write_rows(out, rows, format);
}

}  // namespace batfill
