#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/workloads/swf_conversion.hpp>

#include "tests/unit/workloads/swf_lines.hpp"

namespace batfill::tests::swf_periods_test {

using namespace swf_lines;

TEST_CASE("a log is split into periods without the jobs that started in one and ended in another", "[swf]") {
    const auto line = [](const std::string& number, const std::string& submit, const std::string& wait,
                         const std::string& run) {
        return number + " " + submit + " " + wait + " " + run + " 4 -1 -1 4 500 -1 1 3 -1 -1 1 1 -1 -1\n";
    };
    // Periods of 100 s from 0: [0, 100), [100, 200), ...
    const SwfLog log = parse_swf("; MaxProcs: 64\n" + line("1", "10", "0", "50") +  // period 1, skipped
                                     line("2", "100", "0", "100") +                 // ends with period 2
                                     line("3", "150", "0", "51") +                  // from period 2 into 3
                                     line("4", "199.5", "0.5", "20") +  // waits from 2 into 3, and runs there
                                     line("5", "180", "-1", "20") +     // unknown wait
                                     line("6", "450", "10", "30") +     // period 5; 3 and 4 are empty
                                     line("7", "510", "0", "10"),       // after the last
                                 "some.swf");
    SwfConversion conversion;
    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration(), .skipped = 1, .periods = 4};
    const SwfWorkload converted = convert_swf(log, conversion);
    CHECK(ids(converted) == Ids{"w0!2", "w0!5", "w0!4", "w0!6"});
    CHECK(count_of(converted.summary.dropped, "submitted in period 1 to 1") == 1);
    CHECK(count_of(converted.summary.dropped, "submitted after period 5") == 1);
    CHECK(count_of(converted.summary.dropped, "started in one period and ended in another") == 1);

    const std::vector<SwfPeriod> periods = split_into_periods(converted.workload, *conversion.split);
    REQUIRE(periods.size() == 2);
    CHECK(periods[0].number == 2);
    CHECK(periods[1].number == 5);
    const Workload& second = periods[0].workload;
    REQUIRE(second.jobs.size() == 3);
    CHECK(second.processors == 64);
    CHECK(second.jobs[0].description.submit == Time());
    CHECK(second.jobs[2].description.submit == Time::at(Duration::microseconds(99'500'000)));
    CHECK(second.profiles.size() == 2);
    CHECK(periods[1].workload.jobs.front().description.submit == Time::seconds(50));
    CHECK(periods[1].workload.profiles.at("d30").delay == Duration::seconds(30));

    conversion.split->keep_crossing = true;
    const SwfWorkload with_crossing = convert_swf(log, conversion);
    CHECK(ids(with_crossing) == Ids{"w0!2", "w0!3", "w0!5", "w0!4", "w0!6"});
    CHECK(with_crossing.summary.dropped.size() == converted.summary.dropped.size() - 1);
    CHECK(split_into_periods(with_crossing.workload, *conversion.split).front().workload.jobs.size() == 4);

    conversion.from = Duration::seconds(150);
    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration::seconds(150), .periods = {}};
    const SwfWorkload from_150 = convert_swf(log, conversion);
    CHECK(ids(from_150) == Ids{"w0!3", "w0!5", "w0!4", "w0!6", "w0!7"});
    const std::vector<SwfPeriod> later = split_into_periods(from_150.workload, *conversion.split);
    REQUIRE(later.size() == 2);
    CHECK(later[0].number == 1);
    CHECK(later[1].number == 4);
    CHECK(later[0].workload.jobs.front().description.submit == Time());
}

TEST_CASE("the periods of a log are counted from the one with its first job on request", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .submit = "-1"},
                               {.number = "2", .submit = "460"},
                               {.number = "3", .submit = "250", .run = "0"},  // the first one, although it is dropped
                               {.number = "4", .submit = "200", .run = "0"},
                               {.number = "5", .submit = "330", .run = "20"}});
    SwfSplit split{.period = Duration::seconds(100), .begin = Duration(), .periods = {}};
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(200));
    split.begin = Duration::seconds(25);
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(125));
    split.begin = Duration::seconds(225);
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(225));
    split.begin = Duration::seconds(461);
    split.count_from_first_job(log);
    CHECK(split.begin == Duration::seconds(461));

    SwfConversion conversion;
    conversion.split = SwfSplit{.period = Duration::seconds(100), .begin = Duration(), .skipped = 1, .periods = 1};
    conversion.split->count_from_first_job(log);
    const std::vector<SwfPeriod> periods = split_into_periods(convert_swf(log, conversion).workload, *conversion.split);
    REQUIRE(periods.size() == 1);
    CHECK(periods[0].number == 2);
    REQUIRE(periods[0].workload.jobs.size() == 1);
    CHECK(periods[0].workload.jobs[0].description.id == "w0!5");
    CHECK(periods[0].workload.jobs[0].description.submit == Time::seconds(30));
}

TEST_CASE("every job of a random log that is kept is in the period of its submission", "[swf]") {
    std::mt19937_64 random(12);
    const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    for (int round = 0; round < 200; ++round) {
        std::vector<Line> lines;
        const int earliest = pick(0, 300);
        for (int i = 0; i < 30; ++i) {
            lines.push_back({.number = std::to_string(i + 10),
                             .submit = std::to_string(pick(earliest, 600)),
                             .run = std::to_string(pick(0, 40))});
        }
        const SwfLog log = log_of(lines);
        const int length = pick(1, 90);
        const int skipped = pick(0, 3);
        const int count = pick(1, 4);
        const bool keep_crossing = pick(0, 1) == 1;
        const bool from_first = pick(0, 1) == 1;
        SwfConversion conversion;
        conversion.split = SwfSplit{.period = Duration::seconds(length),
                                    .begin = Duration(),
                                    .skipped = static_cast<std::size_t>(skipped),
                                    .periods = static_cast<std::size_t>(count),
                                    .keep_crossing = keep_crossing};
        int first_period = 0;  // counted from 0 at the log's zero
        if (from_first) {
            conversion.split->count_from_first_job(log);
            first_period = 1000;
            for (const Line& line : lines) {
                first_period = std::min(first_period, std::stoi(line.submit) / length);
            }
        }
        std::vector<std::string> expected;
        for (const Line& line : lines) {
            const int submit = std::stoi(line.submit);
            const int run = std::stoi(line.run);
            const int number = submit / length - first_period + 1;
            const bool crosses = submit / length != (submit + run - 1) / length;
            if (run > 0 && number > skipped && number <= skipped + count && (keep_crossing || !crosses)) {
                expected.push_back(std::to_string(number) + " " + line.number + " " + std::to_string(submit % length));
            }
        }
        std::vector<std::string> found;
        for (const SwfPeriod& period : split_into_periods(convert_swf(log, conversion).workload, *conversion.split)) {
            for (const WorkloadJob& job : period.workload.jobs) {
                found.push_back(std::to_string(period.number) + " " + job.description.id.substr(3) + " " +
                                job.description.submit.since_zero().to_shortest_string());
            }
        }
        std::sort(expected.begin(), expected.end());
        std::sort(found.begin(), found.end());
        REQUIRE(found == expected);
    }
}

}  // namespace batfill::tests::swf_periods_test
