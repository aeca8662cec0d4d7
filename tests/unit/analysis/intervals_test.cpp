#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/distributions/students_t.hpp>
#include <catch2/catch.hpp>

#include <batfill/analysis/intervals.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/metric_table.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scheduled_job.hpp"
#include "tests/unit/analysis/random_values.hpp"

namespace batfill::tests::intervals_test {

namespace {

using tests::job;
using Values = std::vector<double>;

constexpr long long week = 7LL * 24 * 3600;
// How often an interval of so many values of a normal distribution may leave out the mean.
constexpr double miss_rate = 0.03;
constexpr double miss_rate_of_weeks = 0.04;
double rate_of(std::size_t count) {
    return count < 11 ? 0.0048 * static_cast<double>(count - 4) : miss_rate;
}

// ---- The method, written down once more

double sum_of(const Values& values, const std::function<double(double)>& term) {
    double sum = 0;
    for (const double value : values) {
        sum += term(value);
    }
    return sum;
}

double mean_of(const Values& values) {
    return sum_of(values, [](double value) { return value; }) / static_cast<double>(values.size());
}

double skewness_of(const Values& values) {
    const double mean = mean_of(values);
    const auto count = static_cast<double>(values.size());
    const double squares = sum_of(values, [=](double value) { return std::pow(value - mean, 2); });
    const double cubes = sum_of(values, [=](double value) { return std::pow(value - mean, 3); });
    return squares > 0 ? cubes / count / std::pow(squares / count, 1.5) : 0;
}

double two_sided_t(double degrees, double rate) {
    return quantile(boost::math::students_t(degrees), 1 - rate / 2);
}

// The t that Hall's transformation takes to `wanted`, by bisection.
double hall_bound(double wanted, double skew) {
    const auto transformed = [=](double t) { return t + skew * t * t / 3 + skew * skew * t * t * t / 27 + skew / 6; };
    double low = -1e6;
    double high = 1e6;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        (transformed(middle) < wanted ? low : high) = middle;
    }
    return low;
}

// `inwards`: how much of the way to a bound of Hall's further in a bound is moved.
Interval expected_interval(double center, const Values& values, double error, double t, double inwards) {
    const double skew = skewness_of(values) / std::sqrt(static_cast<double>(values.size()));
    const double low = hall_bound(t, skew) - t;
    const double high = hall_bound(-t, skew) + t;
    return {center - error * (t + (low > 0 ? low : inwards * low)),
            center - error * (-t + (high < 0 ? high : inwards * high))};
}

Interval of_workloads(const Values& values, double rate) {
    const double mean = mean_of(values);
    const auto count = static_cast<double>(values.size());
    const double squares = sum_of(values, [=](double value) { return std::pow(value - mean, 2); });
    return expected_interval(mean, values, std::sqrt(squares / (count - 1) / count), two_sided_t(count - 1, rate), 0.5);
}

// Projects the series on each cosine of length 1 that has fewer than a number of waves.
Interval of_weeks(double center, const Values& values, double rate = miss_rate_of_weeks) {
    const auto count = static_cast<double>(values.size());
    const double mean = mean_of(values);
    const auto degrees = static_cast<std::size_t>(std::lround(0.6 * std::pow(count, 2.0 / 3)));
    double power = 0;
    for (std::size_t k = 1; k <= degrees; ++k) {
        double projection = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            projection += std::sqrt(2 / count) * (values[i] - mean) *
                          std::cos(std::numbers::pi * static_cast<double>(k * (2 * i + 1)) / (2 * count));
        }
        power += projection * projection;
    }
    const auto number = static_cast<double>(degrees);
    return expected_interval(center, values, std::sqrt(power / number / count), two_sided_t(number, rate), 0);
}

void require_same(const std::optional<Interval>& found, const Interval& expected) {
    REQUIRE(found);
    REQUIRE(found->low == Approx(expected.low).epsilon(1e-7).margin(1e-7));
    REQUIRE(found->high == Approx(expected.high).epsilon(1e-7).margin(1e-7));
}

// A cosine of so many half waves over the series, which has the mean 0 and, for an odd number, no skewness.
Values cosine(std::size_t count, int half_waves) {
    Values values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(
            std::cos(std::numbers::pi * half_waves * (static_cast<double>(i) + 0.5) / static_cast<double>(count)));
    }
    return values;
}

Values up_to(std::size_t count) {
    Values values;
    for (std::size_t i = 1; i <= count; ++i) {
        values.push_back(static_cast<double>(i));
    }
    return values;
}

// In how many of 2,000 draws the interval of `count` values leaves out `truth`.
double missed(std::size_t count, Sample sample, double truth, const std::function<Values(std::size_t)>& values) {
    int missed = 0;
    for (int draw = 0; draw < 2000; ++draw) {
        missed += interval_of_mean(values(count), sample)->contains(truth) ? 0 : 1;
    }
    return missed / 2000.0;
}

// ---- Schedules

MeasuredSchedule schedule(std::vector<ScheduledJob> jobs) {
    return Schedule{"run_jobs.csv", std::move(jobs)};
}

// A job of 10 s per wait, submitted in weeks 0, 1, ...; no job for a negative wait.
MeasuredSchedule with_waits(const std::vector<int>& waits) {
    std::vector<ScheduledJob> jobs;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        const long long submit = static_cast<long long>(i) * week;
        if (waits[i] >= 0) {
            jobs.push_back(job(std::to_string(i), submit, submit + waits[i], 10));
        }
    }
    return schedule(jobs);
}

std::vector<int> random_waits(Random& random, std::size_t count) {
    std::vector<int> waits(count);
    std::ranges::generate(waits, [&] { return random.between(1000, 2000); });
    return waits;
}

MetricInterval of_waits(const MeasuredSchedule& run, const MeasuredSchedule* baseline = nullptr) {
    const std::vector<MetricInterval> found = measure_intervals(run, {}, baseline);
    REQUIRE(!found.empty());
    REQUIRE(found[0].metric == "mean_wait");
    return found[0];
}

MetricInterval of(const std::string& metric, const std::vector<MetricInterval>& intervals) {
    const auto found = std::ranges::find(intervals, metric, &MetricInterval::metric);
    REQUIRE(found != intervals.end());
    return *found;
}

std::size_t week_of(const ScheduledJob& scheduled) {
    return static_cast<std::size_t>(scheduled.submit.since_zero().count() / Duration::seconds(week).count());
}

// The metric of the jobs of all weeks but one, or of all. Percentiles are means of the values beside them: a fifth as
// many to each side as are beyond them.
std::optional<double> without(std::vector<ScheduledJob> jobs, std::optional<std::size_t> left_out,
                              const std::string& metric) {
    std::erase_if(jobs, [=](const ScheduledJob& each) { return left_out && week_of(each) == *left_out; });
    const std::size_t percent = metric.ends_with("_90")         ? 90
                                : metric.ends_with("_99")       ? 99
                                : metric.starts_with("median_") ? 50
                                                                : 0;
    if (percent == 0) {
        return compute_metrics(schedule(jobs), {})[metric];
    }
    Values values;
    for (const ScheduledJob& each : jobs) {
        const double wait = (each.execution->start - each.submit).to_seconds();
        const double run = each.execution->length.to_seconds();
        values.push_back(
            metric.find("slowdown") == std::string::npos ? wait : std::max((wait + run) / std::max(run, 10.0), 1.0));
    }
    std::ranges::sort(values);
    const std::size_t rank = (values.size() * percent + 99) / 100;  // from 1
    const std::size_t beside = std::min(rank - 1, values.size() - rank) / 5;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(rank - 1 - beside);
    return mean_of(Values(first, first + static_cast<std::ptrdiff_t>(2 * beside + 1)));
}

// Jobs in each of so many weeks, the first one at 0. `seed` draws the jobs, `waits` their waits.
std::vector<ScheduledJob> random_jobs(unsigned seed, unsigned waits, std::size_t weeks) {
    Random random(seed);
    Random of_waits(waits);
    std::vector<ScheduledJob> jobs;
    for (std::size_t w = 0; w < weeks; ++w) {
        for (int i = random.between(1, 6); i > 0; --i) {
            const long long submit = static_cast<long long>(w) * week + (i == 1 ? 0 : random.between(0, 100'000));
            const int run = random.between(1, 100);
            const int width = random.between(1, 5);
            // Several jobs wait the same time.
            const int wait = of_waits.one_in(3) ? 100 : of_waits.between(0, 1000);
            jobs.push_back(job(std::to_string(w) + "-" + std::to_string(i), submit, submit + wait, run, width,
                               random.one_in(4) ? std::nullopt : std::optional<long long>(run)));
        }
    }
    return jobs;
}

}  // namespace

TEST_CASE("the interval of a mean of workloads is Student's t, worked by hand", "[metrics]") {
    // Mean 3, standard error sqrt(2.5 / 5); t is 5.660969 with 4 degrees of freedom, for 0.48 %.
    const std::optional<Interval> five = interval_of_mean({5, 1, 3, 2, 4}, Sample::workloads);
    CHECK(five->low == Approx(3 - 5.660969 * std::sqrt(0.5)));
    CHECK(five->high == Approx(3 + 5.660969 * std::sqrt(0.5)));
    // Mean 3.5, standard error sqrt(3.5 / 6); t is 4.073595 with 5 degrees of freedom, for 0.96 %.
    const std::optional<Interval> six = interval_of_mean(up_to(6), Sample::workloads);
    CHECK(six->low == Approx(3.5 - 4.073595 * std::sqrt(3.5 / 6)));
    CHECK(six->high == Approx(3.5 + 4.073595 * std::sqrt(3.5 / 6)));
    // From eleven on, for the same share.
    for (const std::size_t count : {7U, 8U, 9U, 10U, 11U, 30U}) {
        CAPTURE(count);
        require_same(interval_of_mean(up_to(count), Sample::workloads), of_workloads(up_to(count), rate_of(count)));
    }
}

TEST_CASE("the interval of skew values reaches further to the side of their tail", "[metrics]") {
    // Mean 1, standard error 1, skewness 1.5: Hall's t is (cbrt(1 - 0.67082 (5.660969 + 0.111803)) - 1) 3 / 0.67082.
    const std::optional<Interval> skew = interval_of_mean({0, 0, 5, 0, 0}, Sample::workloads);
    // On the other side it is (cbrt(1 + 0.67082 (5.660969 - 0.111803)) - 1) 3 / 0.67082, and half of that counts.
    CHECK(skew->low == Approx(1 - (5.660969 + 3.030930) / 2).epsilon(1e-6));
    CHECK(skew->high == Approx(1 + 10.829367).epsilon(1e-6));
    const std::optional<Interval> mirrored = interval_of_mean({0, 0, -5, 0, 0}, Sample::workloads);
    CHECK(mirrored->low == Approx(-skew->high));
    CHECK(mirrored->high == Approx(-skew->low));
}

TEST_CASE("the interval of a mean is what Hall's transformation by bisection gives, further out on the skew side",
          "[metrics][property]") {
    RandomValues random(61);
    for (int round = 0; round < 300; ++round) {
        const auto count = static_cast<std::size_t>(5 + round % 20);
        const Values values = round % 2 == 0 ? random.exponential(count) : random.normal(count);
        const double rate = rate_of(count);
        const std::optional<Interval> found = interval_of_mean(values, Sample::workloads);
        require_same(found, of_workloads(values, rate));
        const double mean = mean_of(values);
        const double squares = sum_of(values, [=](double value) { return std::pow(value - mean, 2); });
        const auto number = static_cast<double>(count);
        const double plain = two_sided_t(number - 1, rate) * std::sqrt(squares / (number - 1) / number);
        const bool is_right = skewness_of(values) > 0;
        REQUIRE((is_right ? found->high - mean : mean - found->low) > plain);
        REQUIRE((is_right ? mean - found->low : found->high - mean) < plain);
        REQUIRE((is_right ? mean - found->low : found->high - mean) > plain / 2);
    }
}

TEST_CASE("the interval of values that are scaled and shifted is scaled and shifted", "[metrics][property]") {
    RandomValues random(62);
    for (const Sample sample : {Sample::workloads, Sample::weeks}) {
        const Values values = random.exponential(30);
        const Interval plain = *interval_of_mean(values, sample);
        for (const double scale : {0.001, 7.0, -3.0}) {
            for (const double shift : {0.0, -50.0, 1000.0}) {
                Values changed = values;
                std::ranges::transform(values, changed.begin(), [=](double value) { return scale * value + shift; });
                const double one = scale * plain.low + shift;
                const double other = scale * plain.high + shift;
                require_same(interval_of_mean(changed, sample), {std::min(one, other), std::max(one, other)});
            }
        }
    }
}

TEST_CASE("there is no interval of too few values, and that of equal values is a point", "[metrics]") {
    for (const auto& [sample, fewest] :
         {std::pair(Sample::workloads, fewest_workloads), std::pair(Sample::weeks, fewest_weeks)}) {
        for (std::size_t count = 0; count < fewest; ++count) {
            REQUIRE_FALSE(interval_of_mean(up_to(count), sample));
        }
        CHECK(interval_of_mean(up_to(fewest), sample));
        const std::optional<Interval> equal = interval_of_mean(Values(fewest, 2), sample);
        CHECK(equal->low == 2);
        CHECK(equal->high == 2);
    }
    CHECK(fewest_workloads == 5);
    CHECK(fewest_weeks == 20);
}

TEST_CASE("intervals that hold together are wider: each errs in its share of the cases", "[metrics]") {
    // t is 8.702548 with 4 degrees of freedom, for a fifth of 0.48 %.
    const std::optional<Interval> five = interval_of_mean({5, 1, 3, 2, 4}, Sample::workloads, 5);
    CHECK(five->low == Approx(3 - 8.702548 * std::sqrt(0.5)));
    CHECK(five->high == Approx(3 + 8.702548 * std::sqrt(0.5)));
    RandomValues random(63);
    const Values values = random.exponential(40);
    for (const Sample sample : {Sample::workloads, Sample::weeks}) {
        Interval before = *interval_of_mean(values, sample);
        for (const std::size_t comparisons : {2U, 3U, 28U, 1000U}) {
            const Interval wider = *interval_of_mean(values, sample, comparisons);
            CHECK(wider.low < before.low);
            CHECK(wider.high > before.high);
            before = wider;
        }
    }
    require_same(interval_of_mean(values, Sample::weeks, 6), of_weeks(mean_of(values), values, miss_rate_of_weeks / 6));
}

TEST_CASE("the interval of a mean over weeks rests on slow changes, worked by hand", "[metrics]") {
    // With 20 weeks, 4 cosines count. Of this series only the first has a square, 20 / 2.
    const std::optional<Interval> slow = interval_of_mean(cosine(20, 1), Sample::weeks);
    const double error = std::sqrt(10.0 / 4 / 20);
    CHECK(slow->high == Approx(error * two_sided_t(4, miss_rate_of_weeks)));
    CHECK(slow->low == Approx(-slow->high));
    // As workloads, the same values would say much more.
    CHECK(interval_of_mean(cosine(20, 1), Sample::workloads)->high < slow->high / 2);
    // The third one counts as well, and the next odd one does not: a week makes good for the one before.
    CHECK(interval_of_mean(cosine(20, 3), Sample::weeks)->high == Approx(slow->high));
    CHECK(interval_of_mean(cosine(20, 5), Sample::weeks)->high == Approx(0).margin(1e-9));
    CHECK(interval_of_mean(cosine(20, 5), Sample::workloads)->high > 0.3);
}

TEST_CASE("the degrees of freedom of weeks are 0.6 n^(2/3)", "[metrics]") {
    for (const auto& [weeks, degrees] :
         {std::pair(20U, 4), std::pair(50U, 8), std::pair(52U, 8), std::pair(104U, 13), std::pair(260U, 24)}) {
        CAPTURE(weeks);
        // The square of the first cosine is divided by the number of those that count.
        const double error = std::sqrt(0.5 / degrees);
        CHECK(interval_of_mean(cosine(weeks, 1), Sample::weeks)->high ==
              Approx(error * two_sided_t(degrees, miss_rate_of_weeks)));
    }
}

TEST_CASE("the interval of a mean over weeks is that of a plain cosine transform, and depends on their order",
          "[metrics][property]") {
    RandomValues random(64);
    for (std::size_t round = 0; round < 60; ++round) {
        Values values = round % 2 == 0 ? random.autoregressive(20 + round) : random.exponential(20 + round);
        const Interval found = *interval_of_mean(values, Sample::weeks);
        require_same(found, of_weeks(mean_of(values), values));
        std::ranges::reverse(values);
        require_same(interval_of_mean(values, Sample::weeks), found);
        std::ranges::sort(values);  // the slowest change there is
        const Interval sorted = *interval_of_mean(values, Sample::weeks);
        REQUIRE(sorted.high - sorted.low > found.high - found.low);
    }
}

TEST_CASE("intervals err as often as they say, and not much more often where values are skew", "[metrics][property]") {
    RandomValues random(65);
    const auto normal = [&](std::size_t count) { return random.normal(count); };
    const auto exponential = [&](std::size_t count) { return random.exponential(count); };
    // Three standard deviations of the share of 2,000 draws. Skewness that is chance makes intervals wider, too.
    for (const std::size_t count : {5U, 6U, 8U, 30U}) {
        CAPTURE(count);
        const double rate = rate_of(count);
        const double share = missed(count, Sample::workloads, 0, normal);
        CHECK(share <= rate + 3 * std::sqrt(rate / 2000));
        CHECK(share >= std::max(rate / 2 - 3 * std::sqrt(rate / 2000 / 2), 0.0005));
    }
    CHECK(missed(5, Sample::workloads, 1, exponential) <= 0.05);
    CHECK(missed(8, Sample::workloads, 1, exponential) <= 0.07);
    CHECK(missed(30, Sample::workloads, 1, exponential) <= 0.06);
    CHECK(missed(52, Sample::weeks, 1, exponential) <= 0.06);
    // Half of the difference of a week to the mean is that of the week before.
    const auto series = [&](std::size_t count) { return random.autoregressive(count); };
    CHECK(missed(52, Sample::weeks, 0, series) <= 0.07);
    CHECK(missed(52, Sample::workloads, 0, series) >= 0.15);
}

TEST_CASE("values of several workloads count by groups of replicates", "[metrics]") {
    using Optional = std::vector<std::optional<double>>;
    const Optional nine{10, 30, 20, 50, 40, 70, 60, 90, 80};
    const WorkloadGroups apart{{0, 1, 2, 3, 4, 5, 6, 7, 8}};
    const GroupedMean alone = mean_over_groups(nine, apart);
    CHECK(alone.values == 9);
    CHECK(alone.mean == 50);
    require_same(alone.interval, *interval_of_mean({10, 30, 20, 50, 40, 70, 60, 90, 80}, Sample::workloads));
    require_same(mean_over_groups(nine, apart, 6).interval,
                 *interval_of_mean({10, 30, 20, 50, 40, 70, 60, 90, 80}, Sample::workloads, 6));
    // Replicates change nothing, however many there are.
    Optional fivefold;
    WorkloadGroups groups;
    for (std::size_t i = 0; i < nine.size(); ++i) {
        fivefold.insert(fivefold.end(), 5, nine[i]);
        groups.numbers.insert(groups.numbers.end(), 5, i);
    }
    const GroupedMean replicated = mean_over_groups(fivefold, groups);
    CHECK(replicated.values == 45);
    CHECK(replicated.mean == alone.mean);
    CHECK(replicated.interval->low == alone.interval->low);
    CHECK(replicated.interval->high == alone.interval->high);
    // A group counts with its mean, whatever its size.
    CHECK(mean_over_groups({1, 3, 10}, {{0, 0, 1}}).mean == 6);
    CHECK(mean_over_groups({1, std::nullopt, 10}, {{0, 0, 1}}).mean == 5.5);
    CHECK(!mean_over_groups({std::nullopt}, {{0}}).mean);
    CHECK(!mean_over_groups({1, 2, 3, 4}, {{0, 1, 2, 3}}).interval);
    CHECK(mean_over_groups({1, 2, 3, 4, 5}, {{0, 1, 2, 3, 4}}).interval);
    CHECK(!mean_over_groups({1, 2, 3, 4, std::nullopt}, {{0, 1, 2, 3, 4}}).interval);
    CHECK(!mean_over_groups({1, 2, 3, 4, 5}, {{0, 1, 2, 3, 4}, Sample::weeks}).interval);
}

TEST_CASE("weeks that are workloads have the interval of a series", "[metrics]") {
    RandomValues random(66);
    const Values values = random.autoregressive(24);
    WorkloadGroups groups{{}, Sample::weeks};
    std::vector<std::optional<double>> known;
    for (const double value : values) {
        groups.numbers.push_back(known.size());
        known.emplace_back(value);
    }
    require_same(mean_over_groups(known, groups).interval, of_weeks(mean_of(values), values));
}

TEST_CASE("a table over few workloads says why it has no intervals", "[metrics]") {
    CHECK(reason_for_no_intervals({{0, 1, 2, 3, 4}}).empty());
    CHECK(reason_for_no_intervals({{0, 0, 1, 2, 3, 4, 4}}).empty());
    CHECK(reason_for_no_intervals({{0}}) == "measured once: nothing is said about chance");
    CHECK(reason_for_no_intervals({{0}, Sample::weeks}) == "measured once: nothing is said about chance");
    CHECK(reason_for_no_intervals({{0, 0, 0}}) ==
          "measured once: nothing is said about chance, as all workloads have the same jobs");
    CHECK(reason_for_no_intervals({{0, 1, 1, 2, 3}}) ==
          "nothing is said about chance: 4 workloads with different jobs, expected at least 5");
    std::vector<std::size_t> weeks;
    for (std::size_t i = 0; i < 19; ++i) {
        weeks.push_back(i);
    }
    CHECK(reason_for_no_intervals({weeks, Sample::weeks}) ==
          "nothing is said about chance: 19 weeks, expected at least 20");
    weeks.push_back(19);
    CHECK(reason_for_no_intervals({weeks, Sample::weeks}).empty());
}

TEST_CASE("of the interval of a metric, only what is possible counts", "[metrics]") {
    const auto part = [](const char* metric, double value) {
        const Interval found = *analysis::possible_part(Interval{-1, 2}, metric, value);
        return std::pair(found.low, found.high);
    };
    CHECK(part("mean_wait", 0.5) == std::pair(0.0, 2.0));
    CHECK(part("mean_bounded_slowdown", 1.5) == std::pair(1.0, 2.0));
    CHECK(part("max_stretch", 1.5) == std::pair(1.0, 2.0));
    CHECK(part("utilisation", 0.5) == std::pair(0.0, 1.0));
    CHECK(part("utilisation_of_gpus", 1.25) == std::pair(0.0, 1.25));  // of a log
    CHECK_FALSE(analysis::possible_part(std::nullopt, "mean_wait", 1));
}

TEST_CASE("weeks begin with the first submission, and those without jobs are none", "[metrics]") {
    CHECK(of_waits(schedule({job("a", 100, 105, 1), job("b", 100 + week - 1, 100 + week, 1)})).weeks == 1);
    CHECK(of_waits(schedule({job("a", 100, 105, 1), job("b", 100 + week, 100 + week, 1)})).weeks == 2);
    CHECK(of_waits(with_waits({3, -1, -1, 4})).weeks == 2);
}

TEST_CASE("with few weeks there is a value without an interval, and without jobs no value", "[metrics]") {
    const MetricInterval one = of_waits(with_waits({7}));
    CHECK(one.value == 7);
    CHECK_FALSE(one.interval);
    const MeasuredSchedule empty = with_waits({});
    const MetricInterval none = of_waits(empty, &empty);
    CHECK(none.weeks == 0);
    CHECK_FALSE(none.value);
    CHECK_FALSE(none.interval);
    CHECK_FALSE(none.difference);
}

TEST_CASE("statistics of single weeks need 20 of them, and those of tails 50", "[metrics]") {
    const std::vector<std::string> tails{"wait_percentile_99", "mean_wait_worst_5_percent", "mean_wait_worst_1_percent",
                                         "bounded_slowdown_percentile_99"};
    Random random(67);
    for (const std::size_t weeks : {19U, 20U, 49U, 50U}) {
        const MeasuredSchedule run = with_waits(random_waits(random, weeks));
        for (const MetricInterval& found : measure_intervals(run, {}, &run)) {
            CAPTURE(weeks, found.metric);
            if (found.metric == "mean_stretch") {  // no job has a walltime
                CHECK_FALSE(found.value);
                CHECK_FALSE(found.interval);
                continue;
            }
            CHECK(found.value);
            const bool is_tail = std::ranges::find(tails, found.metric) != tails.end();
            CHECK(found.interval.has_value() == (weeks >= (is_tail ? 50U : 20U)));
            CHECK(found.difference_interval.has_value() == found.interval.has_value());
        }
    }
}

TEST_CASE("a statistic of jobs that are all of one week has no interval", "[metrics]") {
    std::vector<ScheduledJob> jobs;
    for (int w = 0; w < 30; ++w) {
        jobs.push_back(job(std::to_string(w), w * week, w * week + w, 10));
    }
    jobs.push_back(job("x", 5, 25, 10, 1, 10));
    const auto stretch = [&] { return of("mean_stretch", measure_intervals(schedule(jobs), {})); };
    CHECK(stretch().value == 3);
    CHECK_FALSE(stretch().interval);
    jobs.push_back(job("y", week, week + 20, 10, 1, 10));
    CHECK(stretch().value == 3);
    CHECK(stretch().interval);
}

TEST_CASE("the interval of a mean with a job each week is that of the jobs' values", "[metrics]") {
    Random random(68);
    const std::vector<int> waits = random_waits(random, 30);
    const Values values(waits.begin(), waits.end());
    require_same(of_waits(with_waits(waits)).interval, of_weeks(mean_of(values), values));
}

TEST_CASE("intervals of waits begin at 0, and those of differences do not", "[metrics]") {
    std::vector<int> waits(20, 0);
    waits[0] = 1000;
    waits[1] = 1000;
    const MeasuredSchedule run = with_waits(waits);
    const MeasuredSchedule at_once = with_waits(std::vector<int>(20, 0));
    const MetricInterval found = of_waits(run, &at_once);
    CHECK(found.interval->low == 0);
    CHECK(found.difference == 100);
    CHECK(found.difference_interval->low < 0);
    CHECK(found.difference_interval->high == Approx(found.interval->high));
}

TEST_CASE("differences from the baseline are of pairs of one job", "[metrics]") {
    Random random(69);
    std::vector<int> waits = random_waits(random, 25);
    const MeasuredSchedule before = with_waits(waits);
    for (int& wait : waits) {
        wait -= 3;
    }
    const MeasuredSchedule after = with_waits(waits);
    const MetricInterval found = of_waits(after, &before);
    CHECK(found.interval->high - found.interval->low > 100);
    CHECK(found.difference == -3);
    CHECK(found.difference_interval->low == Approx(-3));
    CHECK(found.difference_interval->high == Approx(-3));
    waits.pop_back();
    const MeasuredSchedule other = with_waits(waits);
    CHECK_THROWS_WITH(of_waits(after, &other), Catch::Matchers::Contains("w0!24"));
    CHECK_THROWS_AS(of_waits(other, &after), InputError);
}

TEST_CASE("intervals of all metrics are those of the jackknife by week, by computing each metric again",
          "[metrics][property]") {
    const std::size_t weeks = 55;
    for (unsigned round = 0; round < 4; ++round) {
        std::vector<ScheduledJob> jobs = random_jobs(70 + round, 170 + round, weeks);
        std::vector<ScheduledJob> others = random_jobs(70 + round, 270 + round, weeks);
        const MeasuredSchedule run = schedule(jobs);
        const MeasuredSchedule baseline = schedule(others);
        const std::vector<MetricInterval> found = measure_intervals(run, {}, &baseline);
        CHECK(found.size() == 13);
        for (const MetricInterval& each : found) {
            CAPTURE(round, each.metric);
            const std::optional<double> value = compute_metrics(run, {})[each.metric];
            REQUIRE(value);
            REQUIRE(each.value == value);
            REQUIRE(each.weeks == weeks);
            const double difference = *value - *compute_metrics(baseline, {})[each.metric];
            REQUIRE(each.difference == difference);
            const double all = *without(jobs, std::nullopt, each.metric);
            const double all_others = *without(others, std::nullopt, each.metric);
            Values own;
            Values differences;
            for (std::size_t w = 0; w < weeks; ++w) {
                const double rest = *without(jobs, w, each.metric);
                const double rest_of_others = *without(others, w, each.metric);
                own.push_back(55 * all - 54 * rest);
                differences.push_back(55 * (all - all_others) - 54 * (rest - rest_of_others));
            }
            const bool is_tail = each.metric.ends_with("_99") || each.metric.find("worst") != std::string::npos;
            const double rate = is_tail ? miss_rate_of_weeks / 2 : miss_rate_of_weeks;
            const bool is_ratio = each.metric.find("wait") == std::string::npos;
            Interval expected = of_weeks(*value, own, rate);
            expected.low = std::max(expected.low, is_ratio ? 1.0 : 0.0);  // of slowdowns and stretches
            require_same(each.interval, expected);
            require_same(each.difference_interval, of_weeks(difference, differences, rate));
        }
        // The order of the jobs is of no meaning.
        std::ranges::reverse(jobs);
        std::rotate(others.begin(), others.begin() + 20, others.end());  // clang 14 has no std::ranges::rotate
        const MeasuredSchedule reordered = schedule(others);
        const std::vector<MetricInterval> again = measure_intervals(schedule(jobs), {}, &reordered);
        for (std::size_t i = 0; i < found.size(); ++i) {
            CAPTURE(round, found[i].metric);
            REQUIRE(again[i].interval->low == found[i].interval->low);
            REQUIRE(again[i].interval->high == found[i].interval->high);
            REQUIRE(again[i].difference_interval->low == found[i].difference_interval->low);
            REQUIRE(again[i].difference_interval->high == found[i].difference_interval->high);
        }
    }
}

TEST_CASE("the bounded slowdown of intervals has the bound of the metrics", "[metrics]") {
    Random random(71);
    const MeasuredSchedule run = with_waits(random_waits(random, 20));
    MetricsOptions options;
    options.tau = Duration::seconds(1000);
    const MetricInterval found = of("mean_bounded_slowdown", measure_intervals(run, options));
    CHECK(found.value == compute_metrics(run, options)["mean_bounded_slowdown"]);
    CHECK(found.interval->high < 3);  // each job waited 1000 s to 2000 s, and ran 10 s
    CHECK(of("mean_slowdown", measure_intervals(run, options)).interval->low > 100);
}

TEST_CASE("intervals are written as a table, csv and json", "[metrics]") {
    const MeasuredSchedule few = with_waits({10, 30});
    const MeasuredSchedule equal = with_waits(std::vector<int>(20, 10));
    const MeasuredSchedule longer = with_waits(std::vector<int>(20, 13));
    const std::vector<RunIntervals> runs{{"easy", measure_intervals(few, {})},
                                         {"fcfs", measure_intervals(equal, {}, &longer)}};
    const auto written = [&](MetricsFormat format) {
        std::ostringstream out;
        write_intervals(out, runs, format);
        return out.str();
    };
    const std::string csv = written(MetricsFormat::csv);
    CHECK(
        csv.starts_with("run,metric,weeks,value,low,high,difference,difference_low,difference_high\n"
                        "\"easy\",\"mean_wait\",2,20,,,,,\n"
                        "\"easy\",\"mean_bounded_slowdown\",2,3,,,,,\n"));
    CHECK_THAT(csv, Catch::Matchers::Contains("\"fcfs\",\"mean_wait\",20,10,10,10,-3,-3,-3\n") &&
                        Catch::Matchers::Contains("\"fcfs\",\"wait_percentile_99\",20,10,,,-3,,\n"));
    CHECK(written(MetricsFormat::json)
              .starts_with("[{\"run\":\"easy\",\"metric\":\"mean_wait\",\"weeks\":2,\"value\":20,\"low\":null,"));
    CHECK_THAT(written(MetricsFormat::table),
               Catch::Matchers::Matches("(.|\\n)*fcfs +mean_wait +20 +10.0 +10.0 +10.0 +-3.0 +-3.0 +-3.0\n(.|\\n)*"));
}

}  // namespace batfill::tests::intervals_test
