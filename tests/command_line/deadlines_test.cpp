#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>

#include "tests/command_line/outcome.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::deadlines_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

// Two jobs with a walltime and one without. The first has a deadline.
struct Inputs {
    Folder folder;
    std::string workload =
        folder.write("in.json", R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                R"({"id":"a","subtime":0.5,"res":2,"walltime":60,"profile":"p","deadline":5},)"
                                R"({"id":"b","subtime":7,"res":3,"walltime":100000,"profile":"p","project":"x"},)"
                                R"({"id":"c","subtime":8,"res":1,"profile":"p"}]})");
    std::string output = folder.file("out.json");

    Outcome deadlines(const Arguments& more) const {
        return run(folder, with({"deadlines", workload, "-o", output}, more));
    }
};

// The deadlines of a workload's jobs, in its order; -1 for none.
std::vector<double> deadlines_in(const std::string& path) {
    rapidjson::Document workload;
    workload.Parse(contents(path).c_str());
    std::vector<double> deadlines;
    for (const auto& job : workload["jobs"].GetArray()) {
        deadlines.push_back(job.HasMember("deadline") ? job["deadline"].GetDouble() : -1);
    }
    return deadlines;
}

}  // namespace

TEST_CASE("deadlines draws among the jobs that have a walltime, and says what it did") {
    const Inputs inputs;
    const Outcome outcome = inputs.deadlines({"--share", "1", "--seed", "3"});
    CHECK(outcome.status == 0);
    CHECK(outcome.errors.empty());
    CHECK(
        outcome.output ==
        inputs.output +
            ": 2 of 3 jobs drawn, due after 86400 s: 1, after 10 walltimes: 1 (without walltime, not drawn: 1; deadlines removed: 1)\n");
    CHECK(deadlines_in(inputs.output) == std::vector<double>{86'400.5, 1'000'007, -1});
    CHECK_THAT(contents(inputs.output), Contains(R"("project":"x","deadline":1000007})"));
}

TEST_CASE("deadlines passes its options on") {
    const Inputs inputs;
    CHECK(inputs.deadlines({"--share", "0", "--seed", "1"}).status == 0);
    CHECK(deadlines_in(inputs.output) == std::vector<double>{-1, -1, -1});
    const std::string input = contents(inputs.workload);
    CHECK(inputs.deadlines({"--count", "2", "--seed", "1", "--floor", "0.25", "--factor", "1.5"}).status == 0);
    CHECK(deadlines_in(inputs.output) == std::vector<double>{90.5, 150'007, -1});
    CHECK(contents(inputs.workload) == input);
}

TEST_CASE("deadlines writes what Batsim 5 reads, with all fields of jobs inside extra_data") {
    Inputs inputs;
    CHECK(inputs.deadlines({"--share", "1", "--seed", "3", "--format", "batsim5"}).status == 0);
    const std::string converted =
        "{\"nb_res\":3,\"jobs\":[\n"
        "{\"id\":\"a\",\"subtime\":0.5,\"res\":2,\"walltime\":60,\"profile\":\"p\",\"extra_data\":{\"deadline\":86400.5}},\n"
        "{\"id\":\"b\",\"subtime\":7,\"res\":3,\"walltime\":100000,\"profile\":\"p\",\"extra_data\":{\"project\":\"x\",\"deadline\":1000007}},\n"
        "{\"id\":\"c\",\"subtime\":8,\"res\":1,\"profile\":\"p\"}\n"
        "],\"profiles\":{\n"
        "\"p\":{\"type\":\"DelayProfile\",\"delay\":10}\n"
        "}}\n";
    CHECK(contents(inputs.output) == converted);
    // Keeps the format by default.
    inputs.workload = inputs.folder.write("five.json", converted);
    CHECK(inputs.deadlines({"--share", "1", "--seed", "3"}).status == 0);
    CHECK(contents(inputs.output) == converted);
    CHECK(inputs.deadlines({"--share", "1", "--seed", "3", "--format", "batsim4"}).status == 0);
    CHECK(deadlines_in(inputs.output) == std::vector<double>{86'400.5, 1'000'007, -1});
    CHECK_THAT(contents(inputs.output), Contains(R"({"type":"delay","delay":10})"));
}

TEST_CASE("deadlines writes no id that Batsim 4 cannot load, unless for Batsim 5") {
    const Inputs inputs;
    const std::string ids =
        inputs.folder.write("ids.json", R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                        R"({"id":"7","subtime":0,"res":2,"walltime":60,"profile":"p"},)"
                                        R"({"id":"8,a","subtime":0,"res":2,"walltime":60,"profile":"p"}]})");
    const Arguments draw{"deadlines", ids, "-o", inputs.output, "--share", "1", "--seed", "1"};
    const Outcome refused = run(inputs.folder, draw);
    check_refused(refused, 1, "job \"w0!8,a\": its id has \",\", expected none of");
    CHECK_THAT(refused.errors, EndsWith("rename the job, or write the workload in the format batsim5\n"));
    CHECK(!std::filesystem::exists(inputs.output));
    require_done(run(inputs.folder, with(draw, {"--format", "batsim5"})));
    CHECK_THAT(contents(inputs.output), Contains(R"({"id":"8,a",)"));
    require_done(
        run(inputs.folder, {"simulate", "-q", "-a", "fcfs", "-p", "3", "-w", ids, "-e", inputs.folder.file("out")}));
}

TEST_CASE("deadlines draws another job for another seed") {
    const Inputs inputs;
    bool first = false;
    bool second = false;
    for (int seed = 0; seed < 20; ++seed) {
        CHECK(inputs.deadlines({"--share", "0.99", "--seed", std::to_string(seed)}).status == 0);
        const std::vector<double> deadlines = deadlines_in(inputs.output);
        CHECK((deadlines[0] < 0) != (deadlines[1] < 0));
        first = first || deadlines[0] >= 0;
        second = second || deadlines[1] >= 0;
    }
    CHECK(first);
    CHECK(second);
}

TEST_CASE("deadlines refuses what it cannot use and leaves no file") {
    const Inputs inputs;
    const auto refused = [&](const Arguments& options, int status) {
        const Outcome outcome = inputs.deadlines(options);
        check_refused(outcome, status);
        return outcome.errors;
    };
    const std::string which = "expected either --share or --count, which say how many jobs to draw\n";
    CHECK_THAT(refused({"--share", "0.5"}, 2), Contains("seed"));
    CHECK_THAT(refused({"--seed", "1"}, 2), EndsWith(which));
    CHECK_THAT(refused({"--seed", "1", "--share", "1", "--count", "1"}, 2), EndsWith(which));
    CHECK_THAT(refused({"--seed", "1", "--share", "1.000001"}, 2),
               EndsWith("--share: expected a number in 0..1, found '1.000001'\n"));
    CHECK_THAT(refused({"--seed", "1", "--count", "3"}, 2),
               EndsWith("expected a sample of at most 2 jobs, those that have a walltime, found 3\n"));
    CHECK_THAT(refused({"--seed", "1", "--share", "1", "--factor", "-1"}, 2),
               EndsWith("--factor: expected a number in 0..1000000, found '-1'\n"));
    CHECK_THAT(refused({"--seed", "1", "--share", "1", "--factor", "1.0000001"}, 2),
               EndsWith("--factor: expected at most six decimals, found '1.0000001'\n"));
    CHECK_THAT(refused({"--seed", "1", "--share", "1", "--floor", "a day"}, 2), Contains("--floor: expected a number"));
    CHECK_THAT(
        refused({"--seed", "1", "--share", "1", "--floor", "1e18"}, 1),
        EndsWith(inputs.workload + ": job w0!a: expected its deadline within 1e18 s, found 1000000000000000000.5\n"));
    inputs.folder.write("in.json", "{}");
    CHECK_THAT(refused({"--seed", "1", "--share", "1"}, 1), Contains("nb_res"));
    CHECK_FALSE(std::filesystem::exists(inputs.output));
}

TEST_CASE("deadlines of a real log come and go without a trace", "[outside]") {
    const std::string log = "traces/HPC2N-2002-2.2-cln.swf.gz";
    if (!have_test_data(log)) {
        return;
    }
    const Folder folder;
    const std::string before = folder.file("before.json");
    const std::string with = folder.file("with.json.gz");
    const std::string after = folder.file("after.json");
    require_done(run(folder, {"swf", test_data(log), "-o", before}));
    const Outcome drawn = run(folder, {"deadlines", before, "-o", with, "--share", "0.2", "--seed", "1"});
    CHECK_THAT(drawn.output, Contains(": 40574 of 202871 jobs drawn, ") && EndsWith("; deadlines removed: 0)\n"));
    const Outcome removed = run(folder, {"deadlines", with, "-o", after, "--count", "0", "--seed", "1"});
    CHECK_THAT(removed.output, EndsWith("; deadlines removed: 40574)\n"));
    CHECK(contents(before) == contents(after));
}

}  // namespace batfill::tests::deadlines_test
