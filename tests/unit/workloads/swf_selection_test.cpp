#include <vector>

#include <catch2/catch.hpp>

#include <batfill/workloads/swf_conversion.hpp>

#include "tests/unit/workloads/swf_lines.hpp"

namespace batfill::tests::swf_selection_test {

using namespace swf_lines;

TEST_CASE("SWF jobs without run time, processors or submission are dropped and counted by reason", "[swf]") {
    const SwfWorkload converted = convert_swf(log_of({{.number = "1"},
                                                      {.number = "2", .run = "0"},
                                                      {.number = "3", .run = "-1", .allocated = "-1"},
                                                      {.number = "4", .allocated = "-1"},
                                                      {.number = "5", .allocated = "0"},
                                                      {.number = "6", .submit = "-1"}}),
                                              {});
    CHECK(ids(converted) == Ids{"w0!1"});
    CHECK(count_of(converted.summary.dropped, "run time <= 0") == 2);
    CHECK(count_of(converted.summary.dropped, "allocated processors <= 0") == 2);
    CHECK(count_of(converted.summary.dropped, "submit time < 0 or unknown") == 1);
}

TEST_CASE("SWF jobs are dropped by queue, partition, status, submission, overrun and width", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .submit = "10", .queue = "0", .partition = "1"},
                               {.number = "2", .submit = "20", .queue = "1", .partition = "2"},
                               {.number = "3", .submit = "30", .status = "5", .queue = "2", .partition = "3"},
                               {.number = "4", .submit = "40", .run = "201", .queue = "1", .partition = "2"},
                               {.number = "5", .submit = "50", .requested = "16", .queue = "-1", .partition = "1"}});
    SwfConversion conversion;
    SECTION("nothing asked") {
        CHECK(ids(convert_swf(log, conversion)).size() == 5);
    }
    SECTION("queues") {
        conversion.excluded_queues = {0, -1};
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!2", "w0!3", "w0!4"});
        CHECK(count_of(convert_swf(log, conversion).summary.dropped, "queue is 0, -1") == 2);
    }
    SECTION("partitions") {
        conversion.partitions = {2, 3};
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!2", "w0!3", "w0!4"});
        CHECK(count_of(convert_swf(log, conversion).summary.dropped, "partition is not 2, 3") == 2);
    }
    SECTION("statuses") {
        conversion.excluded_statuses = {5};
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!4", "w0!5"});
    }
    SECTION("submission, half open") {
        conversion.from = Duration::seconds(20);
        conversion.until = Duration::seconds(40);
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!2", "w0!3"});
    }
    SECTION("longer than the estimate") {
        conversion.short_estimates = SwfConversion::ShortEstimates::drop;
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!3", "w0!5"});
    }
    SECTION("too wide") {
        conversion.max_processors = 15;
        CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1", "w0!2", "w0!3", "w0!4"});
    }
}

TEST_CASE("the size of an SWF job is what it requested, or what it got where that is unknown or wanted", "[swf]") {
    const SwfLog log = log_of({{.number = "1", .allocated = "5", .requested = "4"},
                               {.number = "2", .allocated = "5", .requested = "-1"},
                               {.number = "3", .allocated = "5", .requested = "0"}});
    SwfConversion conversion;
    const auto sizes = [&] {
        std::vector<int> found;
        for (const WorkloadJob& job : convert_swf(log, conversion).workload.jobs) {
            found.push_back(job.description.processors);
        }
        return found;
    };
    CHECK(sizes() == std::vector<int>{4, 5, 5});
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "no requested processors") == 2);
    conversion.size = SwfConversion::Size::allocated;
    CHECK(sizes() == std::vector<int>{5, 5, 5});
    CHECK(count_of(convert_swf(log, conversion).summary.noted, "no requested processors") == 0);
    conversion.unit = 2;
    CHECK(sizes() == std::vector<int>{3, 3, 3});
    CHECK(convert_swf(log, conversion).workload.processors == 32);
}

TEST_CASE("jobs without allocated processors are kept on request, if they requested some", "[swf]") {
    Line requested;
    requested.allocated = "-1";
    Line unknown = requested;
    unknown.number = "2";
    unknown.requested = "-1";
    const SwfLog log = log_of({requested, unknown});
    SwfConversion conversion;
    CHECK(convert_swf(log, conversion).workload.jobs.empty());
    conversion.keep_unallocated = true;
    const SwfWorkload kept = convert_swf(log, conversion);
    REQUIRE(ids(kept) == Ids{"w0!1"});
    CHECK(kept.workload.jobs.front().description.processors == 4);
    CHECK(count_of(kept.summary.dropped, "processors <= 0 or unknown") == 1);
    conversion.unit = 3;
    CHECK(ids(convert_swf(log, conversion)) == Ids{"w0!1"});
    conversion.size = SwfConversion::Size::allocated;
    CHECK(convert_swf(log, conversion).workload.jobs.empty());
}

}  // namespace batfill::tests::swf_selection_test
