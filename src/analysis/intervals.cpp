#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <ostream>
#include <random>
#include <string_view>
#include <unordered_map>

#include <batfill/analysis/metrics.hpp>

#include "job_measures.hpp"
#include "rows.hpp"

namespace batfill {

namespace {

using analysis::FinishedJobs;

constexpr double level = 0.95;

// What a resample adds up for each week in it.
struct Week {
    double jobs = 0;
    double values = 0;       // sum of the metric over the jobs
    double differences = 0;  // sum of value minus baseline over the jobs
};

// The finished jobs of a run that were submitted in one week, and the same jobs of the baseline, if any.
struct JobsOfWeek {
    FinishedJobs run;
    FinishedJobs baseline;
};

// The weeks that have jobs, counted from the first submission, in the order of time.
std::vector<JobsOfWeek> weeks_of(const FinishedJobs& jobs, const FinishedJobs* baseline) {
    std::unordered_map<std::string_view, const FinishedJob*> before;
    if (baseline != nullptr) {
        for (const FinishedJob& job : *baseline) {
            before.emplace(job.id, &job);
        }
    }
    Time first = Time::infinity();
    for (const FinishedJob& job : jobs) {
        first = std::min(first, job.submit);
    }
    std::map<Microseconds, JobsOfWeek> weeks;
    for (const FinishedJob& job : jobs) {
        JobsOfWeek& week = weeks[(job.submit - first).count() / Duration::days(7).count()];
        week.run.push_back(job);
        if (baseline != nullptr) {
            week.baseline.push_back(*before.at(job.id));
        }
    }
    std::vector<JobsOfWeek> result;
    result.reserve(weeks.size());
    std::transform(weeks.begin(), weeks.end(), std::back_inserter(result), [](auto& week) { return week.second; });
    return result;
}

// Returns bounds that leave out (1 - level) / 2 of the values on each side. Requires: `values` is not empty.
Interval percentiles(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto outside = static_cast<std::size_t>((1 - level) / 2 * static_cast<double>(values.size()));
    return {values[outside], values[values.size() - 1 - outside]};
}

struct Intervals {
    Interval value;
    Interval difference;
};

// Intervals of the mean over jobs by a circular block bootstrap. A resample has as many weeks as the log, in blocks of
// consecutive weeks from sampled starts. The first week follows the last one. None with fewer than two blocks of weeks:
// all resamples would be alike.
std::optional<Intervals> bootstrap(const std::vector<Week>& weeks, const IntervalOptions& options) {
    if (weeks.size() < 2 * options.block) {
        return std::nullopt;
    }
    std::mt19937_64 random(options.seed);
    std::vector<double> values;
    std::vector<double> differences;
    for (std::size_t i = 0; i < options.resamples; ++i) {
        Week all;
        for (std::size_t taken = 0; taken < weeks.size();) {
            // The modulo makes some weeks more likely by less than one in 2^40, which is negligible.
            const std::size_t begin = random() % weeks.size();
            for (std::size_t step = 0; step < options.block && taken < weeks.size(); ++step, ++taken) {
                const Week& week = weeks[(begin + step) % weeks.size()];
                all.jobs += week.jobs;
                all.values += week.values;
                all.differences += week.differences;
            }
        }
        values.push_back(all.values / all.jobs);
        differences.push_back(all.differences / all.jobs);
    }
    return Intervals{percentiles(std::move(values)), percentiles(std::move(differences))};
}

using Value = double (*)(const FinishedJob&, Duration tau);
using Mean = std::optional<double> (*)(const FinishedJobs&, Duration tau);

struct Measured {
    const char* metric;
    analysis::Unit unit;
    Value value;
    Mean mean;
};

constexpr std::array resampled_measures{
    Measured{"mean_wait", analysis::Unit::seconds,
             [](const FinishedJob& job, Duration) { return analysis::wait(job).to_seconds(); },
             [](const FinishedJobs& jobs, Duration) { return analysis::mean_wait(jobs); }},
    Measured{"mean_bounded_slowdown", analysis::Unit::ratio, analysis::bounded_slowdown,
             analysis::mean_bounded_slowdown},
};

double sum_of(const FinishedJobs& jobs, Value value, Duration tau) {
    std::vector<double> values(jobs.size());
    std::transform(jobs.begin(), jobs.end(), values.begin(), [&](const FinishedJob& job) { return value(job, tau); });
    return analysis::sum(std::move(values));
}

}  // namespace

std::vector<MetricInterval> measure_intervals(const MeasuredSchedule& schedule, const MetricsOptions& options,
                                              const IntervalOptions& how, const MeasuredSchedule* baseline) {
    assert(how.resamples > 0 && how.block > 0);
    const FinishedJobs& jobs = schedule.finished();
    const FinishedJobs* const before = baseline == nullptr ? nullptr : &baseline->finished();
    if (before != nullptr) {
        analysis::require_same_finished_jobs(*baseline, schedule);
    }
    const std::vector<JobsOfWeek> weeks = weeks_of(jobs, before);
    std::vector<MetricInterval> result;
    for (const Measured& measure : resampled_measures) {
        MetricInterval& found = result.emplace_back();
        found.metric = measure.metric;
        found.weeks = weeks.size();
        found.value = measure.mean(jobs, options.tau);
        if (before != nullptr && found.value) {
            found.difference = *found.value - *measure.mean(*before, options.tau);
        }
        std::vector<Week> sums;
        sums.reserve(weeks.size());
        for (const JobsOfWeek& week : weeks) {
            const double values = sum_of(week.run, measure.value, options.tau);
            const double differences = values - sum_of(week.baseline, measure.value, options.tau);
            sums.push_back(Week{static_cast<double>(week.run.size()), values, differences});
        }
        if (const std::optional<Intervals> intervals = bootstrap(sums, how)) {
            found.interval = intervals->value;
            if (found.difference) {
                found.difference_interval = intervals->difference;
            }
        }
    }
    return result;
}

void write_intervals(std::ostream& out, const std::vector<RunIntervals>& runs, MetricsFormat format) {
    using analysis::Number;
    analysis::Rows rows{{{"run", "run"},
                         {"metric", "metric"},
                         {"weeks", "weeks"},
                         {"value", "value"},
                         {"low", "95 % from"},
                         {"high", "to"},
                         {"difference", "difference"},
                         {"difference_low", "95 % from"},
                         {"difference_high", "to"}},
                        {}};
    for (const RunIntervals& run : runs) {
        assert(run.intervals.size() == resampled_measures.size());
        for (std::size_t i = 0; i < resampled_measures.size(); ++i) {
            const MetricInterval& found = run.intervals[i];
            const auto number = [&](std::optional<double> value) {
                return Number{value, resampled_measures.at(i).unit};
            };
            const auto add = [&](std::vector<analysis::Cell>& row, std::optional<double> value,
                                 const std::optional<Interval>& interval) {
                row.emplace_back(number(value));
                row.emplace_back(number(interval ? std::optional(interval->low) : std::nullopt));
                row.emplace_back(number(interval ? std::optional(interval->high) : std::nullopt));
            };
            std::vector<analysis::Cell>& row = rows.rows.emplace_back();
            row.emplace_back(run.label);
            row.emplace_back(found.metric);
            row.emplace_back(Number{static_cast<double>(found.weeks), analysis::Unit::count});
            add(row, found.value, found.interval);
            add(row, found.difference, found.difference_interval);
        }
    }
    analysis::write_rows(out, rows, format);
}

}  // namespace batfill
