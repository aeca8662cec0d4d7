#include <algorithm>
#include <filesystem>

#include <catch2/catch.hpp>

#include <batfill/swf_conversion.hpp>

#include "test_data.hpp"

using namespace batfill;
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
    const SwfAnomalies counts = count_anomalies(log);
    CHECK(std::vector<std::size_t>{counts.no_run_time, counts.no_processors, counts.more_than_requested,
                                   counts.over_requested_time, counts.over_requested_time_60s} == expected.table1);
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

TEST_CASE("every log at hand converts", "[swf][logs]") {
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
        CHECK(converted.processors_from == "MaxProcs in the header");
        std::size_t dropped = 0;
        for (const auto& count : converted.dropped) {
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
