#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>

#include "tests/command_line/simulate_inputs.hpp"
#include "tests/support/machine_events.hpp"

namespace batfill::tests::simulate_results_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("simulate writes what an algorithm has counted, and leaves nothing of an earlier run") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "deadlines.json", R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                          R"({"id":"1","subtime":0,"res":3,"walltime":10,"profile":"p"},)"
                          R"({"id":"2","subtime":1,"res":3,"walltime":10,"profile":"p","deadline":30},)"
                          R"({"id":"3","subtime":2,"res":3,"walltime":10,"profile":"p","deadline":25},)"
                          R"({"id":"4","subtime":3,"res":3,"walltime":10,"profile":"p"}]})");
    const auto simulate = [&](const Arguments& more) {
        return run(inputs.folder,
                   with({"simulate", "-p", inputs.platform, "-w", workload, "-e", inputs.folder.file("out")}, more));
    };
    // Job 2 can end at 20, job 3 not before 30. If job 4 took the place of job 2, job 2 would be late, so job 2 stays.
    const Outcome with = simulate({"-a", "dbf"});
    CHECK(with.status == 0);
    CHECK_THAT(with.output, Contains("statistics of dbf: regular_jobs 2, tentative_jobs 1, hopeless_jobs 1, "));
    const std::string path = inputs.folder.file("out_statistics.csv");
    CHECK_THAT(contents(path), StartsWith("statistic,value\nregular_jobs,2\ntentative_jobs,1\nhopeless_jobs,1\n"));
    CHECK_THAT(contents(path), Contains("\nmoves,1\nrepairs,0\n"));
    CHECK_THAT(contents(path), Contains("\ndeadlines_met,1\ndeadlines_missed,1\ndeadlines_missed_hopeless,1\n"));
    CHECK(simulate({"-a", "dbf", "--quiet"}).output.empty());
    CHECK(simulate({"-a", "fcfs"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("simulate writes what a plan has guaranteed, and check finds whether it was kept") {
    const Inputs inputs;
    const std::string path = inputs.folder.file("out_guarantees.csv");
    const auto check = [&](const std::string& guarantees) {
        return run(inputs.folder, {"check", inputs.folder.file("out_jobs.csv"), "-p", inputs.platform, "-w",
                                   inputs.workload, "--guarantees", guarantees});
    };
    const std::string header = "job_id,guaranteed_start,actual_start,workload_name\n";
    // Job 2 is guaranteed the end of job 1's walltime, but both other jobs end early.
    CHECK(inputs.simulate("out", {"-a", "conservative"}).status == 0);
    CHECK(contents(path) == header +
                                "3,,,w0\n1,0.000000,0.000000,w0\n4,2.000000,2.000000,w0\n"
                                "2,30.000000,12.000000,w0\n");
    const Outcome kept = check(path);
    CHECK(kept.status == 0);
    CHECK(kept.output == "4 jobs, no violations (1 rejected; 0 of 3 guarantees broken)\n");

    // The loss of a processor breaks the guarantee.
    const std::string events = inputs.folder.write("events.txt", lost("5", "0") + back("31", "0"));
    CHECK(inputs.simulate("out", {"-a", "conservative", "--events", events}).status == 0);
    CHECK_THAT(contents(path), EndsWith("\n2,30.000000,31.000000,w0\n"));
    const Outcome broken = check(path);
    CHECK(broken.status == 1);
    CHECK(broken.output ==
          "job w0!2: was guaranteed a start at 30.000000 and starts at 31.000000\n"
          "4 jobs, 1 violation (1 rejected; 1 of 3 guarantees broken)\n");
    const Outcome malformed = check(inputs.folder.write("bad.csv", header + "1,0,0,w0\n2,x,0,w0\n"));
    check_refused(malformed, 1);
    CHECK_THAT(malformed.errors, EndsWith("bad.csv:3: guaranteed_start is 'x', expected a number of seconds\n"));

    CHECK(inputs.simulate("out", {"-a", "easy"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("simulate writes which guarantees a loss of processors broke, and check accepts these and no others") {
    const Inputs inputs;
    const std::string path = inputs.folder.file("out_broken_guarantees.csv");
    const std::string guarantees = inputs.folder.file("out_guarantees.csv");
    const auto check = [&](const std::vector<std::string>& more) {
        return run(
            inputs.folder,
            with({"check", inputs.folder.file("out_jobs.csv"), "-p", inputs.platform, "-w", inputs.workload}, more));
    };
    const std::string header = "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\n";
    const std::string events = inputs.folder.write("events.txt", lost("5", "0") + back("31", "0"));
    CHECK(inputs.simulate("out", {"-a", "conservative", "--events", events}).status == 0);
    CHECK(contents(path) == header + "2,5.000000,30.000000,,w0\n");
    const Outcome listed = check({"--guarantees", guarantees, "--broken-guarantees", path});
    CHECK(listed.status == 0);
    CHECK(listed.output == "4 jobs, no violations (1 rejected; 1 of 3 guarantees broken, 1 of these listed)\n");
    const std::string none = inputs.folder.write("none.csv", header);
    const Outcome unlisted = check({"--guarantees", guarantees, "--broken-guarantees", none});
    CHECK(unlisted.status == 1);
    CHECK_THAT(unlisted.output, Contains("job w0!2: was guaranteed a start at 30.000000 and starts at 31.000000\n") &&
                                    Contains("1 of 3 guarantees broken, 0 of these listed"));
    check_refused(check({"--broken-guarantees", path}), 2);

    // The file exists only if the machine changes and the algorithm gives guarantees.
    CHECK(inputs.simulate("out", {"-a", "conservative"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(path));
    inputs.folder.write("out_broken_guarantees.csv", "left by an earlier run");
    CHECK(inputs.simulate("out", {"-a", "easy", "--events", events}).status == 0);
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("simulate kills jobs whose processors are lost, or submits them again, and counts them") {
    const Inputs inputs;
    const std::string events = inputs.folder.write("events.txt", lost("5", "0") + back("9", "0"));
    const std::string jobs = inputs.folder.file("out_jobs.csv");
    const std::string statistics = inputs.folder.file("out_statistics.csv");
    const auto simulate = [&](const std::string& on_failure) {
        require_done(inputs.simulate("out", {"-a", "fcfs", "--events", events, "-P", "on-failure=" + on_failure}));
        const Outcome checked = run(inputs.folder, {"check", jobs, "-p", inputs.platform, "-w", inputs.workload});
        CHECK(checked.status == 0);
        return checked.output;
    };
    CHECK(simulate("continue") == "4 jobs, no violations (1 rejected)\n");
    CHECK_FALSE(std::filesystem::exists(statistics));
    CHECK(simulate("kill") == "4 jobs, no violations (1 rejected)\n");
    CHECK_THAT(contents(jobs), Contains(",COMPLETED_KILLED,"));
    CHECK(contents(statistics) == "statistic,value\njobs_killed,1\njobs_requeued,0\nlost_processor_seconds,10\n");
    CHECK(simulate("requeue") == "5 jobs, no violations (1 rejected; 1 submitted again)\n");
    CHECK_THAT(contents(jobs), Contains("\n1#1,w0,"));
    CHECK(contents(statistics) == "statistic,value\njobs_killed,1\njobs_requeued,1\nlost_processor_seconds,10\n");
    const Outcome measured =
        run(inputs.folder, {"metrics", jobs, "-w", inputs.workload, "-p", inputs.platform, "--format", "csv"});
    CHECK(measured.status == 0);
    const Outcome unknown = inputs.simulate("out", {"-a", "fcfs", "-P", "on-failure=ignore"});
    check_refused(unknown, 2);
    CHECK_THAT(unknown.errors, EndsWith("unknown value 'ignore', known: continue, requeue, kill\n"));
    check_refused(inputs.simulate("out", {"-a", "fcfs", "--enable-dynamic-jobs"}), 2);
    check_refused(inputs.simulate("out", {"-s", "tcp://127.0.0.1:1", "--enable-profile-reuse"}), 2);
}

TEST_CASE("simulate ends with status 1 and nothing written if the simulation cannot go on") {
    const Inputs inputs;
    const std::string events = inputs.folder.write("events.txt", back("5", "0"));
    check_refused(inputs.simulate("out", {"-a", "fcfs", "--events", events}), 1, "processor 0 is not unavailable");
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("simulate writes what ended before a deadlock, and ends with status 1") {
    const Inputs inputs;
    const std::string events = inputs.folder.write("events.txt", lost("5", "0"));
    check_refused(inputs.simulate("out", {"-a", "fcfs", "-q", "--events", events}), 1,
                  "with 2 jobs that the scheduler never started, the first of them w0!2");
    const std::string jobs = inputs.jobs("out");
    CHECK(std::count(jobs.begin(), jobs.end(), '\n') == 3);
}

TEST_CASE("simulate gives up on a scheduler that does not answer") {
    const Inputs inputs;
    const Outcome outcome =
        inputs.simulate("out", {"-s", "ipc://" + inputs.folder.file("nobody"), "--socket-timeout", "1"});
    check_refused(outcome, 1);
    CHECK_THAT(outcome.errors, Contains("no answer from the scheduler") && Contains("within 1 seconds"));
    const Outcome sooner =
        inputs.simulate("out", {"-s", "ipc://" + inputs.folder.file("nobody"), "--socket-timeout", "0.25"});
    check_refused(sooner, 1);
    CHECK_THAT(sooner.errors, Contains("no answer from the scheduler") && Contains("within 0.25 seconds"));
    check_refused(inputs.simulate("out", {"-s", "nowhere"}), 2);
    check_refused(inputs.simulate("out", {"-s", "tcp://127.0.0.1:-1"}), 2);
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("simulate --like batsim5 writes the files of Batsim 5 under its names") {
    const Inputs inputs;
    require_done(inputs.simulate("four", {"-a", "fcfs", "--like", "batsim4"}));
    require_done(inputs.simulate("default", {"-a", "fcfs"}));
    CHECK(inputs.jobs("default") == inputs.jobs("four"));
    CHECK(inputs.schedule("default") == inputs.schedule("four"));
    const Outcome outcome = inputs.simulate("five-", {"-a", "fcfs", "--like", "batsim5", "--real-times"});
    require_done(outcome);
    CHECK_THAT(outcome.output, EndsWith("five-jobs.csv, " + inputs.folder.file("five-schedule.json") + " and " +
                                        inputs.folder.file("five-real_exec_info.json") + "\n"));
    CHECK_THAT(contents(inputs.folder.file("five-jobs.csv")), Contains("\n1,w0,w0!p,0.000000,2,30.000000,1,"));
    CHECK_THAT(contents(inputs.folder.file("five-real_exec_info.json")), Contains("\"time_in_edc_seconds\": "));
    rapidjson::Document schedule;
    schedule.Parse(contents(inputs.folder.file("five-schedule.json")).c_str());
    REQUIRE(schedule.IsObject());
    CHECK(schedule["nb_jobs"].GetInt() == 4);
    CHECK_FALSE(inputs.wrote("five-"));
    // Batsim 5 makes the folder, Batsim 4 does not.
    require_done(inputs.simulate("new/er/", {"-a", "fcfs", "--like", "batsim5"}));
    CHECK(contents(inputs.folder.file("new/er/jobs.csv")) == contents(inputs.folder.file("five-jobs.csv")));
    check_refused(inputs.simulate("missing/", {"-a", "fcfs"}), 1);
}

TEST_CASE("simulate refuses a simulator that it does not know, and to be like Batsim 5 behind a socket") {
    const Inputs inputs;
    const Outcome unknown = inputs.simulate("x", {"-a", "fcfs", "--like", "batsim6"});
    CHECK(unknown.status == 2);
    CHECK_THAT(unknown.errors, Contains("unknown simulator 'batsim6', known: batsim4, batsim5"));
    CHECK(inputs.simulate("x", {"-s", "tcp://127.0.0.1:28999", "--like", "batsim5"}).status == 2);
}

TEST_CASE("what simulate writes of far times can be read back, and times that cannot are refused") {
    const Folder folder;
    const auto workload = [&](const std::string& walltime, const std::string& delay) {
        const std::string job = R"(","subtime":0,"res":1,"walltime":)" + walltime + R"(,"profile":"p"})";
        return folder.write("w.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":)" + delay +
                                          R"(}},"jobs":[{"id":"1)" + job + R"(,{"id":"2)" + job + R"(,{"id":"3)" + job +
                                          "]}");
    };
    const std::string prefix = folder.file("out");
    const auto simulate = [&](const std::string& path) {
        return run(folder, {"simulate", "-q", "-a", "pc", "-p", "1", "-w", path, "-e", prefix});
    };
    // Guaranteed starts up to 1.8e18.
    const std::string far = workload("9e17", "3e17");
    require_done(simulate(far));
    CHECK_THAT(contents(prefix + "_guarantees.csv"), Contains("1800000000000000000.000000"));
    CHECK(run(folder, {"check", prefix, "-w", far, "-p", "1", "--guarantees", prefix + "_guarantees.csv"}).status == 0);
    CHECK(run(folder, {"metrics", prefix}).status == 0);

    std::filesystem::remove(prefix + "_jobs.csv");
    const Outcome beyond = simulate(workload("9e17", "4e17"));
    check_refused(beyond, 1);
    CHECK_THAT(beyond.errors,
               Contains("job w0!3 ends at 1200000000000000000.000000 s") && EndsWith("expected at most 1e18 s\n"));
    CHECK(!std::filesystem::exists(prefix + "_jobs.csv"));
}

}  // namespace batfill::tests::simulate_results_test
