#include "src/analysis/weekly_series.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>

#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::analysis {

namespace {

using Kind = JobStatistic::Kind;

constexpr auto no_week = static_cast<std::size_t>(-1);

// A mean over jobs, without one week after the other.
class MeansWithout {
 public:
    MeansWithout(const JobsByWeek& weeks, JobMeasure measure, Duration tau) {
        for (const FinishedJobs& jobs : weeks) {
            std::vector<double> values = values_of(jobs, measure, tau);
            counts_.push_back(values.size());
            sums_.push_back(sum(std::move(values)));
            jobs_ += counts_.back();
        }
        all_ = sum(sums_);
    }

    std::optional<double> operator()(std::size_t week) const {
        const std::size_t left = jobs_ - counts_[week];
        return left > 0 ? std::optional((all_ - sums_[week]) / static_cast<double>(left)) : std::nullopt;
    }

 private:
    std::vector<std::size_t> counts_;  // by week
    std::vector<double> sums_;
    std::size_t jobs_ = 0;
    double all_ = 0;
};

// A percentile, or the mean of the worst or widest, without one week after the other.
class OrderedWithout {
 public:
    OrderedWithout(const JobsByWeek& weeks, const JobStatistic& statistic, Duration tau) : statistic_(statistic) {
        for (std::size_t week = 0; week < weeks.size(); ++week) {
            counts_.push_back(0);
            for (const FinishedJob& job : weeks[week]) {
                if (const std::optional<double> value = measure(job, statistic.measure, tau)) {
                    values_.push_back({*value, static_cast<std::uint32_t>(week), &job});
                    ++counts_.back();
                }
            }
        }
        std::ranges::stable_sort(values_, [&](const Value& a, const Value& b) {
            return statistic.kind == Kind::worst    ? a.value > b.value
                   : statistic.kind == Kind::widest ? is_wider(*a.job, *b.job)
                                                    : a.value < b.value;
        });
    }

    // The statistic without the week; no_week: of all weeks. That of a percentile is smooth: the mean of the values
    // beside it, a fifth as many to each side as are beyond it. A single value jumps from one job to the next, and
    // would seem to vary more than it does.
    // Cost: O(the jobs that the statistic counts), of a percentile O(the jobs on its shorter side).
    std::optional<double> operator()(std::size_t week) const {
        look_for_interruption();
        const std::size_t left = values_.size() - (week == no_week ? 0 : counts_[week]);
        if (left == 0) {
            return std::nullopt;
        }
        const std::size_t share = statistic_.share_of(left);
        if (statistic_.kind != Kind::percentile) {
            return mean_of(values_.begin(), 0, share, week);
        }
        const std::size_t beside = std::min(share - 1, left - share) / 5;
        const std::size_t count = 2 * beside + 1;
        return share > left / 2 ? mean_of(values_.rbegin(), left - share - beside, count, week)
                                : mean_of(values_.begin(), share - 1 - beside, count, week);
    }

 private:
    struct Value {
        double value;
        std::uint32_t week;
        const FinishedJob* job;
    };

    // The mean of so many values of other weeks, behind so many that come before.
    static double mean_of(auto value, std::size_t before, std::size_t count, std::size_t without) {
        double total = 0;
        for (std::size_t seen = 0; seen < before + count; ++value) {
            if (value->week != without) {
                total += seen >= before ? value->value : 0;
                ++seen;
            }
        }
        return total / static_cast<double>(count);
    }

    JobStatistic statistic_;
    std::vector<Value> values_;
    std::vector<std::size_t> counts_;  // by week
};

std::optional<WeeklySeries> series_in_order(double value, const JobsByWeek& weeks, const JobStatistic& statistic,
                                            Duration tau) {
    const OrderedWithout statistic_without(weeks, statistic, tau);
    std::optional<WeeklySeries> series = jackknife(*statistic_without(no_week), weeks.size(), statistic_without);
    if (series) {
        series->value = value;
    }
    return series;
}

// Whether a statistic is of fewer than a tenth of the jobs.
bool is_of_tail(const JobStatistic& statistic) {
    return (statistic.kind == Kind::percentile && statistic.percent > 90) ||
           (statistic.kind == Kind::worst && statistic.percent < 10);
}

}  // namespace

std::optional<WeeklySeries> jackknife(double value, std::size_t weeks,
                                      const std::function<std::optional<double>(std::size_t)>& without) {
    WeeklySeries series{value, {}};
    const auto count = static_cast<double>(weeks);
    for (std::size_t week = 0; week < weeks; ++week) {
        const std::optional<double> others = without(week);
        if (!others) {
            return std::nullopt;
        }
        series.weeks.push_back(count * value - (count - 1) * *others);
    }
    return series;
}

JobsByWeek jobs_by_week(const FinishedJobs& jobs) {
    const Time first = jobs.empty() ? Time() : std::ranges::min_element(jobs, {}, &FinishedJob::submit)->submit;
    std::map<Microseconds, FinishedJobs> weeks;
    for (const FinishedJob& job : jobs) {
        weeks[(job.submit - first).count() / Duration::days(7).count()].push_back(job);
    }
    return mapped(weeks, [](auto& week) { return std::move(week.second); });
}

std::optional<WeeklySeries> weekly_series(const JobsByWeek& weeks, const JobStatistic& statistic, Duration tau) {
    FinishedJobs all;
    for (const FinishedJobs& jobs : weeks) {
        all.insert(all.end(), jobs.begin(), jobs.end());
    }
    const std::optional<double> value = measure(all, statistic, tau);
    if (!value) {
        return std::nullopt;
    }
    return statistic.kind == Kind::mean ? jackknife(*value, weeks.size(), MeansWithout(weeks, statistic.measure, tau))
                                        : series_in_order(*value, weeks, statistic, tau);
}

WeeklySeries difference(const WeeklySeries& one, const WeeklySeries& other) {
    assert(one.weeks.size() == other.weeks.size());
    WeeklySeries result{one.value - other.value, {}};
    std::ranges::transform(one.weeks, other.weeks, std::back_inserter(result.weeks), std::minus<>());
    return result;
}

std::size_t fewest_weeks_of(const JobStatistic& statistic) {
    return is_of_tail(statistic) ? fewest_weeks_of_tails : fewest_weeks;
}

std::optional<Interval> interval_of(const WeeklySeries& series, const JobStatistic& statistic,
                                    std::size_t comparisons) {
    const bool is_maximum = statistic.kind == Kind::percentile && statistic.percent == 100;
    if (is_maximum || series.weeks.size() < fewest_weeks_of(statistic)) {
        return std::nullopt;
    }
    // The jobs of a tail come from a few weeks, which vary more than they show.
    const std::size_t shares = is_of_tail(statistic) ? 2 : 1;
    return interval_around(series.value, series.weeks, Sample::weeks, shares * comparisons);
}

}  // namespace batfill::analysis
