#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/workloads/swf_conversion.hpp>

namespace batfill::tests::swf_schedule_test {

TEST_CASE("The schedule of a log has its starts, and the lowest idle processors") {
    // On four processors: job 1 has three from 0 to 100. Job 2 has one from 10 to 210, its walltime. Job 3 has an
    // unknown wait and is omitted. Job 4 has two from 100. Job 5 has three, two more than are idle.
    const SwfLog log = parse_swf(
        "; MaxProcs: 4\n"
        "1 0 0 100 3 -1 -1 3 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "2 5 5 200 1 -1 -1 1 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "3 6 -1 200 1 -1 -1 1 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "4 7 93 50 2 -1 -1 2 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "5 8 100 20 3 -1 -1 3 200 -1 1 1 -1 -1 1 1 -1 -1\n",
        "some.swf");
    const LoggedSchedule logged = schedule_of_log(convert_swf(log, {}));
    CHECK(logged.unknown_waits == 1);
    CHECK(logged.most_in_use == 6);
    std::string text = schedule_csv_header();
    for (const ScheduledJob& job : logged.schedule.jobs) {
        append_csv(job, text);
    }
    CHECK(
        text ==
        schedule_csv_header() +
            "1,w0,d100,0.000000,3,200.000000,1,COMPLETED_SUCCESSFULLY,0.000000,100.000000,100.000000,0.000000,100.000000,1.000000,0-2,-1.000000,\"\"\n"
            "5,w0,d20,8.000000,3,200.000000,1,COMPLETED_SUCCESSFULLY,108.000000,20.000000,128.000000,100.000000,120.000000,6.000000,2 4-5,-1.000000,\"\"\n"
            "4,w0,d50,7.000000,2,200.000000,1,COMPLETED_SUCCESSFULLY,100.000000,50.000000,150.000000,93.000000,143.000000,2.860000,0-1,-1.000000,\"\"\n"
            "2,w0,d200,5.000000,1,200.000000,0,COMPLETED_WALLTIME_REACHED,10.000000,200.000000,210.000000,5.000000,205.000000,1.025000,3,-1.000000,\"\"\n");
}

TEST_CASE("A job that the log starts before its submission waited 0 s, and is counted") {
    const SwfLog log = parse_swf(
        "; MaxProcs: 4\n"
        "1 10 -4 100 3 -1 -1 3 200 -1 1 1 -1 -1 1 1 -1 -1\n"
        "2 20 -1 100 1 -1 -1 1 200 -1 1 1 -1 -1 1 1 -1 -1\n",
        "some.swf");
    const LoggedSchedule logged = schedule_of_log(convert_swf(log, {}));
    CHECK(logged.unknown_waits == 1);
    REQUIRE(logged.schedule.jobs.size() == 1);
    CHECK(logged.schedule.jobs[0].execution->start == Time::seconds(10));
    const auto counts = count_anomalies(log);
    CHECK(counts.back().what == "start before the submission: waits 0 s");
    CHECK(counts.back().jobs == 1);
}

TEST_CASE("The audit finds nothing in the schedule of a log that kept to its machine") {
    std::mt19937 random(11);
    for (int round = 0; round < 100; ++round) {
        // Jobs start in turn, when enough processors are idle.
        std::vector<int> free_from(8);
        std::string text = "; MaxProcs: 8\n";
        int submit = 0;
        for (int job = 1; job <= 60; ++job) {
            submit += static_cast<int>(random() % 20);
            const auto size = 1 + random() % 8;
            const int run = 1 + static_cast<int>(random() % 50);
            std::sort(free_from.begin(), free_from.end());
            const int start = std::max(submit, free_from[size - 1]);
            std::fill(free_from.begin(), free_from.begin() + static_cast<std::ptrdiff_t>(size), start + run);
            const std::string processors = std::to_string(size);
            text += std::to_string(job) + ' ' + std::to_string(submit) + ' ' + std::to_string(start - submit) + ' ' +
                    std::to_string(run) + ' ' + processors + " -1 -1 " + processors + ' ' +
                    std::to_string(run + static_cast<int>(random() % 3)) + " -1 1 1 -1 -1 1 1 -1 -1\n";
        }
        const SwfWorkload converted = convert_swf(parse_swf(text, "some.swf"), {});
        const LoggedSchedule logged = schedule_of_log(converted);
        Platform platform;
        platform.hosts.resize(8);
        CHECK(logged.most_in_use <= 8);
        const CheckReport report = check_schedule(logged.schedule, {converted.workload}, platform, {});
        INFO((report.violations.empty() ? "" : report.violations.front().text));
        REQUIRE(report.violations.empty());
    }
}

TEST_CASE("A log with more processors in use at once than have numbers is refused with the job that starts then") {
    const auto log_with = [](const std::string& second_start) {
        return parse_swf(
            "; MaxProcs: 2000000000\n"
            "1 0 0 100 2000000000 -1 -1 2000000000 200 -1 1 1 -1 -1 1 1 -1 -1\n"
            "2 0 " +
                second_start + " 100 2000000000 -1 -1 2000000000 200 -1 1 1 -1 -1 1 1 -1 -1\n",
            "big.swf");
    };
    CHECK(schedule_of_log(convert_swf(log_with("100"), {})).most_in_use == 2'000'000'000);
    CHECK_THROWS_WITH(schedule_of_log(convert_swf(log_with("99"), {})),
                      "big.swf: job w0!2: expected at most 2147483647 processors in use at once, found more when it "
                      "starts");
}

}  // namespace batfill::tests::swf_schedule_test
