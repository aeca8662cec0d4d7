#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/workloads/swf_conversion.hpp>

#include "tests/unit/workloads/swf_lines.hpp"

namespace batfill::tests::swf_conversion_test {

using namespace swf_lines;

TEST_CASE("a job of an SWF log becomes a job with a delay profile", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "12", .submit = "50", .run = "99.5"}}), {});
    REQUIRE(converted.workload.jobs.size() == 1);
    const JobDescription& job = converted.workload.jobs[0].description;
    CHECK(job.id == "w0!12");
    CHECK(job.submit == Time::seconds(50));
    CHECK(job.processors == 4);
    CHECK(job.walltime == Duration::seconds(200));
    CHECK(job.user == "3");
    CHECK(job.queue == "1");
    CHECK(job.profile == "d99.5");
    REQUIRE(converted.workload.profiles.size() == 1);
    const JobProfile& profile = converted.workload.profiles.at("d99.5");
    CHECK(profile.type == JobProfile::Type::delay);
    CHECK(profile.delay == Duration::microseconds(99'500'000));
    CHECK(converted.workload.processors == 64);
}

TEST_CASE("an unknown user or queue of an SWF log is left out", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.user = "-1", .queue = "-1"}}), {});
    CHECK(converted.workload.jobs.at(0).description.user.empty());
    CHECK(converted.workload.jobs.at(0).description.queue.empty());
}

TEST_CASE("queues of an SWF log have the names that they are given", "[swf]") {
    SwfConversion conversion;
    conversion.queue_names = {{1, "urgent"}, {2, "urgent"}, {-1, "primary"}};
    const SwfWorkload converted = convert_swf(log_of({{.number = "1", .queue = "1"},
                                                      {.number = "2", .queue = "2"},
                                                      {.number = "3", .queue = "-1"},
                                                      {.number = "4", .queue = "11"},
                                                      {.number = "5", .queue = "-2"}}),
                                              conversion);
    std::vector<std::string> queues;
    for (const WorkloadJob& job : converted.workload.jobs) {
        queues.push_back(job.description.queue);
    }
    CHECK(queues == std::vector<std::string>{"urgent", "urgent", "primary", "11", ""});
}

TEST_CASE("SWF ids have one width and jobs are in the order in which Batsim submits them", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "100", .submit = "5"},
                                                      {.number = "20", .submit = "5"},
                                                      {.number = "3", .submit = "9"},
                                                      {.number = "4", .submit = "1"}}),
                                              {});
    CHECK(ids(converted) == Ids{"w0!004", "w0!020", "w0!100", "w0!003"});
}

TEST_CASE("SWF submission times can be counted from the first kept job", "[swf]") {
    SwfConversion conversion;
    conversion.shift = true;
    const SwfLog log = log_of({{.number = "1", .submit = "900", .run = "0"},
                               {.number = "2", .submit = "1000"},
                               {.number = "3", .submit = "1000.5"}});
    const SwfWorkload converted = convert_swf(log, conversion);
    CHECK(converted.workload.jobs.at(0).description.submit == Time());
    CHECK(converted.workload.jobs.at(1).description.submit == Time::at(Duration::microseconds(500'000)));
}

TEST_CASE("partial runs of an SWF job count only where the job has no line of its own", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "1", .status = "1"},
                                                      {.number = "1", .status = "2"},
                                                      {.number = "1", .submit = "20", .status = "3"},
                                                      {.number = "2", .submit = "30", .status = "4"}}),
                                              {});
    CHECK(ids(converted) == Ids{"w0!1", "w0!2"});
    CHECK(count_of(converted.summary.dropped, "partial run") == 2);
}

TEST_CASE("equal job numbers in an SWF log give different ids", "[swf]") {
    const SwfWorkload converted = convert_swf(
        log_of({{.number = "7"}, {.number = "7", .submit = "1"}, {.number = "12"}, {.number = "7", .submit = "2"}}),
        {});
    CHECK(ids(converted) == Ids{"w0!07", "w0!12", "w0!07-2", "w0!07-3"});
    CHECK(count_of(converted.summary.noted, "job number seen before") == 2);
}

TEST_CASE("the size of the machine comes from the option, the SWF header or the widest job", "[swf]") {
    const std::vector<Line> lines = {{.number = "1", .requested = "6"}, {.number = "2", .partition = "2"}};
    const auto processors = [&](const std::string& header, const SwfConversion& conversion = {}) {
        return convert_swf(log_of(lines, header), conversion).workload.processors;
    };
    SwfConversion second;
    second.partitions = {2};
    const std::string parts = "; MaxProcs: 60 (16, 44)\n";
    CHECK(processors("; MaxProcs: 338\n") == 338);
    CHECK(processors("; MaxProcs: 338 (batch partition; 512 total)\n") == 338);
    CHECK(processors(parts) == 60);
    CHECK(processors(parts, second) == 44);
    CHECK(processors("; MaxProcs: 60 (16, 40)\n", second) == 60);
    CHECK(processors("; MaxProcs: 60 (16, 44\n", second) == 60);
    CHECK(processors("; MaxProcs: 1,024\n") == 1024);
    CHECK(processors("; MaxProcs: 1'024 (batch)\n") == 1024);
    CHECK(processors("; MaxProcs: 1_664 (72, 1368, 224)\n", second) == 1368);
    CHECK(processors("; MaxProcs: 338, of 512\n") == 338);
    for (const std::string value : {"1.5", "1.024", "12x", "1 024", "2 x 512", "12 nodes * 8", "1,02", "0x20", "1e3"}) {
        INFO(value);
        CHECK(processors("; MaxProcs: " + value + "\n") == 6);
    }
    CHECK(processors("; MaxProcs: unknown\n") == 6);
    CHECK(processors("; MaxProcs: 0\n") == 6);
    CHECK(processors("; MaxProcs: -1\n") == 6);
    CHECK(processors("; MaxProcs: 99999999999\n") == 6);
    CHECK(processors("; MaxProcs:\n") == 6);
    CHECK(processors("") == 6);
    second.processors = 50;
    CHECK(processors(parts, second) == 50);
}

TEST_CASE("the origin of the machine's size says why MaxProcs in the header does not count", "[swf]") {
    const std::vector<Line> lines = {{.number = "1", .requested = "6"}};
    const auto origin = [&](const std::string& header, int unit = 1) {
        SwfConversion conversion;
        conversion.unit = unit;
        return convert_swf(log_of(lines, header), conversion).summary.processors_from;
    };
    CHECK(origin("") == "the widest job, for want of MaxProcs in the header");
    for (const std::string value : {"1000000000000", "-1", "abc", "0"}) {
        CHECK(origin("; MaxProcs: " + value + "\n") ==
              "the widest job; MaxProcs in the header is '" + value + "', expected a number from 1 to 2147483646");
    }
    CHECK(origin("; MaxProcs: 200\n", 256) ==
          "the widest job; MaxProcs in the header is '200', expected a number from 256 to 2147483646");
    CHECK(origin("; MaxProcs: 8\n; MaxProcs: 8\n") == "MaxProcs in the header");
    CHECK(origin("; MaxProcs: 8\n; MaxProcs: 9\n") == "MaxProcs in the header, the first of several different ones");
}

TEST_CASE("SWF jobs wider than the machine are kept and noted", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.requested = "65"}}), {});
    CHECK(converted.workload.jobs.size() == 1);
    CHECK(count_of(converted.summary.noted, "wider than 64") == 1);
}

TEST_CASE("an SWF job of more processors than can be counted is refused with its line", "[swf]") {
    CHECK_THROWS_WITH(convert_swf(log_of({{}, {.requested = "2147483647"}}), {}),
                      "some.swf:3: expected at most 2147483646 processors, found 2147483647");
}

TEST_CASE("the anomalies of an SWF log are counted before cleaning", "[swf]") {
    const std::vector<RuleCount> counts =
        count_anomalies(log_of({{.submit = "10", .run = "0"},
                                {.submit = "5", .run = "-1", .allocated = "-1"},
                                {.submit = "5", .allocated = "5"},
                                {.submit = "6", .run = "260"},
                                {.submit = "7", .run = "261"},
                                {.submit = "8", .requested = "-1", .estimate = "-1"}}));
    const auto jobs_with = [&](const std::string& anomaly) {
        return std::ranges::find(counts, anomaly, &RuleCount::what)->jobs;
    };
    CHECK(jobs_with("run time <= 0") == 2);
    CHECK(jobs_with("allocated processors < 0") == 1);
    CHECK(jobs_with("allocated > requested processors") == 1);
    CHECK(jobs_with("run time > requested time") == 2);
    CHECK(jobs_with("run time > requested time + 60 s") == 1);
    CHECK(jobs_with("requested processors unknown") == 1);
    CHECK(jobs_with("requested time unknown") == 1);
    CHECK(jobs_with("submitted before the job of the line above") == 1);
}

TEST_CASE("every job of a random SWF log is either kept or dropped, and ids are unique and in order", "[swf]") {
    std::mt19937_64 random(11);
    const auto pick = [&](int low, int high) {
        return std::to_string(std::uniform_int_distribution<int>(low, high)(random));
    };
    for (int round = 0; round < 200; ++round) {
        std::vector<Line> lines;
        for (int i = 0; i < 40; ++i) {
            lines.push_back({.number = pick(0, 60),
                             .submit = pick(-1, 20),
                             .run = pick(-1, 5),
                             .allocated = pick(-1, 4),
                             .requested = pick(-1, 4),
                             .estimate = pick(-1, 5),
                             .status = pick(-1, 5),
                             .queue = pick(-1, 2)});
        }
        SwfConversion conversion;
        conversion.excluded_queues = {0};
        const SwfWorkload converted = convert_swf(log_of(lines), conversion);
        std::size_t dropped = 0;
        for (const auto& count : converted.summary.dropped) {
            dropped += count.jobs;
        }
        REQUIRE(converted.workload.jobs.size() + dropped == lines.size());
        const auto& jobs = converted.workload.jobs;
        for (std::size_t i = 1; i < jobs.size(); ++i) {
            const JobDescription& a = jobs[i - 1].description;
            const JobDescription& b = jobs[i].description;
            REQUIRE((a.submit < b.submit || (a.submit == b.submit && a.id < b.id)));
        }
        Ids all = ids(converted);
        std::sort(all.begin(), all.end());
        REQUIRE(std::adjacent_find(all.begin(), all.end()) == all.end());
    }
}

}  // namespace batfill::tests::swf_conversion_test
