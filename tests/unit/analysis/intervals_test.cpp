#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/compared_intervals.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/scheduled_job.hpp"

namespace batfill::tests::intervals_test {

namespace {

using tests::job;

constexpr long long week = 7LL * 24 * 3600;

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

MetricInterval of_waits(const MeasuredSchedule& run, const IntervalOptions& how = {},
                        const MeasuredSchedule* baseline = nullptr) {
    const std::vector<MetricInterval> found = measure_intervals(run, {}, how, baseline);
    REQUIRE(found.size() > 2);
    REQUIRE(found[0].metric == "mean_wait");
    REQUIRE(found[1].metric == "mean_bounded_slowdown");
    return found[0];
}

}  // namespace

TEST_CASE("the interval of two weeks reaches from one to the other", "[metrics]") {
    const MetricInterval waits = of_waits(with_waits({10, 30}));
    CHECK(waits.weeks == 2);
    CHECK(waits.value == 20);
    CHECK(waits.interval->low == 10);
    CHECK(waits.interval->high == 30);
    CHECK_FALSE(waits.difference);
    CHECK_FALSE(waits.difference_interval);
    const MetricInterval slowdowns = measure_intervals(with_waits({10, 30}), {}, {})[1];
    CHECK(slowdowns.value == 3);
    CHECK(slowdowns.interval->low == 2);
    CHECK(slowdowns.interval->high == 4);
}

TEST_CASE("weeks begin with the first submission, and those without jobs are none", "[metrics]") {
    CHECK(of_waits(schedule({job("a", 100, 105, 1), job("b", 100 + week - 1, 100 + week, 1)})).weeks == 1);
    CHECK(of_waits(schedule({job("a", 100, 105, 1), job("b", 100 + week, 100 + week, 1)})).weeks == 2);
    CHECK(of_waits(with_waits({3, -1, -1, 4})).weeks == 2);
}

TEST_CASE("blocks of weeks are drawn together", "[metrics]") {
    const MeasuredSchedule alternating = with_waits({0, 4, 0, 4});
    const MetricInterval single = of_waits(alternating);
    CHECK(single.interval->low == 0);
    CHECK(single.interval->high == 4);
    // Each block of two weeks, including the last week with the first, has one of each.
    const MetricInterval blocks = of_waits(alternating, {.block = 2});
    CHECK(blocks.interval->low == 2);
    CHECK(blocks.interval->high == 2);
}

TEST_CASE("without two blocks of weeks there is no interval, and without jobs no value", "[metrics]") {
    const MetricInterval one = of_waits(with_waits({7}));
    CHECK(one.value == 7);
    CHECK_FALSE(one.interval);
    CHECK_FALSE(of_waits(with_waits({7, 8, 9}), {.block = 2}).interval);
    CHECK(of_waits(with_waits({7, 8, 9, 9}), {.block = 2}).interval);
    const MeasuredSchedule empty = with_waits({});
    const MetricInterval none = of_waits(empty, {}, &empty);
    CHECK(none.weeks == 0);
    CHECK_FALSE(none.value);
    CHECK_FALSE(none.difference);
}

TEST_CASE("differences from the baseline are of pairs of one job", "[metrics]") {
    const MeasuredSchedule before = with_waits({100, 5000, 20, 700});
    const MeasuredSchedule after = with_waits({97, 4997, 17, 697});
    const MetricInterval waits = of_waits(after, {}, &before);
    CHECK(waits.interval->high - waits.interval->low > 1000);
    CHECK(waits.difference == -3);
    CHECK(waits.difference_interval->low == -3);
    CHECK(waits.difference_interval->high == -3);
    const MeasuredSchedule other = with_waits({100, 5000});
    CHECK_THROWS_AS(of_waits(after, {}, &other), InputError);
}

TEST_CASE("the bounds are those of all resamples there are", "[metrics]") {
    tests::Random random(51);
    for (int round = 0; round < 30; ++round) {
        std::vector<ScheduledJob> jobs;
        std::array<double, 4> sums{};
        std::array<double, 4> counts{};
        for (std::size_t w = 0; w < 4; ++w) {
            for (int i = random.between(1, 9); i > 0; --i) {
                const long long submit = static_cast<long long>(w) * week + (i == 1 ? 0 : i);
                const int wait = random.between(0, 1000);
                jobs.push_back(job(std::to_string(w) + "-" + std::to_string(i), submit, submit + wait, 10));
                sums.at(w) += wait;
                counts.at(w) += 1;
            }
        }
        std::vector<double> all;
        for (std::size_t draw = 0; draw < 256; ++draw) {
            double sum = 0;
            double count = 0;
            for (std::size_t digits = draw, i = 0; i < 4; ++i, digits /= 4) {
                sum += sums.at(digits % 4);
                count += counts.at(digits % 4);
            }
            all.push_back(sum / count);
        }
        std::sort(all.begin(), all.end());
        // With 10,000 resamples, the share below a value is within 0.01 of the exact one: six standard deviations.
        const auto bound = [&](double share) { return all.at(static_cast<std::size_t>(share * 256)); };
        const IntervalOptions how{.resamples = 10'000, .block = 1, .seed = static_cast<std::uint64_t>(round)};
        const MetricInterval found = of_waits(schedule(jobs), how);
        REQUIRE(found.interval->low >= bound(0.015) - 1e-9);
        REQUIRE(found.interval->low <= bound(0.035) + 1e-9);
        REQUIRE(found.interval->high >= bound(0.965) - 1e-9);
        REQUIRE(found.interval->high <= bound(0.985) + 1e-9);
        std::reverse(jobs.begin(), jobs.end());
        const MetricInterval again = of_waits(schedule(jobs), how);
        REQUIRE(again.interval->low == found.interval->low);
        REQUIRE(again.interval->high == found.interval->high);
    }
}

TEST_CASE("the value of each metric is that of metrics, and an interval is made of the same measure", "[metrics]") {
    tests::Random random(52);
    for (int round = 0; round < 10; ++round) {
        std::vector<ScheduledJob> jobs;
        std::vector<ScheduledJob> longer;
        for (int i = 0; i < 60; ++i) {
            const long long submit = random.between(0, 4) * week + random.between(0, 1000);
            const int wait = random.between(0, 1000);
            const int width = random.between(1, 4);
            jobs.push_back(job(std::to_string(i), submit, submit + wait, random.between(1, 100), width));
            longer.push_back(job(std::to_string(i), submit, submit + wait + 50, 10, width));
        }
        const MeasuredSchedule run = schedule(jobs);
        const MeasuredSchedule baseline = schedule(longer);
        const Metrics metrics = compute_metrics(run, {});
        for (const MetricInterval& found : measure_intervals(run, {}, {.resamples = 300}, &baseline)) {
            INFO(found.metric);
            CHECK(found.value == metrics[found.metric]);
            if (found.value) {
                REQUIRE(found.interval);
                CHECK(found.interval->low <= found.interval->high);
            }
        }
        // All jobs in one week, twice: each resample is the run itself, twice.
        std::vector<ScheduledJob> twice;
        for (const long long begin : {0LL, week}) {
            for (int i = 0; i < 30; ++i) {
                twice.push_back(job(std::to_string(begin + i), begin + i, begin + i + (i * 37) % 101, 10, i + 1));
            }
        }
        for (const MetricInterval& found : measure_intervals(schedule(twice), {}, {.resamples = 100})) {
            if (found.interval) {
                INFO(found.metric);
                CHECK(found.interval->low == Approx(found.interval->high));
                CHECK(found.interval->low == Approx(*found.value));
            }
        }
    }
}

TEST_CASE("the interval of a mean of independent values", "[metrics]") {
    CHECK_FALSE(interval_of_mean({}));
    CHECK_FALSE(interval_of_mean({5}));
    const std::optional<Interval> two = interval_of_mean({1, 3});
    CHECK(two->low == 1);
    CHECK(two->high == 3);
    const std::optional<Interval> equal = interval_of_mean({2, 2, 2});
    CHECK(equal->low == 2);
    CHECK(equal->high == 2);
}

TEST_CASE("Values of several workloads count by groups of replicates", "[metrics]") {
    using Values = std::vector<std::optional<double>>;
    const Values nine{10, 30, 20, 50, 40, 70, 60, 90, 80};
    const std::vector<std::size_t> apart{0, 1, 2, 3, 4, 5, 6, 7, 8};
    const GroupedMean alone = mean_over_groups(nine, apart);
    CHECK(alone.values == 9);
    CHECK(alone.mean == 50);
    REQUIRE(alone.interval);
    // Replicates change nothing, however many there are.
    Values fivefold;
    std::vector<std::size_t> groups;
    for (std::size_t i = 0; i < nine.size(); ++i) {
        fivefold.insert(fivefold.end(), 5, nine[i]);
        groups.insert(groups.end(), 5, i);
    }
    const GroupedMean replicated = mean_over_groups(fivefold, groups);
    CHECK(replicated.values == 45);
    CHECK(replicated.mean == alone.mean);
    CHECK(replicated.interval->low == alone.interval->low);
    CHECK(replicated.interval->high == alone.interval->high);
    // A group counts with its mean, whatever its size.
    CHECK(mean_over_groups({1, 3, 10}, {0, 0, 1}).mean == 6);
    CHECK(mean_over_groups({1, std::nullopt, 10}, {0, 0, 1}).mean == 5.5);
    CHECK(!mean_over_groups({std::nullopt}, {0}).mean);
    CHECK(!mean_over_groups({1, 2, 3, 4}, {0, 1, 2, 3}).interval);
    CHECK(mean_over_groups({1, 2, 3, 4, 5}, {0, 1, 2, 3, 4}).interval);
    CHECK(!mean_over_groups({1, 2, 3, 4, std::nullopt}, {0, 1, 2, 3, 4}).interval);
}

TEST_CASE("A table over few workloads says why it has no intervals", "[metrics]") {
    CHECK(reason_for_no_intervals({0}).empty());
    CHECK(reason_for_no_intervals({0, 1, 2, 3, 4}).empty());
    CHECK_THAT(
        reason_for_no_intervals({0, 0, 0}),
        Catch::Matchers::Contains("too few workloads for intervals: 1 with different jobs, expected at least 5"));
    CHECK_THAT(reason_for_no_intervals({0, 1, 2, 3}), Catch::Matchers::Contains("4 with different jobs"));
}

TEST_CASE("intervals are written as a table, csv and json", "[metrics]") {
    const std::vector<RunIntervals> runs{{"easy", measure_intervals(with_waits({10, 30}), {}, {})}};
    const auto written = [&](MetricsFormat format) {
        std::ostringstream out;
        write_intervals(out, runs, format);
        return out.str();
    };
    CHECK(written(MetricsFormat::csv)
              .starts_with("run,metric,weeks,value,low,high,difference,difference_low,difference_high\n"
                           "\"easy\",\"mean_wait\",2,20,10,30,,,\n"
                           "\"easy\",\"mean_bounded_slowdown\",2,3,2,4,,,\n"));
    CHECK(written(MetricsFormat::json)
              .rfind("[{\"run\":\"easy\",\"metric\":\"mean_wait\",\"weeks\":2,\"value\":20,", 0) == 0);
    CHECK_THAT(written(MetricsFormat::table),
               Catch::Matchers::Matches("(.|\\n)*mean_wait +2   20.0       10.0   30.0 +-(.|\\n)*"));
}

TEST_CASE("a run is told apart from the best if it is worse in nearly all resamples", "[metrics]") {
    const std::vector<MeasuredSchedule> runs{with_waits({100, 5000, 20, 700, 60}), with_waits({97, 4997, 17, 697, 57}),
                                             with_waits({90, 4990, 10, 720, 50})};
    const auto jobs = [&](std::vector<std::size_t> of) {
        std::vector<const analysis::FinishedJobs*> result;
        std::ranges::transform(of, std::back_inserter(result), [&](std::size_t run) { return &runs[run].finished(); });
        return result;
    };
    const auto of_waits_of = [&](std::vector<std::size_t> of) {
        const analysis::ComparedIntervals found =
            analysis::compare_intervals(jobs(std::move(of)), {"mean_wait"}, Duration::seconds(10));
        CHECK(found.reason.empty());
        CHECK(found.weeks == 5);
        REQUIRE(found.metrics.size() == 1);
        return found.metrics[0];
    };
    // Each wait is 3 s longer.
    const analysis::ComparedMetric apart = of_waits_of({0, 1});
    CHECK(apart.best == 1);
    CHECK(apart.is_told_apart == std::vector{true, false});
    // The mean is shorter, but one week is longer.
    const analysis::ComparedMetric open = of_waits_of({1, 2});
    CHECK(open.best == 1);
    CHECK(open.is_told_apart == std::vector{false, false});
    CHECK(of_waits_of({0, 0}).is_told_apart == std::vector{false, false});
    // The intervals are those of a run alone.
    for (const std::size_t run : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
        const Interval alone = *of_waits(runs[run]).interval;
        CHECK(of_waits_of({run, 1}).values[0].low == alone.low);
        CHECK(of_waits_of({run, 1}).values[0].high == alone.high);
    }
}

TEST_CASE("runs are not told apart by few weeks or by different jobs", "[metrics]") {
    const MeasuredSchedule four = with_waits({1, 2, 3, 4});
    const MeasuredSchedule five = with_waits({1, 2, 3, 4, 5});
    const auto reason = [](const MeasuredSchedule& one, const MeasuredSchedule& other) {
        const analysis::ComparedIntervals found =
            analysis::compare_intervals({&one.finished(), &other.finished()}, {"mean_wait"}, Duration::seconds(10));
        CHECK(found.metrics.empty());
        return found.reason;
    };
    CHECK(reason(four, four) == "too few weeks of jobs: 4, expected at least 5");
    CHECK(reason(five, four) == "the runs finished different jobs");
}

}  // namespace batfill::tests::intervals_test
