#include <filesystem>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/formats/workload.hpp>

#include "src/commands/command.hpp"
#include "tests/support/process.hpp"

namespace batfill::tests::swf_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

const std::string log_text =
    "; Acknowledge: someone\n"
    "; MaxProcs: 64\n"
    "5 100 5 60 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1\n"
    "17 50 5 60.5 4 -1 -1 8 -1 -1 1 -1 1 -1 0 1 -1 -1\n"
    "18 60 5 0 4 -1 -1 8 -1 -1 1 -1 1 -1 0 1 -1 -1\n";

std::string log_in(const Folder& folder, const std::string& text = log_text) {
    return folder.write("log.swf", text);
}

}  // namespace

TEST_CASE("batfill swf writes a workload that can be read again", "[swf][command]") {
    const Folder folder;
    for (const std::string name : {"out.json", "out.json.gz"}) {
        REQUIRE_NOTHROW(commands::swf({log_in(folder), "-o", folder.file(name)}));
        const Workload workload = read_workload(folder.file(name), "w0");
        REQUIRE(workload.jobs.size() == 2);
        CHECK(workload.processors == 64);
        const JobDescription& first = workload.jobs[0].description;
        CHECK(first.id == "w0!17");
        CHECK(first.submit == Time::seconds(50));
        CHECK(first.walltime == Duration::microseconds(60'500'000));
        CHECK(first.user.empty());
        CHECK(workload.jobs[1].description.id == "w0!05");
        CHECK(workload.jobs[1].description.user == "3");
        CHECK(workload.jobs[1].description.queue == "2");
        CHECK(workload.profiles.at("d60.5").delay == Duration::microseconds(60'500'000));
    }
}

TEST_CASE("batfill swf takes dates, if the log says when it begins", "[swf][command]") {
    const Folder folder;
    const std::string out = folder.file("out.json");
    const std::string lines = contents(log_in(folder));
    // 2024-03-01 00:00:00 UTC; the jobs are submitted 50 and 100 s later.
    const std::string dated = folder.write("dated.swf", "; UnixStartTime: 1709251200\n" + lines);
    const auto jobs = [&](const std::string& log, const Arguments& options) {
        REQUIRE_NOTHROW(commands::swf(with(options, {log, "-o", out})));
        return read_workload(out, "w0").jobs.size();
    };
    CHECK(jobs(dated, {"--from", "2024-03-01"}) == 2);
    CHECK(jobs(dated, {"--from", "2024-03-01 00:00:51"}) == 1);
    CHECK(jobs(dated, {"--until", "2024-03-01T00:01:00Z"}) == 1);
    CHECK(jobs(dated, {"--from", "2024-03-01 01:00:51", "--time-zone", "Europe/Stockholm"}) == 1);
    CHECK(jobs(dated, {"--until", "2024-03-02", "--from", "-1d"}) == 2);
    CHECK_THROWS_WITH(commands::swf({log_in(folder), "--from", "2024-03-01"}),
                      EndsWith("nobody knows when this log begins (no UnixStartTime): expected seconds of its clock, "
                               "found the date 2024-03-01"));
    CHECK_THROWS_WITH(commands::swf({dated, "--from", "2024-13-01"}),
                      Contains("or a date (2024-03-01, 2024-03-01 12:00:00)"));
    // The weeks count from the date.
    const std::string days = folder.file("days");
    REQUIRE_NOTHROW(commands::swf({dated, "-o", days, "--split", "1", "--from", "2024-02-29"}));
    CHECK(std::filesystem::exists(days + "/dated-period-002.json"));
}

TEST_CASE("batfill swf says in the workload when its second 0 was", "[swf][command]") {
    const Folder folder;
    const std::string lines = contents(log_in(folder));
    // The jobs are submitted 50 and 100 s after time 0, 2024-03-01 00:00:00 UTC.
    const std::string start = "; UnixStartTime: 1709251200\n";
    const auto made = [&](const std::string& header, const Arguments& options) {
        const std::string log = folder.write("log.swf", header + lines);
        REQUIRE_NOTHROW(commands::swf(with(options, {log, "-o", folder.file("out.json")})));
        return contents(folder.file("out.json"));
    };
    const auto origin = [&](const std::string& header, const Arguments& options = {}) {
        const std::string text = made(header, options);
        const std::size_t begin = text.find("\"origin\"");
        return begin == std::string::npos ? "" : text.substr(begin, text.find("\",", begin) + 1 - begin);
    };
    const auto in_zone = [](const std::string& date, const std::string& zone = "") {
        return "\"origin\":\"2024-" + date + (zone.empty() ? "Z\"" : "Z[" + zone + "]\"");
    };
    CHECK(origin("").empty());
    CHECK(origin("; UnixStartTime: 0\n").empty());
    CHECK(origin("; UnixStartTime: unknown\n").empty());
    CHECK(origin(start) == in_zone("03-01T00:00:00"));
    CHECK(origin("; UnixStartTime: 1709251200.5\n") == in_zone("03-01T00:00:00.5"));
    // Nothing else changes.
    const std::string plain = made("", {});
    CHECK(made(start, {}) == std::string(plain).insert(plain.find("\"jobs\""), in_zone("03-01T00:00:00") + ','));
    // Second 0 of the workload, also of a part of the log.
    CHECK(origin(start, {"--shift"}) == in_zone("03-01T00:00:50"));
    CHECK(origin(start, {"--from", "2024-03-01 00:00:51"}) == in_zone("03-01T00:00:00"));
    CHECK(origin(start, {"--from", "51", "--shift"}) == in_zone("03-01T00:01:40"));
    CHECK(origin(start, {"--load", "0.5"}).empty());
    for (const Arguments& options : {Arguments{}, Arguments{"--from", "10"}}) {
        const std::string minutes = folder.file("minutes" + std::to_string(options.size()));
        REQUIRE_NOTHROW(commands::swf(
            with(options, {folder.file("log.swf"), "-o", minutes, "--split", "60s", "--crossing", "keep"})));
        const auto begin = [&](const std::string& number) {
            return read_workload(minutes + "/log-period-00" + number + ".json", "w0").origin.value().since_1970 -
                   Duration::seconds(1'709'251'200);
        };
        const Duration from = Duration::seconds(options.empty() ? 0 : 10);
        CHECK(begin("1") == from);
        CHECK(begin("2") == from + Duration::seconds(60));
    }
    const std::string scaled = folder.file("scaled");
    REQUIRE_NOTHROW(
        commands::swf({folder.file("log.swf"), "-o", scaled, "--split", "60s", "--crossing", "keep", "--load", "0.5"}));
    CHECK(!read_workload(scaled + "/log-period-002.json", "w0").origin);
    // The zone is that of the option, of the header's name, or of its offset in hours.
    const std::string date = "03-01T00:00:00";
    const std::string named = start + "; TimeZone: -28800\n; TimeZoneString: US/Pacific\n";
    CHECK(origin(named) == in_zone(date, "US/Pacific"));
    CHECK(origin(named, {"--time-zone", "Asia/Tokyo"}) == in_zone(date, "Asia/Tokyo"));
    CHECK(origin(start + "; TimeZone: -28800\n") == in_zone(date, "Etc/GMT+8"));
    CHECK(origin(start + "; TimeZone: 50400\n; TimeZoneString: \xff\n") == in_zone(date, "Etc/GMT-14"));
    for (const std::string other : {"0", "19800", "-46800", "54000", "CET", "99999999999"}) {
        CHECK(origin(start + "; TimeZone: " + other + "\n") == in_zone(date));
    }
}

TEST_CASE("batfill swf passes its options on", "[swf][command]") {
    const Folder folder;
    const std::string out = folder.file("out.json");
    const auto convert = [&](const Arguments& options) {
        REQUIRE_NOTHROW(commands::swf(with(options, {log_in(folder), "-o", out})));
        return read_workload(out, "w0");
    };
    CHECK(convert({"--exclude-queue", "0"}).jobs.size() == 1);
    CHECK(convert({"--exclude-queue", "0", "--exclude-queue", "7"}).jobs.size() == 1);
    CHECK(convert({"--partition", "1"}).jobs.size() == 2);
    CHECK(convert({"--from", "50.5"}).jobs.size() == 1);
    CHECK(convert({"--until", "100"}).jobs.size() == 1);
    CHECK(convert({"--size", "allocated"}).jobs.at(0).description.processors == 4);
    CHECK(convert({"--unit", "3"}).jobs.at(0).description.processors == 3);
    CHECK(convert({"--processors", "10"}).processors == 10);
    CHECK(convert({"--missing-walltime", "omit"}).jobs.at(0).description.walltime == std::nullopt);
    CHECK(convert({"--missing-walltime", "drop"}).jobs.size() == 1);
    CHECK(convert({"--missing-walltime", "7"}).jobs.at(0).description.walltime == Duration::seconds(7));
    CHECK(convert({"--estimates", "exact"}).jobs.at(1).description.walltime == Duration::seconds(60));
    CHECK(convert({"--estimates", "log"}).jobs.at(1).description.walltime == Duration::seconds(300));
    CHECK(convert({"--estimates", "modal"}).jobs.at(0).description.walltime == Duration::seconds(300));
    CHECK(convert({"--estimates", "factor:1.1"}).jobs.at(0).description.walltime == Duration::microseconds(66'550'000));
    CHECK(convert({"--estimates", "exact", "--missing-walltime", "drop"}).jobs.size() == 1);
    CHECK(convert({"--short-estimates", "cut"}).jobs.size() == 2);
    CHECK(convert({"--queue-names", "0=low,2=high=er"}).jobs.at(0).description.queue == "low");
    CHECK(convert({"--queue-names", "0=low,2=high=er"}).jobs.at(1).description.queue == "high=er");
    CHECK(convert({"--queue-names=-1=none"}).jobs.at(0).description.queue == "0");
    CHECK(convert({"--shift"}).jobs.at(1).description.submit == Time::seconds(50));
}

TEST_CASE("batfill swf cuts, raises or drops what ran longer than it requested, and keeps 0 s on request",
          "[swf][command]") {
    const Folder folder;
    const std::string out = folder.file("out.json");
    const std::string log = log_in(folder,
                                   "; MaxProcs: 64\n1 0 0 200 4 -1 -1 8 100 -1 1 3 1 -1 2 1 -1 -1\n"
                                   "2 5 0 0 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1\n"
                                   "3 9 0 50 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1\n");
    const auto convert = [&](const Arguments& options) {
        REQUIRE_NOTHROW(commands::swf(with(options, {log, "-o", out})));
        return read_workload(out, "w0").jobs;
    };
    CHECK(convert({}).at(0).description.walltime == Duration::seconds(100));
    CHECK(convert({"--short-estimates", "raise"}).at(0).description.walltime == Duration::seconds(200));
    CHECK(convert({"--short-estimates", "drop"}).size() == 1);
    CHECK(convert({"--short-estimates", "drop", "--drop-longer-than-estimate"}).size() == 1);
    CHECK(convert({"--drop-longer-than-estimate"}).size() == 1);
    CHECK(convert({"--keep-zero-run-times"}).at(1).description.id == "w0!2");
}

TEST_CASE("batfill swf keeps the header comments on request", "[swf][command]") {
    const Folder folder;
    REQUIRE_NOTHROW(commands::swf({log_in(folder), "--header", folder.file("header.txt")}));
    CHECK(contents(folder.file("header.txt")) == "; Acknowledge: someone\n; MaxProcs: 64\n");
}

TEST_CASE("batfill swf writes the log's own schedule, which metrics and check read", "[swf][command]") {
    const Folder folder;
    const std::string jobs = folder.file("log_jobs.csv");
    const std::string workload = folder.file("w.json");
    REQUIRE_NOTHROW(commands::swf({log_in(folder), "-o", workload, "--schedule", jobs}));
    CHECK_THAT(contents(jobs), Contains("17,w0,") && Contains("05,w0,"));
    CHECK_NOTHROW(commands::check({jobs, "-w", workload, "-p", "64"}));
    CHECK_NOTHROW(commands::metrics({jobs, "-w", workload, "-p", "64"}));
    CHECK_NOTHROW(commands::check({log_in(folder), "-w", workload, "-p", "64"}));
    CHECK_THROWS_AS(commands::swf({log_in(folder), "--schedule", jobs, "--split", "7", "-o", folder.file("weeks")}),
                    UsageError);
    CHECK_THROWS_AS(commands::swf({log_in(folder), "--schedule", workload, "-o", workload}), UsageError);
}

TEST_CASE("batfill swf refuses what it cannot use and leaves no file", "[swf][command]") {
    const Folder folder;
    const std::string log = log_in(folder);
    const std::string out = folder.file("out.json");
    CHECK_THROWS_AS(commands::swf({}), UsageError);
    CHECK_THROWS_AS(commands::swf({log, log}), UsageError);
    CHECK_THROWS_AS(commands::swf({log, "--no-such-option"}), UsageError);
    CHECK_THROWS_AS(commands::swf({log, "--exclude-queue", "zero"}), UsageError);
    CHECK_THROWS_WITH(commands::swf({log, "--size", "both"}), Contains("known: requested, allocated"));
    CHECK_THROWS_WITH(commands::swf({log, "--format", "csv"}), Contains("known: table, json, batsim4, batsim5"));
    CHECK_THROWS_WITH(commands::swf({log, "--missing-walltime", "0"}), Contains("exact, omit, drop or a number"));
    CHECK_THROWS_WITH(commands::swf({log, "--short-estimates", "keep"}), Contains("known: cut, raise, drop"));
    CHECK_THROWS_WITH(commands::swf({log, "--short-estimates", "raise", "--drop-longer-than-estimate"}),
                      Contains("means --short-estimates drop, expected no other"));
    CHECK_THROWS_WITH(commands::swf({log, "--estimates", "users"}), Contains("known: log, exact, modal, factor:K"));
    for (const std::string factor : {"factor:", "factor:0.999999", "factor:two", "factor:1000001", "factor:-2"}) {
        CHECK_THROWS_WITH(commands::swf({log, "--estimates", factor}), Contains("K in 1..1000000, found '" + factor));
    }
    for (const std::string factor : {"1.0000001", "1.00000149", "10000000.1e-6", "1.0000000000001"}) {
        CHECK_THROWS_WITH(commands::swf({log, "--estimates", "factor:" + factor}),
                          "--estimates: expected at most six decimals, found '" + factor + "'");
    }
    CHECK_THROWS_WITH(commands::swf({log, "--format", "json", "--format", "table"}),
                      "--format: expected one of table and json, found json and table");
    CHECK_THROWS_WITH(commands::swf({log, "--format", "batsim4", "--format", "json", "--format", "batsim5"}),
                      "--format: expected one of batsim4 and batsim5, found batsim4 and batsim5");
    CHECK_THROWS_WITH(commands::swf({}), Contains("an argument is missing (usage: batfill swf LOG.swf[.gz] "));
    for (const std::string option : {"--header", "--schedule", "--output"}) {
        CHECK_THROWS_WITH(commands::swf({log, "-o", out, option, ""}),
                          option == "--output" ? "--output: expected one value, found 2"
                                               : "expected the name of a file, found an empty one");
        CHECK_THROWS_WITH(commands::swf({log, option, "-"}), Contains("/dev/stdout is the standard output"));
    }
    CHECK_THROWS_WITH(commands::swf({"-"}), Contains("/dev/stdin is the standard input"));
    for (const std::string missing : {"omit", "3600"}) {
        CHECK_THROWS_WITH(commands::swf({log, "--estimates", "exact", "--missing-walltime", missing}),
                          Contains("expected exact or drop with --estimates exact") && Contains(missing));
    }
    CHECK_THROWS_WITH(commands::swf({log, "--unit", "0"}),
                      Contains("--unit: expected a whole number from 1 to 2147483647, found '0'"));
    CHECK_THROWS_WITH(commands::swf({log, "--from", "noon"}), Contains("--from: expected a number of seconds"));
    for (const std::string names : {"", "1", "1=", "=low", "one=low", "1 =low", "1=low,", "1=low,,2=high", "1.5=low"}) {
        CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--queue-names", names}), Contains("expected NUMBER=NAME"));
    }
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--queue-names", "1=low,1=high"}),
                      Contains("expected one name for queue 1"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--partition", "9"}), Contains("all of its 3 jobs are dropped"));
    // Two names of one file that does not exist.
    const std::string here = std::filesystem::current_path();
    std::filesystem::current_path(std::filesystem::path(out).parent_path());
    CHECK_THROWS_WITH(commands::swf({log, "-o", "out.json", "--schedule", "./out.json"}),
                      "--schedule: expected another file than --output, found './out.json'");
    CHECK_THROWS_WITH(commands::swf({log, "-o", "out.json", "--header", out}),
                      "--header: expected another file than --output, found '" + out + "'");
    CHECK_THROWS_WITH(commands::swf({log, "--schedule", out, "--header", "out.json"}),
                      "--schedule: expected another file than --header, found '" + out + "'");
    std::filesystem::current_path(here);
    CHECK_THROWS_AS(commands::swf({log_in(folder, "1 2\n"), "-o", out}), InputError);
    CHECK(folder.files() == 1);
}

TEST_CASE("batfill swf --split writes a workload for each period into a new folder", "[swf][command]") {
    const Folder folder;
    const auto job = [](const std::string& number, int day) {
        return number + " " + std::to_string(day * 86400 + 5) + " 0 60 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1\n";
    };
    const std::string log = log_in(folder, "; MaxProcs: 64\n" + job("1", 0) + job("2", 8) + job("3", 9) + job("4", 30));
    const std::string weeks = folder.file("weeks");
    REQUIRE_NOTHROW(commands::swf({log, "-o", weeks + "/", "--split", "7"}));
    CHECK(folder.files() == 2);
    CHECK(std::filesystem::exists(weeks + "/log-week-001.json"));
    CHECK_FALSE(std::filesystem::exists(weeks + "/log-week-003.json"));
    CHECK(std::filesystem::exists(weeks + "/log-week-005.json"));
    const Workload second = read_workload(weeks + "/log-week-002.json", "w0");
    REQUIRE(second.jobs.size() == 2);
    CHECK(second.jobs[0].description.submit == Time::at(Duration::days(1) + Duration::seconds(5)));
    CHECK(second.processors == 64);

    const std::string months = folder.file("months");
    std::filesystem::create_directory(months);
    REQUIRE_NOTHROW(commands::swf({log, "-o", months, "--split", "30", "--skip", "1", "--periods", "1"}));
    CHECK(read_workload(months + "/log-month-002.json", "w0").jobs.size() == 1);
    const std::string from_first = folder.file("from-first");
    REQUIRE_NOTHROW(commands::swf({log, "-o", from_first, "--split", "7", "--from", "518400", "--count-from",
                                   "first-job", "--skip", "3", "--periods", "1"}));
    CHECK(std::filesystem::exists(from_first + "/log-week-004.json"));
    const std::string days = folder.file("days");
    REQUIRE_NOTHROW(commands::swf({log, "-o", days, "--split", "0.5"}));
    const std::string same = folder.file("same");
    REQUIRE_NOTHROW(commands::swf({log, "-o", same, "--split", "12h"}));
    CHECK(std::distance(std::filesystem::directory_iterator(same), {}) ==
          std::distance(std::filesystem::directory_iterator(days), {}));
    CHECK(std::filesystem::exists(days + "/log-period-061.json"));
}

TEST_CASE("batfill swf --split keeps jobs that cross a period's end on request", "[swf][command]") {
    const Folder folder;
    const std::string log = log_in(folder,
                                   "; MaxProcs: 64\n1 604700 0 200 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1\n"
                                   "2 604700 0 100 4 -1 -1 8 300 -1 1 3 1 -1 2 1 -1 -1\n");
    const auto jobs_with = [&](const std::string& crossing) {
        const std::string weeks = folder.file(crossing);
        REQUIRE_NOTHROW(commands::swf({log, "-o", weeks, "--split", "7", "--crossing", crossing}));
        return read_workload(weeks + "/log-week-001.json", "w0").jobs.size();
    };
    CHECK(jobs_with("drop") == 1);
    CHECK(jobs_with("keep") == 2);
}

TEST_CASE("batfill swf --split refuses what it cannot do and leaves nothing", "[swf][command]") {
    const Folder folder;
    const std::string log = log_in(folder);
    const std::string out = folder.file("out");
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "0"}), Contains("--split: expected a number of days"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "week"}), Contains("found 'week'"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "7", "--shift"}), Contains("no --shift"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--skip", "1"}), Contains("expected --split"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--crossing", "keep"}), Contains("expected --split"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--count-from", "first-job"}), Contains("expected --split"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "7", "--crossing", "cut"}),
                      Contains("known: drop, keep"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "7", "--count-from", "one"}),
                      Contains("known: zero, first-job"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "7", "--skip", "-1"}), Contains("--skip"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "7", "--periods", "0"}), Contains("--periods"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", out, "--split", "7", "--skip", "9"}), Contains("are dropped"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", folder.file("no/out"), "--split", "7"}), Contains("cannot be created"));
    CHECK_THROWS_WITH(commands::swf({log, "-o", log, "--split", "7"}), Contains("exists already"));
    CHECK(folder.files() == 1);
}

TEST_CASE("batfill swf writes no file over the log", "[swf][command]") {
    const Folder folder;
    const std::string log = log_in(folder);
    for (const std::string option : {"--output", "--schedule", "--header"}) {
        CHECK_THROWS_WITH(commands::swf({log, option, folder.file("./log.swf")}),
                          Contains(option + ": would write over the input " + log + ", expected another name"));
    }
    CHECK(contents(log) == log_text);
}

}  // namespace batfill::tests::swf_test
