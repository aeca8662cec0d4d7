#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/machine.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/workload.hpp>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::farm_test {

using Catch::Matchers::Contains;

namespace {

struct Outputs {
    Folder folder;
    std::string workload = folder.file("farm.json");
    std::string platform = folder.file("farm.xml");

    Outcome generate(const Arguments& more) const {
        return run(folder, with({"generate", "farm", "--seed", "1", "-o", workload, "--platform", platform}, more));
    }
    bool exist() const { return std::filesystem::exists(workload) || std::filesystem::exists(platform); }
};

}  // namespace

TEST_CASE("generate farm writes a workload and its platform, the same bytes for the same seed") {
    const Outputs outputs;
    const Outcome outcome = outputs.generate({});
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    CHECK_THAT(outcome.output, Contains(outputs.platform + ": 100 machines with "));
    CHECK_THAT(outcome.output, Contains(outputs.workload + ": 1000 jobs, submitted over "));
    CHECK_THAT(outcome.output, Contains("offered load ") && Contains("jobs with a deadline 7"));
    const std::string workload = contents(outputs.workload);
    const std::string platform = contents(outputs.platform);
    CHECK(outputs.generate({}).status == 0);
    CHECK(contents(outputs.workload) == workload);
    CHECK(contents(outputs.platform) == platform);

    const Workload read = read_workload(outputs.workload, "w0");
    const Machine machine(read_platform(outputs.platform).hosts);
    CHECK(read.jobs.size() == 1000);
    CHECK(read.processors == machine.processors());
    CHECK(machine.groups().size() == 100);
    CHECK(machine.licenses().size() == 20);
}

TEST_CASE("metrics of a drawn farm tell how much of its processors and licences is used") {
    const Outputs outputs;
    require_done(outputs.generate({"--jobs", "100"}));
    const std::string prefix = outputs.folder.file("fcfs");
    require_done(
        run(outputs.folder, {"simulate", "-p", outputs.platform, "-w", outputs.workload, "-a", "fcfs", "-e", prefix}));
    const Outcome with_platform = run(outputs.folder, {"metrics", prefix + "_jobs.csv", "-w", outputs.workload, "-p",
                                                       outputs.platform, "-f", "json"});
    CHECK(with_platform.status == 0);
    CHECK_THAT(with_platform.output, Contains("\"license_usage\":0.") && !Contains("\"system_usage_requested\":null"));
    CHECK_THAT(with_platform.output, !Contains("\"system_usage\":null"));
    const Outcome without =
        run(outputs.folder, {"metrics", prefix + "_jobs.csv", "-p", outputs.platform, "-f", "json"});
    CHECK_THAT(without.output, Contains("\"license_usage\":null"));
}

TEST_CASE("generate farm passes its options on") {
    const Outputs outputs;
    CHECK(outputs
              .generate({"--jobs",
                         "50",
                         "--machines",
                         "7",
                         "--licenses",
                         "3",
                         "--interarrival",
                         "0.5",
                         "--run-time",
                         "60:90",
                         "--job-processors",
                         "2:3",
                         "--machine-processors",
                         "4",
                         "--speed",
                         "5",
                         "--license-ratio",
                         "100",
                         "--license-suitability",
                         "100",
                         "--license-needs",
                         "100",
                         "--without-deadline",
                         "0",
                         "--deadline-margin",
                         "50",
                         "--margin-unit",
                         "percent",
                         "--estimates",
                         "factor:2"})
              .status == 0);
    const Machine machine(read_platform(outputs.platform).hosts);
    CHECK(machine.processors() == 28);
    REQUIRE(machine.groups().size() == 7);
    CHECK(machine.groups().front().speed == 5e6);
    REQUIRE(machine.licenses().size() == 3);
    CHECK(machine.licenses().front().copies == 7);
    const Workload workload = read_workload(outputs.workload, "w0");
    REQUIRE(workload.jobs.size() == 50);
    CHECK(workload.jobs.back().description.submit < Time::seconds(60));
    for (const WorkloadJob& job : workload.jobs) {
        const JobDescription& d = job.description;
        const Duration run = workload.profiles.at(d.profile).delay;
        CHECK(run >= Duration::seconds(60));
        CHECK(run <= Duration::seconds(90));
        CHECK(d.walltime == run * 2);
        CHECK(d.deadline == d.submit + run * 3);
        CHECK(d.processors >= 2);
        CHECK(d.processors <= 3);
        CHECK(d.licenses == std::vector<std::string>{"lic0", "lic1", "lic2"});
    }
}

TEST_CASE("generate farm refuses what it cannot do in one line, and writes nothing") {
    const Outputs outputs;
    const auto refused = [&](const Arguments& more, const std::string& what, int status = 2) {
        INFO(what);
        const Outcome outcome = outputs.generate(more);
        check_refused(outcome, status);
        CHECK_THAT(outcome.errors, Contains(what));
        CHECK_FALSE(outputs.exist());
    };
    refused({"--jobs", "0"}, "--jobs: expected a whole number from 1 to 10000000, found '0'");
    refused({"--machines", "0"}, "--machines: expected a whole number from 1 to 100000, found '0'");
    refused({"--licenses", "1001"}, "--licenses: expected a whole number from 0 to 1000, found '1001'");
    refused({"--interarrival", "0"}, "--interarrival: expected a number of seconds from 0.000001 to 1000000");
    refused({"--interarrival", "soon"}, "found 'soon'");
    for (const char* range : {"0:5", "5:4", "5:", ":5", "", "a", "1:2:3", "1:1000001", "1.5:2", "99999999999"}) {
        refused({"--run-time", range},
                "--run-time: expected LOW:HIGH or one integer, in 1..1000000, found '" + std::string(range) + "'");
    }
    refused({"--job-processors", "0:8"}, "--job-processors: expected");
    refused({"--machines", "1000", "--machine-processors", "1:101"},
            "--machine-processors: expected at most 100 with --machines 1000, found 101");
    refused({"--speed", "0:1"}, "--speed: expected");
    refused({"--license-ratio", "0:1"}, "--license-ratio: expected");
    refused({"--license-suitability", "101"},
            "--license-suitability: expected a whole number from 0 to 100, found '101'");
    refused({"--license-needs=-1"}, "--license-needs: expected");
    refused({"--without-deadline", "101"}, "--without-deadline: expected");
    refused({"--deadline-margin", "-1:5"}, "--deadline-margin: expected");
    refused({"--margin-unit", "days"}, "--margin-unit: unknown value 'days', known: seconds, percent");
    refused({"--estimates", "modal"}, "--estimates: unknown value 'modal', known: exact, factor:K");
    refused({"--estimates", "factor:0.5"}, "--estimates: expected factor:K with K in 1..1000000");
    refused({"--job-processors", "9"}, "no machine of this farm could run any of 10000 draws");
    const Folder other;
    check_refused(run(other, {"generate", "farm", "--seed", "1", "-o", other.file("x")}), 2);
    check_refused(run(other, {"generate", "farm", "--seed", "1", "-o", other.file("x"), "--platform", other.file("x")}),
                  2);
    check_refused(run(other, {"generate", "farm", "-o", other.file("x"), "--platform", other.file("y")}), 2);
    std::filesystem::create_symlink(".", other.file("link"));
    CHECK_THAT(
        run(other, {"generate", "farm", "--seed", "1", "-o", other.file("x"), "--platform", other.file("link/x")})
            .errors,
        Contains("--platform: expected another file than --output, found '"));
    CHECK_FALSE(std::filesystem::exists(other.file("x")));
}

TEST_CASE("generate farm writes both files or none") {
    const Outputs outputs;
    for (const bool workload_is_bad : {true, false}) {
        const std::string bad = outputs.folder.file("missing/file");
        check_refused(
            run(outputs.folder, {"generate", "farm", "--seed", "1", "-o", workload_is_bad ? bad : outputs.workload,
                                 "--platform", workload_is_bad ? outputs.platform : bad}),
            1, bad + ": cannot be written");
        CHECK_FALSE(outputs.exist());
    }
}

}  // namespace batfill::tests::farm_test
