#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/workloads/swf_conversion.hpp>

#include "tests/unit/workloads/swf_lines.hpp"

namespace batfill::tests::swf_estimates_test {

using namespace swf_lines;

TEST_CASE("an SWF job without requested time gets its run time, a given walltime or none, or is dropped", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .estimate = "-1"}, {.number = "2", .estimate = "0"}, {.number = "3"}});
    SwfConversion conversion;
    const auto walltimes = [&] {
        std::vector<std::optional<Duration>> found;
        for (const WorkloadJob& job : convert_swf(log, conversion).workload.jobs) {
            found.push_back(job.description.walltime);
        }
        return found;
    };
    using Walltimes = std::vector<std::optional<Duration>>;
    const Duration requested = Duration::seconds(200);
    CHECK(walltimes() == Walltimes{Duration::seconds(100), Duration::seconds(100), requested});
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "no requested time: the run time") == 2);
    conversion.missing_walltime = SwfConversion::MissingWalltime::omit;
    CHECK(walltimes() == Walltimes{std::nullopt, std::nullopt, requested});
    conversion.missing_walltime = SwfConversion::MissingWalltime::given;
    conversion.given_walltime = Duration::seconds(7);
    CHECK(walltimes() == Walltimes{Duration::seconds(7), Duration::seconds(7), requested});
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "run time > walltime") == 2);
    conversion.missing_walltime = SwfConversion::MissingWalltime::drop;
    CHECK(walltimes() == Walltimes{requested});
    CHECK(count_of(convert_swf(log, conversion).summary.dropped, "requested time unknown") == 2);
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "no requested time") == 0);
}

TEST_CASE("a run time longer than the walltime stays in the SWF job's profile", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.run = "500"}}), {});
    CHECK(converted.workload.jobs.at(0).description.walltime == Duration::seconds(200));
    CHECK(converted.workload.profiles.at("d500").delay == Duration::seconds(500));
    CHECK(count_of(converted.summary.noted, "run time > walltime") == 1);
}

TEST_CASE("the walltime of an SWF job that ran longer than it requested can be raised to its run time", "[swf]") {
    SwfConversion conversion;
    conversion.short_estimates = SwfConversion::ShortEstimates::raise;
    const SwfWorkload converted = convert_swf(log_of({{.number = "1", .run = "500"},
                                                      {.number = "2", .run = "200"},
                                                      {.number = "3", .run = "100"},
                                                      {.number = "4", .run = "700", .estimate = "-1"}}),
                                              conversion);
    std::vector<Duration> walltimes;
    for (const WorkloadJob& job : converted.workload.jobs) {
        walltimes.push_back(job.description.walltime.value_or(Duration()));
        CHECK(job.description.walltime >= converted.workload.profiles.at(job.description.profile).delay);
    }
    CHECK(walltimes == std::vector<Duration>{Duration::seconds(500), Duration::seconds(200), Duration::seconds(200),
                                             Duration::seconds(700)});
    CHECK(count_of(converted.summary.noted, "run time > requested time") == 1);
    CHECK(count_of(converted.summary.noted, "run time > walltime") == 0);
}

TEST_CASE("the walltimes of an SWF log can be believed: they stop no job", "[swf]") {
    SwfConversion conversion;
    CHECK(!convert_swf(log_of({{.run = "500"}}), conversion).workload.believes_walltimes);
    conversion.short_estimates = SwfConversion::ShortEstimates::believe;
    const SwfWorkload converted = convert_swf(log_of({{.run = "500"}}), conversion);
    CHECK(converted.workload.believes_walltimes);
    CHECK(converted.workload.jobs.at(0).description.walltime == Duration::seconds(200));
    CHECK(count_of(converted.summary.noted, "run time > walltime: outlives the walltime") == 1);
    const LoggedSchedule logged = schedule_of_log(converted);
    CHECK(logged.schedule.jobs.at(0).state == JobState::completed_successfully);
}

TEST_CASE("SWF jobs that ran for 0 s run for a microsecond, if they are kept", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .run = "0"},
                               {.number = "2", .run = "0", .estimate = "-1"},
                               {.number = "3", .run = "-1"},
                               {.number = "4"},
                               {.number = "5", .run = "0", .status = "5"}});
    CHECK(ids(convert_swf(log, {})) == Ids{"w0!4"});
    SwfConversion conversion;
    conversion.keep_zero_run_times = true;
    const SwfWorkload converted = convert_swf(log, conversion);
    REQUIRE(ids(converted) == Ids{"w0!1", "w0!2", "w0!4"});
    CHECK(count_of(converted.summary.dropped, "run time unknown, or 0 and cancelled") == 2);
    CHECK(count_of(converted.summary.noted, "run time 0") == 2);
    const JobDescription& with_estimate = converted.workload.jobs[0].description;
    const JobDescription& without = converted.workload.jobs[1].description;
    CHECK(converted.workload.profiles.at(with_estimate.profile).delay == Duration::microseconds(1));
    CHECK(with_estimate.walltime == Duration::seconds(200));
    CHECK(without.profile == with_estimate.profile);
    CHECK(without.walltime == Duration::microseconds(1));

    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration(), .periods = {}};
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!4"});
    conversion.split.reset();
    conversion.estimates = SwfConversion::Estimates::exact;
    CHECK(convert_swf(log, conversion).workload.jobs[0].description.walltime == Duration::microseconds(1));
}

TEST_CASE("the estimates of an SWF log can be replaced by the run time, a multiple of it or a modal one", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .run = "100.5"},
                               {.number = "2", .run = "300", .estimate = "-1"},
                               {.number = "3", .run = "300.000001"},
                               {.number = "4", .run = "0.000001", .estimate = "0"}});
    SwfConversion conversion;
    const auto walltimes = [&] {
        std::vector<std::string> found;
        for (const WorkloadJob& job : convert_swf(log, conversion).workload.jobs) {
            found.push_back(job.description.walltime->to_shortest_string());
        }
        return found;
    };
    CHECK(walltimes() == Ids{"200", "300", "200", "0.000001"});
    conversion.estimates = SwfConversion::Estimates::exact;
    CHECK(walltimes() == Ids{"100.5", "300", "300.000001", "0.000001"});
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "all estimates replaced by the run time") == 4);
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "no requested time") == 0);
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "run time > walltime") == 0);
    conversion.estimates = SwfConversion::Estimates::factor;
    CHECK(walltimes() == Ids{"100.5", "300", "300.000001", "0.000001"});
    conversion.estimate_factor = *Decimal::parse("2.5");
    CHECK(walltimes() == Ids{"251.25", "750", "750.000002", "0.000002"});  // ties of microseconds round to even
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "all estimates replaced by 2.5 times") == 4);
    conversion.estimates = SwfConversion::Estimates::modal;
    CHECK(walltimes() == Ids{"300", "300", "600", "300"});

    // Only the log's estimates decide which jobs are kept.
    conversion.short_estimates = SwfConversion::ShortEstimates::raise;
    CHECK(walltimes() == Ids{"300", "300", "600", "300"});
    conversion.short_estimates = SwfConversion::ShortEstimates::drop;
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!4"});
    conversion.missing_walltime = SwfConversion::MissingWalltime::drop;
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1"});
}

TEST_CASE("the modal estimate of a job is the smallest round value that is not below its run time", "[swf]") {
    const std::vector<int> minutes = {5,   10,  15,  20,  30,  60,   90,   120,  180,  240, 300,
                                      360, 480, 600, 720, 900, 1080, 1200, 1440, 2160, 2880};
    SwfConversion conversion;
    conversion.estimates = SwfConversion::Estimates::modal;
    std::vector<Line> lines;
    for (long long run = 1; run < 4LL * 86'400; run += run < 4000 ? 1 : 59) {
        lines.push_back({.number = std::to_string(lines.size() + 1), .run = std::to_string(run)});
    }
    const SwfWorkload converted = convert_swf(log_of(lines), conversion);
    REQUIRE(converted.workload.jobs.size() == lines.size());
    for (const WorkloadJob& job : converted.workload.jobs) {
        const long long run =
            static_cast<long long>(converted.workload.profiles.at(job.description.profile).delay.count() / 1'000'000);
        long long expected = run <= 3LL * 86'400 ? 3LL * 86'400 : 4LL * 86'400;
        for (auto value = minutes.rbegin(); value != minutes.rend(); ++value) {
            expected = *value * 60 >= run ? *value * 60 : expected;
        }
        REQUIRE(job.description.walltime == Duration::seconds(expected));
    }
}

}  // namespace batfill::tests::swf_estimates_test
