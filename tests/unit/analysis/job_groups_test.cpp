#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "tests/support/random_stream.hpp"
#include "tests/support/scheduled_job.hpp"

namespace batfill::tests::job_groups_test {

namespace {

using tests::job;

// Times in seconds, on 1, 3, 3 and 4 processors. The users are Bob, Ann, none and Ann.
struct Run {
    Schedule schedule{"run_jobs.csv",
                      {job("a", 0, 0, 59), job("b", 0, 20, 60, 3), job("c", 0, 40, 50, 3), job("d", 0, 60, 90, 4)}};
    std::vector<Workload> workloads = [this] {
        std::vector<Workload> result(1);
        const std::vector<std::string> users{"Bob", "Ann", "", "Ann"};
        for (std::size_t i = 0; i < users.size(); ++i) {
            add_job_of(schedule.jobs[i], result.front()).description.user = users[i];
        }
        return result;
    }();
    std::vector<JobGroup> by(const std::vector<JobGrouping>& groupings) const {
        return measure_groups(schedule, {}, groupings, workloads);
    }
};

std::string names_and_jobs(const std::vector<JobGroup>& groups) {
    std::string text;
    for (const JobGroup& group : groups) {
        for (const std::string& name : group.names) {
            text += name + "|";
        }
        text += std::to_string(group.metrics.jobs) + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("jobs are divided by width, length and user", "[metrics]") {
    const Run run;
    CHECK(names_and_jobs(run.by({JobGrouping::width})) == "1|1\n3-4|3\n");
    CHECK(names_and_jobs(run.by({JobGrouping::length})) == "< 1 min|2\n1-10 min|2\n");
    CHECK(names_and_jobs(run.by({JobGrouping::user})) == "|1\nAnn|2\nBob|1\n");
    CHECK(names_and_jobs(run.by({JobGrouping::queue})) == "|4\n");
    CHECK(names_and_jobs(run.by({JobGrouping::length, JobGrouping::width})) ==
          "< 1 min|1|1\n< 1 min|3-4|1\n1-10 min|3-4|2\n");
}

TEST_CASE("the metrics of a group are those worked out by hand", "[metrics]") {
    const GroupMetrics wide = Run().by({JobGrouping::width}).back().metrics;  // waits 20, 40, 60; runs 60, 50, 90
    CHECK(wide.jobs == 3);
    CHECK(wide.processor_seconds == 60 * 3 + 50 * 3 + 90 * 4);
    CHECK(wide.mean_wait == 40);
    CHECK(wide.median_wait == 40);
    CHECK(wide.max_wait == 60);
    CHECK(*wide.mean_bounded_slowdown == Approx((80.0 / 60 + 90.0 / 50 + 150.0 / 90) / 3));
    CHECK(*wide.median_bounded_slowdown == Approx(150.0 / 90));
}

TEST_CASE("a single group has the metrics of the run", "[metrics]") {
    tests::Random random(41);
    for (int round = 0; round < 50; ++round) {
        std::vector<ScheduledJob> jobs;
        for (int i = random.between(1, 60); i > 0; --i) {
            jobs.push_back(job(std::to_string(i), i, i + random.between(0, 99), random.between(1, 59), 2));
        }
        const Schedule schedule{"run_jobs.csv", jobs};
        const Metrics metrics = compute_metrics(schedule, {});
        const std::vector<JobGroup> groups = measure_groups(schedule, {}, {JobGrouping::width, JobGrouping::length});
        REQUIRE(groups.size() == 1);
        REQUIRE(groups[0].names == std::vector<std::string>{"2", "< 1 min"});
        REQUIRE(groups[0].metrics.mean_wait == metrics["mean_wait"]);
        REQUIRE(groups[0].metrics.median_wait == metrics["median_wait"]);
        REQUIRE(groups[0].metrics.max_wait == metrics["max_wait"]);
        REQUIRE(groups[0].metrics.mean_bounded_slowdown == metrics["mean_bounded_slowdown"]);
        REQUIRE(groups[0].metrics.median_bounded_slowdown == metrics["median_bounded_slowdown"]);
    }
}

TEST_CASE("groups are written as a table, csv and json", "[metrics]") {
    const std::vector<JobGrouping> groupings{JobGrouping::user};
    const std::vector<RunGroups> runs{{"easy", Run().by(groupings)}};
    const auto written = [&](MetricsFormat format) {
        std::ostringstream out;
        write_groups(out, runs, groupings, format);
        return out.str();
    };
    const std::string table = written(MetricsFormat::table);
    CHECK(std::count(table.begin(), table.end(), '\n') == 4);
    CHECK(table.find("easy     -     1") != std::string::npos);
    const std::string csv = written(MetricsFormat::csv);
    CHECK(
        csv.rfind(
            "run,user,jobs,processor_seconds,mean_wait,median_wait,max_wait,mean_bounded_slowdown,median_bounded_slowdown\n\"easy\",\"\",1,150,40,40,40,1.8,1.8\n",
            0) == 0);
    CHECK(csv.ends_with("\n\"easy\",\"Bob\",1,59,0,0,0,1,1\n"));
    CHECK(written(MetricsFormat::json).rfind("[{\"run\":\"easy\",\"user\":\"\",\"jobs\":1,", 0) == 0);
}

TEST_CASE("users need a workload that has every job", "[metrics]") {
    const Run run;
    CHECK_THROWS_WITH(measure_groups(run.schedule, {}, {JobGrouping::user}),
                      "run_jobs.csv: job w0!a is in none of the workloads");
    CHECK_NOTHROW(measure_groups(run.schedule, {}, {JobGrouping::width}));
}

}  // namespace batfill::tests::job_groups_test
