#include <algorithm>
#include <filesystem>
#include <numeric>

#include <catch2/catch.hpp>

#include <batfill/workloads/swf_conversion.hpp>

#include "tests/support/test_data.hpp"

namespace batfill::tests::swf_logs_test {

using batfill::tests::have_test_data;
using batfill::tests::test_data;

namespace {

struct Expectation {
    std::string file;
    SwfConversion conversion;
    std::size_t kept;
    int processors;
    // Table 1: run time <= 0; allocated < 0; allocated > requested; over the estimate; over it by more than a minute.
    std::vector<std::size_t> table1;
};

void check(const Expectation& expected) {
    if (!have_test_data("traces/" + expected.file)) {
        return;
    }
    const SwfLog log = read_swf(test_data("traces/" + expected.file));
    const SwfWorkload converted = convert_swf(log, expected.conversion);
    CHECK(converted.workload.jobs.size() == expected.kept);
    CHECK(converted.workload.processors == expected.processors);
    std::vector<std::size_t> counts;
    for (const RuleCount& anomaly : count_anomalies(log)) {
        counts.push_back(anomaly.jobs);
    }
    counts.resize(expected.table1.size());
    CHECK(counts == expected.table1);
}

}  // namespace

TEST_CASE("SDSC-BLUE has the jobs and the anomalies that the paper on deadline-based backfilling counts",
          "[swf][logs]") {
    SwfConversion conversion;
    conversion.excluded_queues = {0};
    check({"SDSC-BLUE-2000-4.2-cln.swf.gz", conversion, 157'604, 1152, {10'770, 19'516, 458, 23'434, 8'115}});
}

TEST_CASE("SDSC-DS has the jobs and the anomalies that the paper on deadline-based backfilling counts", "[swf][logs]") {
    SwfConversion conversion;
    conversion.partitions = {2};
    check({"SDSC-DS-2004-2.1-cln.swf.gz", conversion, 64'715, 1368, {11'176, 0, 0, 10'658, 1'043}});
}

TEST_CASE("HPC2N has the jobs and the anomalies that the paper on deadline-based backfilling counts", "[swf][logs]") {
    check({"HPC2N-2002-2.2-cln.swf.gz", {}, 202'871, 240, {0, 0, 729, 14'817, 6'170}});
}

TEST_CASE("docs/workloads.md counts the weeks of the paper on mixed policies", "[swf][logs][outside]") {
    struct Weeks {
        std::string file;
        std::size_t count;
        std::size_t jobs;
        std::size_t least;
        std::size_t most;
    };
    const std::vector<Weeks> logs = {{"KTH-SP2-1996-2.1-cln.swf.gz", 45, 26'481, 335, 1'207},
                                     {"CTC-SP2-1996-3.1-cln.swf.gz", 45, 65'693, 944, 2'337},
                                     {"SDSC-SP2-1998-4.2-cln.swf.gz", 100, 47'958, 170, 1'316},
                                     {"SDSC-BLUE-2000-4.2-cln.swf.gz", 100, 150'894, 299, 2'935}};
    for (const Weeks& weeks : logs) {
        if (!have_test_data("traces/" + weeks.file)) {
            continue;
        }
        CAPTURE(weeks.file);
        const SwfLog log = read_swf(test_data("traces/" + weeks.file));
        SwfConversion conversion;
        conversion.short_estimates = SwfConversion::ShortEstimates::drop;
        conversion.missing_walltime = SwfConversion::MissingWalltime::drop;
        conversion.keep_unallocated = true;
        conversion.split = SwfSplit{.period = Duration::days(7),
                                    .begin = Duration(),
                                    .skipped = 3,
                                    .periods = weeks.count,
                                    .keep_crossing = true};
        const std::vector<SwfPeriod> periods =
            split_into_periods(convert_swf(log, conversion).workload, *conversion.split);
        REQUIRE(periods.size() == weeks.count);
        std::vector<std::size_t> jobs;
        for (const SwfPeriod& period : periods) {
            jobs.push_back(period.workload.jobs.size());
        }
        CHECK(std::accumulate(jobs.begin(), jobs.end(), std::size_t{0}) == weeks.jobs);
        CHECK(*std::min_element(jobs.begin(), jobs.end()) == weeks.least);
        CHECK(*std::max_element(jobs.begin(), jobs.end()) == weeks.most);
        conversion.split->count_from_first_job(log);
        CHECK(conversion.split->begin == Duration());
    }
}

TEST_CASE("every log at hand converts", "[swf][logs][outside]") {
    if (!have_test_data("traces")) {
        return;
    }
    std::vector<std::filesystem::path> logs;
    for (const auto& entry : std::filesystem::directory_iterator(test_data("traces"))) {
        if (entry.path().string().ends_with(".swf.gz")) {
            logs.push_back(entry.path());
        }
    }
    std::sort(logs.begin(), logs.end());
    for (const auto& path : logs) {
        CAPTURE(path);
        const SwfLog log = read_swf(path.string());
        const SwfWorkload converted = convert_swf(log, {});
        CHECK(log.jobs.size() > 1000);
        CHECK(converted.summary.processors_from == "MaxProcs in the header");
        std::size_t dropped = 0;
        for (const auto& count : converted.summary.dropped) {
            dropped += count.jobs;
        }
        CHECK(converted.workload.jobs.size() + dropped == log.jobs.size());
        CHECK(converted.workload.jobs.size() > log.jobs.size() * 3 / 4);
        CHECK(std::all_of(converted.workload.jobs.begin(), converted.workload.jobs.end(), [](const WorkloadJob& job) {
            return job.description.processors > 0 && job.description.walltime > Duration() &&
                   job.description.submit >= Time();
        }));
    }
}

}  // namespace batfill::tests::swf_logs_test
