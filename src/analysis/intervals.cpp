#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include <batfill/analysis/metrics.hpp>

#include "src/analysis/compared_intervals.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/analysis/tables.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

using analysis::FinishedJobs;
using analysis::JobMeasure;
using analysis::JobStatistic;
using Kind = JobStatistic::Kind;

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
    const Time first = jobs.empty() ? Time() : std::ranges::min_element(jobs, {}, &FinishedJob::submit)->submit;
    std::map<Microseconds, JobsOfWeek> weeks;
    for (const FinishedJob& job : jobs) {
        JobsOfWeek& week = weeks[(job.submit - first).count() / Duration::days(7).count()];
        week.run.push_back(job);
        if (baseline != nullptr) {
            week.baseline.push_back(*before.at(job.id));
        }
    }
    return mapped(weeks, [](const auto& week) { return week.second; });
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

// With fewer than two blocks of weeks, all resamples would be alike.
bool has_resamples(std::size_t weeks, const IntervalOptions& options) {
    return weeks >= 2 * options.block;
}

// Gives `use` the weeks of each resample of a circular block bootstrap. A resample has as many weeks as the log, in
// blocks of consecutive weeks from sampled starts. The first week follows the last one. The same options and number of
// weeks give the same resamples.
// Requires: has_resamples().
void for_each_resample(std::size_t weeks, const IntervalOptions& options, auto use) {
    std::mt19937_64 random(options.seed);
    std::vector<std::size_t> sampled(weeks);
    for (std::size_t i = 0; i < options.resamples; ++i) {
        for (std::size_t taken = 0; taken < weeks;) {
            // The modulo makes some weeks more likely by less than one in 2^40, which is negligible.
            const std::size_t first = random() % weeks;
            for (std::size_t step = 0; step < options.block && taken < weeks; ++step, ++taken) {
                sampled[taken] = (first + step) % weeks;
            }
        }
        use(sampled);
    }
}

// Intervals of a value and its difference to the baseline. `measure` returns both for the weeks of a resample; none
// without jobs.
// Requires: has_resamples().
Intervals bootstrap(std::size_t weeks, const IntervalOptions& options, auto measure) {
    std::vector<double> values;
    std::vector<double> differences;
    for_each_resample(weeks, options, [&](const std::vector<std::size_t>& sampled) {
        if (const std::optional<std::pair<double, double>> measured = measure(sampled)) {
            values.push_back(measured->first);
            differences.push_back(measured->second);
        }
    });
    return {percentiles(std::move(values)), percentiles(std::move(differences))};
}

// Intervals of the mean over jobs.
// Requires: has_resamples().
Intervals bootstrap_mean(const std::vector<Week>& weeks, const IntervalOptions& options) {
    return bootstrap(weeks.size(), options, [&](const std::vector<std::size_t>& sampled) {
        Week all;
        for (const std::size_t week : sampled) {
            all.jobs += weeks[week].jobs;
            all.values += weeks[week].values;
            all.differences += weeks[week].differences;
        }
        return all.jobs > 0 ? std::optional(std::pair(all.values / all.jobs, all.differences / all.jobs))
                            : std::nullopt;
    });
}

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

// The values of a run's jobs in the order in which a statistic counts them, with the week of each.
class OrderedValues {
 public:
    OrderedValues(const std::vector<JobsOfWeek>& weeks, FinishedJobs JobsOfWeek::*jobs, const JobStatistic& statistic,
                  Duration tau)
        : statistic_(statistic) {
        for (std::size_t week = 0; week < weeks.size(); ++week) {
            for (const FinishedJob& job : weeks[week].*jobs) {
                const double value = analysis::measure(job, statistic.measure, tau).value_or(0);
                values_.push_back({value, static_cast<std::uint32_t>(week), &job});
            }
        }
        std::ranges::stable_sort(values_, [&](const Value& a, const Value& b) {
            switch (statistic.kind) {
                case Kind::worst:
                    return a.value > b.value;
                case Kind::widest:
                    return analysis::is_wider(*a.job, *b.job);
                default:
                    return a.value < b.value;
            }
        });
    }

    // The statistic of a resample that has each week so often, and so many jobs in all.
    // Cost: O(jobs), of a percentile O(the jobs on its shorter side).
    double measure(const std::vector<std::size_t>& times, std::size_t jobs) const {
        const std::size_t wanted = statistic_.share_of(jobs);
        if (statistic_.kind == Kind::percentile && wanted > jobs / 2) {
            std::size_t above = 0;
            const auto found = std::find_if(values_.rbegin(), values_.rend(), [&](const Value& value) {
                above += times[value.week];
                return above > jobs - wanted;
            });
            return found == values_.rend() ? 0 : found->value;  // 0 only without jobs
        }
        double sum = 0;
        std::size_t seen = 0;
        for (const auto& [value, week, job] : values_) {
            const std::size_t more = std::min(times[week], wanted - seen);
            seen += more;
            sum += value * static_cast<double>(more);
            if (seen == wanted) {
                return statistic_.kind == Kind::percentile ? value : sum / static_cast<double>(wanted);
            }
        }
        return 0;  // only without jobs
    }

 private:
    struct Value {
        double value;
        std::uint32_t week;
        const FinishedJob* job;
    };
    const JobStatistic& statistic_;
    std::vector<Value> values_;
};

// Intervals of a statistic that is not a mean over all jobs.
// Requires: has_resamples().
Intervals bootstrap_in_order(const std::vector<JobsOfWeek>& weeks, const JobStatistic& statistic, Duration tau,
                             const IntervalOptions& options) {
    const OrderedValues run(weeks, &JobsOfWeek::run, statistic, tau);
    const OrderedValues baseline(weeks, &JobsOfWeek::baseline, statistic, tau);
    return bootstrap(weeks.size(), options, [&](const std::vector<std::size_t>& sampled) {
        std::vector<std::size_t> times(weeks.size());
        std::size_t jobs = 0;
        for (const std::size_t week : sampled) {
            ++times[week];
            jobs += weeks[week].run.size();
        }
        const double value = run.measure(times, jobs);
        return std::optional(std::pair(value, value - baseline.measure(times, jobs)));
    });
}

// Sums of the values of each week.
std::vector<Week> sums_of(const std::vector<JobsOfWeek>& weeks, JobMeasure measure, Duration tau) {
    return mapped(weeks, [=](const JobsOfWeek& week) {
        std::vector<double> values = analysis::values_of(week.run, measure, tau);
        const auto jobs = static_cast<double>(values.size());
        const double sum = analysis::sum(std::move(values));
        return Week{jobs, sum, sum - analysis::sum(analysis::values_of(week.baseline, measure, tau))};
    });
}

// The statistic of each resample.
// Requires: has_resamples(). Each week has jobs with a value.
std::vector<double> resampled(const std::vector<JobsOfWeek>& weeks, const JobStatistic& statistic, Duration tau,
                              const IntervalOptions& how) {
    std::vector<double> values;
    if (statistic.kind == Kind::mean) {
        const std::vector<Week> sums = sums_of(weeks, statistic.measure, tau);
        for_each_resample(weeks.size(), how, [&](const std::vector<std::size_t>& sampled) {
            double jobs = 0;
            double sum = 0;
            for (const std::size_t week : sampled) {
                jobs += sums[week].jobs;
                sum += sums[week].values;
            }
            values.push_back(sum / jobs);
        });
        return values;
    }
    const OrderedValues ordered(weeks, &JobsOfWeek::run, statistic, tau);
    for_each_resample(weeks.size(), how, [&](const std::vector<std::size_t>& sampled) {
        std::vector<std::size_t> times(weeks.size());
        std::size_t jobs = 0;
        for (const std::size_t week : sampled) {
            ++times[week];
            jobs += weeks[week].run.size();
        }
        values.push_back(ordered.measure(times, jobs));
    });
    return values;
}

// Whether the runs finished the same jobs.
bool have_same_jobs(const std::vector<const FinishedJobs*>& runs) {
    const auto ids_of = [](const FinishedJobs* jobs) {
        std::vector<std::string_view> ids =
            mapped(*jobs, [](const FinishedJob& job) { return std::string_view(job.id); });
        std::ranges::sort(ids);
        return ids;
    };
    const std::vector<std::string_view> first = ids_of(runs.front());
    return std::all_of(runs.begin() + 1, runs.end(), [&](const FinishedJobs* run) { return ids_of(run) == first; });
}

}  // namespace

analysis::ComparedIntervals analysis::compare_intervals(const std::vector<const FinishedJobs*>& runs,
                                                        const std::vector<std::string>& metrics, Duration tau,
                                                        const IntervalOptions& how) {
    ComparedIntervals result;
    result.are_of_same_jobs = have_same_jobs(runs);
    if (!result.are_of_same_jobs) {
        result.reason = "the runs finished different jobs";
        return result;
    }
    const auto weeks = mapped(runs, [](const FinishedJobs* jobs) { return weeks_of(*jobs, nullptr); });
    result.weeks = weeks.front().size();
    if (result.weeks < fewest_groups || !has_resamples(result.weeks, how)) {
        result.reason = "too few weeks of jobs: " + std::to_string(result.weeks) + ", expected at least " +
                        std::to_string(fewest_groups);
        return result;
    }
    for (const std::string& name : metrics) {
        const auto& statistic = std::get<JobStatistic>(find_metric(name)->definition);
        const auto values = mapped(runs, [&](const FinishedJobs* jobs) { return *measure(*jobs, statistic, tau); });
        const auto samples = mapped(weeks, [&](const auto& of_run) { return resampled(of_run, statistic, tau, how); });
        ComparedMetric& compared = result.metrics.emplace_back();
        compared.metric = name;
        compared.values = mapped(samples, percentiles);
        compared.best = static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
        compared.is_told_apart = mapped(samples, [&](const std::vector<double>& of_run) {
            std::vector<double> differences;
            std::ranges::transform(of_run, samples[compared.best], std::back_inserter(differences), std::minus<>());
            return percentiles(std::move(differences)).low > 0;
        });
    }
    return result;
}

std::optional<Interval> interval_of_mean(const std::vector<double>& values, const IntervalOptions& how) {
    const auto each = mapped(values, [](double value) { return Week{1, value, 0}; });
    return has_resamples(each.size(), how) ? std::optional(bootstrap_mean(each, how).value) : std::nullopt;
}

GroupedMean mean_over_groups(const std::vector<std::optional<double>>& values, const std::vector<std::size_t>& groups) {
    assert(values.size() == groups.size());
    std::map<std::size_t, std::vector<double>> known;  // by group
    GroupedMean result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]) {
            known[groups[i]].push_back(*values[i]);
            ++result.values;
        }
    }
    const auto means = mapped(known, [](const auto& group) {
        return group.second.size() == 1 ? group.second.front() : *analysis::mean(group.second);
    });
    result.mean = analysis::mean(means);
    if (means.size() >= fewest_groups) {
        result.interval = interval_of_mean(means);
    }
    return result;
}

std::string reason_for_no_intervals(const std::vector<std::size_t>& groups) {
    const std::size_t different = std::set<std::size_t>(groups.begin(), groups.end()).size();
    if (groups.size() < 2 || different >= fewest_groups) {
        return "";
    }
    return "too few workloads for intervals: " + std::to_string(different) +
           " with different jobs, expected at least " + std::to_string(fewest_groups) +
           " (workloads with the same jobs count as one, with their mean)";
}

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
    for (const char* const metric : measured) {
        const auto& statistic = std::get<JobStatistic>(analysis::find_metric(metric)->definition);
        MetricInterval& found = result.emplace_back();
        found.metric = metric;
        found.weeks = weeks.size();
        found.value = analysis::measure(jobs, statistic, options.tau);
        if (before != nullptr && found.value) {
            found.difference = *found.value - *analysis::measure(*before, statistic, options.tau);
        }
        if (found.value && has_resamples(weeks.size(), how)) {
            const Intervals intervals = statistic.kind == Kind::mean
                                            ? bootstrap_mean(sums_of(weeks, statistic.measure, options.tau), how)
                                            : bootstrap_in_order(weeks, statistic, options.tau, how);
            found.interval = intervals.value;
            if (found.difference) {
                found.difference_interval = intervals.difference;
            }
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
