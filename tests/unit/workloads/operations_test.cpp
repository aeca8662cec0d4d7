#include <filesystem>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/support/files.hpp"
#include "tests/support/folder.hpp"

namespace batfill::tests::operations_test {

namespace {

void write(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

// Two jobs in the first week, one in the third. The second one requested no time.
constexpr const char* log_text =
    "; MaxProcs: 8\n"
    "1 10 5 60 4 -1 -1 4 300 -1 1 3 1 -1 2 1 -1 -1\n"
    "2 20 5 60 4 -1 -1 4 -1 -1 1 3 1 -1 2 1 -1 -1\n"
    "3 1300000 5 60 4 -1 -1 4 300 -1 1 3 1 -1 2 1 -1 -1\n";

}  // namespace

TEST_CASE("A log becomes a folder of workloads, one for each period, with the requested name") {
    const Folder folder;
    write(folder.file("log.swf"), log_text);
    LogConversion request;
    request.log = folder.file("log.swf");
    request.conversion.split.emplace().period = Duration::days(7);
    request.output = folder.file("weeks");
    request.name = "x";
    request.header = folder.file("header.txt");
    const ConvertedLog result = convert_log(request);
    REQUIRE(result.periods.size() == 2);
    CHECK(result.log.jobs.size() == 3);
    CHECK(read_workload(folder.file("weeks/x-week-001.json"), "w0").jobs.size() == 2);
    CHECK(read_workload(folder.file("weeks/x-week-003.json"), "w0").jobs.size() == 1);
    CHECK(!std::filesystem::exists(folder.file("weeks/x-week-002.json")));
    CHECK(InputFile(folder.file("header.txt")).read_all(100) == "; MaxProcs: 8\n");
}

TEST_CASE("A log whose jobs are all dropped leaves no file, not even of the header") {
    const Folder folder;
    write(folder.file("log.swf"), log_text);
    LogConversion request;
    request.log = folder.file("log.swf");
    request.conversion.until = Duration();
    request.output = folder.file("workload.json");
    request.header = folder.file("header.txt");
    CHECK_THROWS_AS(convert_log(request), InputError);
    CHECK(folder.files() == 1);
    // Without an output, there is no conflict.
    request.output.reset();
    CHECK(convert_log(request).summary.kept == 0);
    CHECK(folder.files() == 2);
}

TEST_CASE("Deadlines of a workload's file are sampled, counted and written over the former ones") {
    const Folder folder;
    write(folder.file("log.swf"), log_text);
    LogConversion request;
    request.log = folder.file("log.swf");
    request.conversion.missing_walltime = SwfConversion::MissingWalltime::omit;
    request.output = folder.file("workload.json");
    convert_log(request);

    DeadlineDraw draw;
    draw.workload = folder.file("workload.json");
    draw.output = folder.file("workload.json");
    draw.count = 2;
    draw.rule = {Duration::seconds(50), Decimal::of(2)};
    DrawnDeadlines drawn = draw_deadlines(draw);
    CHECK(drawn.jobs == 3);
    CHECK(drawn.with_walltime == 2);
    CHECK(drawn.drawn == 2);
    CHECK(drawn.at_floor == 0);
    CHECK(drawn.replaced == 0);
    CHECK(read_workload(draw.output, "w0").jobs.front().description.deadline == Time::seconds(10 + 2 * 300));

    draw.count = 0;
    draw.share = Decimal::parse("0.5");
    draw.rule.floor = Duration::seconds(601);
    draw.format = WorkloadFormat::batsim5;
    drawn = draw_deadlines(draw);
    CHECK(drawn.drawn == 1);
    CHECK(drawn.at_floor == 1);
    CHECK(drawn.replaced == 2);
    CHECK(read_workload(draw.output, "w0").format == WorkloadFormat::batsim5);

    draw.share.reset();
    draw.count = 3;
    const std::string before = InputFile(draw.output).read_all(10'000);
    CHECK_THROWS_AS(draw_deadlines(draw), UsageError);
    CHECK(InputFile(draw.output).read_all(10'000) == before);
}

}  // namespace batfill::tests::operations_test
