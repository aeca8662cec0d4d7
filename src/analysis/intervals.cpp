#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
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

// Calls begin(), then take(week) for each week of the resample, then end(), for each resample of a circular block
// bootstrap. A resample has as many weeks as the log, in blocks of consecutive weeks from sampled starts. The first
// week follows the last one. The same options and number of weeks give the same resamples. Requires: weeks > 0.
template <class Begin, class Take, class End>
void for_each_resample(std::size_t weeks, const IntervalOptions& options, Begin begin, Take take, End end) {
    std::mt19937_64 random(options.seed);
    for (std::size_t i = 0; i < options.resamples; ++i) {
        begin();
        for (std::size_t taken = 0; taken < weeks;) {
            // The modulo makes some weeks more likely by less than one in 2^40, which is negligible.
            const std::size_t first = random() % weeks;
            for (std::size_t step = 0; step < options.block && taken < weeks; ++step, ++taken) {
                take((first + step) % weeks);
            }
        }
        end();
    }
}

// With fewer than two blocks of weeks, all resamples would be alike.
bool has_resamples(std::size_t weeks, const IntervalOptions& options) {
    return weeks >= 2 * options.block;
}

// Intervals of the mean over jobs.
// Requires: has_resamples().
Intervals bootstrap(const std::vector<Week>& weeks, const IntervalOptions& options) {
    std::vector<double> values;
    std::vector<double> differences;
    Week all;
    for_each_resample(
        weeks.size(), options, [&] { all = Week{}; },
        [&](std::size_t week) {
            all.jobs += weeks[week].jobs;
            all.values += weeks[week].values;
            all.differences += weeks[week].differences;
        },
        [&] {
            if (all.jobs > 0) {
                values.push_back(all.values / all.jobs);
                differences.push_back(all.differences / all.jobs);
            }
        });
    return Intervals{percentiles(std::move(values)), percentiles(std::move(differences))};
}

using Value = std::optional<double> (*)(const FinishedJob&, Duration tau);
using Total = std::optional<double> (*)(const FinishedJobs&, Duration tau);

std::optional<double> wait_of(const FinishedJob& job, Duration) {
    return analysis::wait(job).to_seconds();
}

std::optional<double> bounded_slowdown_of(const FinishedJob& job, Duration tau) {
    return analysis::bounded_slowdown(job, tau);
}

// A mean over jobs.
struct MeasuredMean {
    const char* metric;
    Value value;  // none: the job does not count
    Total total;
};

constexpr std::array means{
    MeasuredMean{"mean_wait", wait_of, [](const FinishedJobs& jobs, Duration) { return analysis::mean_wait(jobs); }},
    MeasuredMean{"mean_bounded_slowdown", bounded_slowdown_of, analysis::mean_bounded_slowdown},
    MeasuredMean{"mean_stretch", [](const FinishedJob& job, Duration) { return analysis::stretch(job); },
                 [](const FinishedJobs& jobs, Duration) { return analysis::mean_stretch(jobs); }},
    MeasuredMean{"mean_slowdown", [](const FinishedJob& job, Duration) { return analysis::slowdown(job); },
                 [](const FinishedJobs& jobs, Duration) { return analysis::mean_slowdown(jobs); }},
};

// A measure of the jobs in an order: the value at a percentile, or the mean of the first per cent of them.
struct MeasuredOrder {
    enum class Kind { percentile, mean_of_first };
    const char* metric;
    Value value;
    bool (*is_before)(const FinishedJob& a, const FinishedJob& b, Duration tau);
    Kind kind;
    std::size_t percent;
    Total total;
};

bool shorter_wait(const FinishedJob& a, const FinishedJob& b, Duration) {
    return analysis::wait(a) < analysis::wait(b);
}
bool longer_wait(const FinishedJob& a, const FinishedJob& b, Duration) {
    return analysis::wait(b) < analysis::wait(a);
}
bool wider(const FinishedJob& a, const FinishedJob& b, Duration) {
    return analysis::is_wider(a, b);
}
bool smaller_slowdown(const FinishedJob& a, const FinishedJob& b, Duration tau) {
    return analysis::bounded_slowdown(a, tau) < analysis::bounded_slowdown(b, tau);
}

template <std::size_t percent>
std::optional<double> wait_percentile(const FinishedJobs& jobs, Duration) {
    return analysis::wait_percentile(jobs, percent);
}
template <std::size_t percent>
std::optional<double> slowdown_percentile(const FinishedJobs& jobs, Duration tau) {
    return analysis::bounded_slowdown_percentile(jobs, tau, percent);
}
template <std::size_t percent>
std::optional<double> worst_waits(const FinishedJobs& jobs, Duration) {
    return analysis::mean_wait_of_worst(jobs, percent);
}
template <std::size_t percent>
std::optional<double> widest_waits(const FinishedJobs& jobs, Duration) {
    return analysis::mean_wait_of_widest(jobs, percent);
}

using Kind = MeasuredOrder::Kind;

constexpr std::array orders{
    MeasuredOrder{"median_wait", wait_of, shorter_wait, Kind::percentile, 50, wait_percentile<50>},
    MeasuredOrder{"wait_percentile_90", wait_of, shorter_wait, Kind::percentile, 90, wait_percentile<90>},
    MeasuredOrder{"wait_percentile_99", wait_of, shorter_wait, Kind::percentile, 99, wait_percentile<99>},
    MeasuredOrder{"mean_wait_worst_5_percent", wait_of, longer_wait, Kind::mean_of_first, 5, worst_waits<5>},
    MeasuredOrder{"mean_wait_worst_1_percent", wait_of, longer_wait, Kind::mean_of_first, 1, worst_waits<1>},
    MeasuredOrder{"mean_wait_widest_10_percent", wait_of, wider, Kind::mean_of_first, 10, widest_waits<10>},
    MeasuredOrder{"median_bounded_slowdown", bounded_slowdown_of, smaller_slowdown, Kind::percentile, 50,
                  slowdown_percentile<50>},
    MeasuredOrder{"bounded_slowdown_percentile_90", bounded_slowdown_of, smaller_slowdown, Kind::percentile, 90,
                  slowdown_percentile<90>},
    MeasuredOrder{"bounded_slowdown_percentile_99", bounded_slowdown_of, smaller_slowdown, Kind::percentile, 99,
                  slowdown_percentile<99>},
};

// The jobs of a run in the order of a measure, with the week of each.
class OrderedJobs {
 public:
    OrderedJobs(const std::vector<JobsOfWeek>& weeks, FinishedJobs JobsOfWeek::*jobs, const MeasuredOrder& measure,
                Duration tau)
        : measure_(measure) {
        std::vector<std::pair<const FinishedJob*, std::uint32_t>> sorted;
        for (std::size_t week = 0; week < weeks.size(); ++week) {
            for (const FinishedJob& job : weeks[week].*jobs) {
                sorted.emplace_back(&job, static_cast<std::uint32_t>(week));
            }
        }
        std::stable_sort(sorted.begin(), sorted.end(),
                         [&](const auto& a, const auto& b) { return measure.is_before(*a.first, *b.first, tau); });
        values_.reserve(sorted.size());
        for (const auto& [job, week] : sorted) {
            values_.emplace_back(measure.value(*job, tau).value_or(0), week);
        }
    }

    // The measure of a resample that has each week so often, and so many jobs in all.
    // Cost: O(jobs).
    double measure(const std::vector<std::size_t>& times, std::size_t jobs) const {
        const std::size_t wanted = (jobs * measure_.percent + 99) / 100;
        double sum = 0;
        std::size_t seen = 0;
        for (const auto& [value, week] : values_) {
            const std::size_t more = std::min(times[week], wanted - seen);
            seen += more;
            sum += value * static_cast<double>(more);
            if (seen == wanted) {
                return measure_.kind == Kind::percentile ? value : sum / static_cast<double>(wanted);
            }
        }
        return 0;  // only without jobs
    }

 private:
    const MeasuredOrder& measure_;
    std::vector<std::pair<double, std::uint32_t>> values_;
};

Intervals bootstrap(const std::vector<JobsOfWeek>& weeks, const MeasuredOrder& measure, Duration tau,
                    const IntervalOptions& options) {
    const OrderedJobs run(weeks, &JobsOfWeek::run, measure, tau);
    const OrderedJobs baseline(weeks, &JobsOfWeek::baseline, measure, tau);
    std::vector<double> values;
    std::vector<double> differences;
    std::vector<std::size_t> times(weeks.size());
    std::size_t jobs = 0;
    for_each_resample(
        weeks.size(), options,
        [&] {
            std::fill(times.begin(), times.end(), 0);
            jobs = 0;
        },
        [&](std::size_t week) {
            ++times[week];
            jobs += weeks[week].run.size();
        },
        [&] {
            values.push_back(run.measure(times, jobs));
            differences.push_back(values.back() - baseline.measure(times, jobs));
        });
    return Intervals{percentiles(std::move(values)), percentiles(std::move(differences))};
}

// Sums of the values of each week.
std::vector<Week> sums_of(const std::vector<JobsOfWeek>& weeks, Value value, Duration tau) {
    const auto values_of = [&](const FinishedJobs& jobs) {
        std::vector<double> values;
        for (const FinishedJob& job : jobs) {
            if (const std::optional<double> one = value(job, tau)) {
                values.push_back(*one);
            }
        }
        return values;
    };
    std::vector<Week> sums;
    sums.reserve(weeks.size());
    for (const JobsOfWeek& week : weeks) {
        std::vector<double> values = values_of(week.run);
        const auto jobs = static_cast<double>(values.size());
        const double sum = analysis::sum(std::move(values));
        sums.push_back(Week{jobs, sum, sum - analysis::sum(values_of(week.baseline))});
    }
    return sums;
}

}  // namespace

std::optional<Interval> interval_of_mean(const std::vector<double>& values, const IntervalOptions& how) {
    std::vector<Week> each;
    each.reserve(values.size());
    std::transform(values.begin(), values.end(), std::back_inserter(each), [](double value) {
        return Week{1, value, 0};
    });
    return has_resamples(each.size(), how) ? std::optional(bootstrap(each, how).value) : std::nullopt;
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
    const auto add = [&](const char* metric, Total total, const auto& bootstrapped) {
        MetricInterval& found = result.emplace_back();
        found.metric = metric;
        found.weeks = weeks.size();
        found.value = total(jobs, options.tau);
        if (before != nullptr && found.value) {
            found.difference = *found.value - *total(*before, options.tau);
        }
        if (found.value && has_resamples(weeks.size(), how)) {
            const Intervals intervals = bootstrapped();
            found.interval = intervals.value;
            if (found.difference) {
                found.difference_interval = intervals.difference;
            }
        }
    };
    for (const MeasuredMean& measure : means) {
        add(measure.metric, measure.total, [&] { return bootstrap(sums_of(weeks, measure.value, options.tau), how); });
    }
    for (const MeasuredOrder& measure : orders) {
        add(measure.metric, measure.total, [&] { return bootstrap(weeks, measure, options.tau, how); });
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
        for (const MetricInterval& found : run.intervals) {
            const auto number = [&](std::optional<double> value) {
                return Number{value, analysis::find_metric(found.metric)->unit};
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
