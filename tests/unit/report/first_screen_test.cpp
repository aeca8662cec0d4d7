#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>

#include "src/report/first_screen.hpp"
#include "src/report/report.hpp"
#include "tests/support/random.hpp"

namespace batfill::tests::first_screen_test {

namespace {

using namespace batfill::report;
using analysis::FinishedJobs;
using analysis::Mark;

constexpr long long week = 7LL * 24 * 3600;
constexpr Duration tau = Duration::seconds(10);

struct Waited {
    int id;
    long long wait;
    long long submit = 0;
    long long run = 10;
};

// The texts of ids live as long as the tests.
std::string_view id_of(int number) {
    static std::deque<std::string> ids;
    while (ids.size() <= static_cast<std::size_t>(number)) {
        ids.push_back("w0!" + std::to_string(ids.size()));
    }
    return ids[static_cast<std::size_t>(number)];
}

// Jobs on one processor.
FinishedJobs jobs_of(const std::vector<Waited>& waited) {
    FinishedJobs jobs;
    for (const Waited& each : waited) {
        FinishedJob& job = jobs.emplace_back();
        job.id = id_of(each.id);
        job.processors = 1;
        job.allocated = 1;
        job.submit = Time::seconds(each.submit);
        job.start = Time::seconds(each.submit + each.wait);
        job.run = Duration::seconds(each.run);
        job.finish = job.start + job.run;
    }
    return jobs;
}

// Jobs 0, 1, ... with these waits.
FinishedJobs with_waits(const std::vector<long long>& waits) {
    std::vector<Waited> waited;
    for (const long long wait : waits) {
        waited.push_back({static_cast<int>(waited.size()), wait});
    }
    return jobs_of(waited);
}

std::string no_user(const FinishedJob&) {
    return "";
}

FirstScreen screen_of(const std::vector<FinishedJobs>& runs, const UserOf& user_of = no_user,
                      std::size_t baseline = 0) {
    std::vector<const FinishedJobs*> given;
    std::vector<std::string> names;
    for (const FinishedJobs& run : runs) {
        given.push_back(&run);
        names.emplace_back(1, static_cast<char>('a' + names.size()));
    }
    return first_screen(given, names, baseline, tau, user_of);
}

const ComparedMetric& metric(const FirstScreen& screen, const std::string& name) {
    const auto found = std::ranges::find(screen.metrics, name,
                                         [](const ComparedMetric& each) { return std::string(each.metric->name); });
    REQUIRE(found != screen.metrics.end());
    return *found;
}

// Three jobs in each week, whose waits change from week to week, and `more` on top of each.
FinishedJobs weekly(std::size_t weeks, long long more) {
    Random random(91);
    std::vector<Waited> waited;
    for (std::size_t w = 0; w < weeks; ++w) {
        const int wait = random.between(1000, 2000);
        for (int i = 0; i < 3; ++i) {
            waited.push_back({static_cast<int>(waited.size()), wait + random.between(0, 100) + more,
                              static_cast<long long>(w) * week + i});
        }
    }
    return jobs_of(waited);
}

// A user "x" of job 0, and "y" of the others.
std::string user_of_first(const FinishedJob& job) {
    return job.id == id_of(0) ? "x" : "y";
}

// Waits of 20 jobs: that of the first one, and of all others.
FinishedJobs twenty(long long first, long long others = 0) {
    std::vector<long long> waits(20, others);
    waits.front() = first;
    return with_waits(waits);
}

}  // namespace

TEST_CASE("The first screen compares the jobs that all runs finished", "[report]") {
    const FirstScreen screen = screen_of({jobs_of({{1, 10}, {2, 20}, {3, 9000}}), jobs_of({{2, 60}, {1, 40}, {4, 0}}),
                                          jobs_of({{5, 7}, {1, 30}, {2, 30}})});
    CHECK(screen.jobs == 2);
    CHECK(screen.left_out == 3);
    CHECK(metric(screen, "mean_wait").values == std::vector<std::optional<double>>{15, 50, 30});
    CHECK(metric(screen, "wait_percentile_99").values == std::vector<std::optional<double>>{20, 60, 30});
    CHECK(metric(screen, "max_wait").values == std::vector<std::optional<double>>{20, 60, 30});
    CHECK(metric(screen, "mean_bounded_slowdown").values == std::vector<std::optional<double>>{2.5, 6, 4});
    CHECK(screen.metrics.size() == 4);
    CHECK(screen.verdict == "a has the least mean wait; measured once: nothing is said about chance.");
    for (const ComparedMetric& compared : screen.metrics) {
        CHECK(compared.marks == std::vector<Mark>(3, Mark::none));
        CHECK(compared.intervals.size() == 3);
        CHECK(std::ranges::none_of(compared.intervals, [](const auto& interval) { return interval.has_value(); }));
    }
}

TEST_CASE("Without a job that all runs finished there is nothing to compare", "[report]") {
    const FirstScreen none = screen_of({jobs_of({{1, 10}}), jobs_of({{2, 20}})}, user_of_first);
    CHECK(none.jobs == 0);
    CHECK(none.left_out == 2);
    CHECK(none.weeks == 0);
    CHECK(none.verdict.empty());
    CHECK_FALSE(none.decisive_job);
    CHECK_FALSE(none.starved_user);
    CHECK_FALSE(metric(none, "mean_wait").values[0]);
    const FirstScreen one = screen_of({with_waits({5, 9000})}, user_of_first);
    CHECK(one.jobs == 2);
    CHECK(one.left_out == 0);
    CHECK(one.verdict.empty());
    CHECK_FALSE(one.decisive_job);
    CHECK_FALSE(one.starved_user);
}

TEST_CASE("The first screen says with which weeks it can tell runs apart", "[report]") {
    const auto verdict = [](std::size_t weeks, long long more) {
        return screen_of({weekly(weeks, more), weekly(weeks, 0)}).verdict;
    };
    CHECK_THAT(verdict(1, 9), Catch::EndsWith("; measured once: nothing is said about chance."));
    CHECK_THAT(verdict(19, 9),
               Catch::EndsWith("; nothing is said about chance: 19 weeks of jobs, expected at least 20."));
    CHECK_THAT(verdict(20, 9), Catch::StartsWith("b has the least mean wait, 0.") &&
                                   Catch::EndsWith(" % less than a, and is told apart from it."));
    CHECK(verdict(20, 0) == "Both have the same mean wait.");
}

TEST_CASE("Marks of the first screen are those of weeks, and the longest wait has none", "[report]") {
    using Marks = std::vector<Mark>;
    const Marks apart{Mark::told_apart, Mark::best};
    const Marks none(2, Mark::none);
    for (const std::size_t weeks : {20U, 50U}) {
        CAPTURE(weeks);
        const FirstScreen screen = screen_of({weekly(weeks, 60), weekly(weeks, 0)}, no_user, 1);
        CHECK(screen.weeks == weeks);
        CHECK(screen.jobs == 3 * weeks);
        CHECK(metric(screen, "mean_wait").marks == apart);
        CHECK(metric(screen, "mean_bounded_slowdown").marks == apart);
        // A week at most has the longest waits, so tails need 50 of them.
        CHECK(metric(screen, "wait_percentile_99").marks == (weeks < 50 ? none : apart));
        CHECK(metric(screen, "max_wait").marks == none);
        CHECK_FALSE(metric(screen, "max_wait").intervals[0]);
        const ComparedMetric& waits = metric(screen, "mean_wait");
        REQUIRE(waits.intervals[0]);
        REQUIRE(waits.intervals[1]);
        CHECK(waits.intervals[0]->low == Approx(waits.intervals[1]->low + 60));
        CHECK(waits.intervals[0]->high == Approx(waits.intervals[1]->high + 60));
        // Told apart although each interval contains the other mean.
        CHECK(waits.intervals[0]->contains(*waits.values[1]));
    }
}

TEST_CASE("Metrics of the first screen have marks only where the mean wait has some", "[report]") {
    // In each week there is a short job, which waits for 100 s more in the first run, and a long one, which waits for
    // anything up to 12 days.
    const auto with_long_waits = [](long long more, unsigned seed) {
        Random random(seed);
        std::vector<Waited> waited;
        for (int w = 0; w < 20; ++w) {
            waited.push_back({2 * w, more, w * week});
            waited.push_back({2 * w + 1, random.between(0, 1'000'000), w * week, 10'000'000});
        }
        return jobs_of(waited);
    };
    using Marks = std::vector<Mark>;
    const FirstScreen same = screen_of({with_long_waits(100, 92), with_long_waits(0, 92)});
    CHECK(metric(same, "mean_bounded_slowdown").marks == Marks{Mark::told_apart, Mark::best});
    const FirstScreen others = screen_of({with_long_waits(100, 92), with_long_waits(0, 93)});
    CHECK_THAT(others.verdict, Catch::Contains("but this may be chance"));
    CHECK(metric(others, "mean_wait").marks == Marks(2, Mark::none));
    CHECK(metric(others, "mean_bounded_slowdown").marks == Marks(2, Mark::none));
}

TEST_CASE("Each run has intervals where there are enough weeks, even if it is alone", "[report]") {
    const FirstScreen alone = screen_of({weekly(20, 0)});
    CHECK(metric(alone, "mean_wait").intervals[0]);
    CHECK_FALSE(metric(alone, "wait_percentile_99").intervals[0]);
    CHECK(metric(alone, "mean_wait").marks == std::vector<Mark>{Mark::none});
}

TEST_CASE("A job that is a large part of all waiting is decisive", "[report]") {
    // The last job waits 500 s of 1000 s in the second run, and 150 s of 1050 s in the first one.
    const FirstScreen screen = screen_of({with_waits({100, 100, 100, 100, 100, 100, 100, 100, 100, 150}),
                                          with_waits({0, 0, 0, 0, 0, 0, 0, 200, 300, 500})});
    REQUIRE(screen.decisive_job);
    CHECK(screen.decisive_job->id == id_of(9));
    CHECK(screen.decisive_job->run == 1);
    CHECK(screen.decisive_job->share == 0.5);
    CHECK(screen.decisive_job->means_without == std::vector<double>{100, 500.0 / 9});
    // A tenth is enough, and less is not.
    CHECK(screen_of({twenty(190, 90), twenty(0)}).decisive_job->share == 0.1);
    CHECK_FALSE(screen_of({twenty(189, 90), twenty(0)}).decisive_job);
    CHECK_FALSE(screen_of({twenty(0), twenty(0)}).decisive_job);
    // Without the only job there would be no mean.
    CHECK_FALSE(screen_of({with_waits({100}), with_waits({50})}).decisive_job);
    // Of jobs that another run did not finish, none is decisive.
    const FirstScreen others = screen_of({jobs_of({{1, 5}, {2, 5}, {3, 9000}}), jobs_of({{1, 5}, {2, 5}})});
    CHECK(others.decisive_job->share == 0.5);
}

TEST_CASE("A user who waits much longer than others under one run, and not under another, is starved", "[report]") {
    const FirstScreen screen = screen_of({twenty(300, 200), twenty(1000), twenty(250, 100)}, user_of_first);
    REQUIRE(screen.starved_user);
    CHECK(screen.starved_user->name == "x");
    CHECK(screen.starved_user->jobs == 1);
    CHECK(screen.starved_user->run == 1);
    CHECK(screen.starved_user->mean_wait == 1000);
    CHECK(screen.starved_user->times == 20);
    CHECK(screen.starved_user->other_run == 2);
    CHECK(screen.starved_user->other_mean_wait == 250);
    // Half of the wait is enough, and more is not.
    CHECK(screen_of({twenty(1000), twenty(500)}, user_of_first).starved_user);
    CHECK_FALSE(screen_of({twenty(1000), twenty(501)}, user_of_first).starved_user);
    // Ten times the mean, here 38 s, is enough.
    CHECK(screen_of({twenty(380, 20), twenty(0)}, user_of_first).starved_user->times == 10);
    CHECK_FALSE(screen_of({twenty(379, 20), twenty(0)}, user_of_first).starved_user);
}

TEST_CASE("Without users nobody is starved, and jobs of nobody are no user's", "[report]") {
    const std::vector<FinishedJobs> runs{twenty(1000), twenty(0)};
    CHECK_FALSE(screen_of(runs, no_user).starved_user);
    CHECK_FALSE(screen_of(runs, [](const FinishedJob& job) { return job.id == id_of(0) ? "" : "y"; }).starved_user);
    // Nobody's jobs count in the mean of all.
    const auto only_first = [](const FinishedJob& job) { return job.id == id_of(0) ? "x" : ""; };
    CHECK(screen_of(runs, only_first).starved_user->times == 20);
    CHECK_FALSE(screen_of({twenty(0), twenty(0)}, user_of_first).starved_user);
}

TEST_CASE("The data of a page has its first screen", "[report]") {
    Report report;
    report.options.processors = 8;
    for (const auto& [label, wait] : {std::pair("a", 30), std::pair("b", 10)}) {
        Schedule schedule{std::string(label) + "_jobs.csv", {}};
        for (const int number : {1, 2, 3}) {
            ScheduledJob& job = schedule.jobs.emplace_back();
            job.id = "w0!" + std::to_string(number);
            job.processors = 1;
            const long long start = number == 3 ? 0 : wait;
            job.execution = ExecutionRecord{Time::seconds(start), Duration::seconds(10), Time::seconds(start + 10),
                                            Duration::seconds(start), Duration::seconds(start + 10)};
            job.allocation = ResourceSet::range(0, 0);
        }
        if (label == std::string("b")) {
            schedule.jobs.pop_back();
        }
        report.runs.push_back({label, schedule});
    }
    rapidjson::Document data;
    data.Parse(report_data(report));
    REQUIRE(!data.HasParseError());
    const rapidjson::Value& screen = data["first_screen"];
    CHECK(screen["verdict"].GetString() ==
          std::string("b has the least mean wait, 66.7 % less than a; measured once: nothing is said about chance."));
    CHECK(screen["jobs"].GetInt() == 2);
    CHECK(screen["left_out"].GetInt() == 1);
    CHECK(screen["weeks"].GetInt() == 1);
    const rapidjson::Value& waits = screen["metrics"][0];
    CHECK(waits["name"].GetString() == std::string("mean_wait"));
    CHECK(waits["values"][0].GetDouble() == 30);
    CHECK(waits["values"][1].GetDouble() == 10);
    CHECK(waits["differences"][1].GetString() == std::string("-66.7 %"));
    CHECK(waits["low"][0].IsNull());
    CHECK(waits["high"][1].IsNull());
    CHECK(waits["marks"][0].GetString() == std::string());
    CHECK_THAT(std::string(waits["meaning"].GetString()), Catch::EndsWith("."));
    const rapidjson::Value& decisive = screen["decisive_job"];
    CHECK(decisive["id"].GetString() == std::string("2"));
    CHECK(decisive["run"].GetInt() == 0);
    CHECK(decisive["share"].GetDouble() == 0.5);
    CHECK(decisive["means_without"][0].GetDouble() == 30);
    CHECK(decisive["means_without"][1].GetDouble() == 10);
    CHECK_FALSE(screen.HasMember("starved_user"));
}

}  // namespace batfill::tests::first_screen_test
