#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <rapidjson/document.h>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests::simulate_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

// A machine of three processors and four jobs. The second waits for the first; the third is too wide.
struct Inputs {
    Folder folder;
    std::string platform = file(folder, "p.xml",
                                "<platform version=\"4.1\"><zone id=\"z\" routing=\"Vivaldi\">"
                                "<host id=\"master_host\" coordinates=\"0 0 0\" speed=\"1Gf\"/>"
                                "<host id=\"h0\" coordinates=\"0 0 0\" speed=\"1Gf\"/>"
                                "<host id=\"h1\" coordinates=\"0 0 0\" speed=\"1Gf\"/>"
                                "<host id=\"h2\" coordinates=\"0 0 0\" speed=\"1Gf\"/></zone></platform>\n");
    std::string workload = file(folder, "w.json",
                                R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                R"({"id":"1","subtime":0,"res":2,"walltime":30,"profile":"p"},)"
                                R"({"id":"2","subtime":1,"res":3,"walltime":30,"profile":"p"},)"
                                R"({"id":"3","subtime":2,"res":4,"walltime":30,"profile":"p"},)"
                                R"({"id":"4","subtime":2,"res":1,"walltime":28,"profile":"p"}]})");

    // Simulates with these inputs and `more` options. Writes PREFIX_jobs.csv and PREFIX_schedule.csv.
    Outcome simulate(const std::string& prefix, const Arguments& more) const {
        Arguments arguments{"simulate", "-p", platform, "-w", workload, "-e", folder.file(prefix)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(folder, arguments);
    }
    std::string jobs(const std::string& prefix) const { return contents(folder.file(prefix + "_jobs.csv")); }
    std::string schedule(const std::string& prefix) const { return contents(folder.file(prefix + "_schedule.csv")); }
    bool wrote(const std::string& prefix) const {
        return std::filesystem::exists(folder.file(prefix + "_jobs.csv")) ||
               std::filesystem::exists(folder.file(prefix + "_schedule.csv"));
    }
};

// The starting time of a job in a jobs.csv.
std::string start_of(const std::string& jobs, const std::string& id) {
    std::size_t at = jobs.find("\n" + id + ",w") + 1;
    for (int column = 0; column < 8; ++column) {
        at = jobs.find(',', at) + 1;
    }
    return jobs.substr(at, jobs.find(',', at) - at);
}

}  // namespace

TEST_CASE("simulate says how many jobs were rejected, why, and what helps") {
    const Inputs inputs;
    const std::string workload = file(
        inputs.folder, "rejected.json",
        R"({"nb_res":8,"profiles":{"p":{"type":"delay","delay":1}},"jobs":[)"
        R"({"id":"a","subtime":0,"res":2,"profile":"p"},{"id":"b","subtime":1,"res":3,"walltime":-1,"profile":"p"},)"
        R"({"id":"c","subtime":2,"res":8,"profile":"p"},{"id":"d","subtime":2,"res":4,"walltime":9,"profile":"p"},)"
        R"({"id":"e\u001b","subtime":3,"res":3,"walltime":5,"profile":"p"},)"
        R"({"id":"f","subtime":3,"res":1,"walltime":9,"profile":"p"}]})");
    const auto notes = [&](const Arguments& more) {
        Arguments arguments{"simulate", "-p", "3", "-w", workload, "-e", inputs.folder.file("out"), "-q"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(inputs.folder, arguments);
        CHECK(outcome.status == 0);
        CHECK(outcome.output.empty());
        const std::string of_machine = "the platform has 3\n";
        REQUIRE_THAT(outcome.errors, Contains(of_machine));
        return outcome.errors.substr(outcome.errors.find(of_machine) + of_machine.size());
    };
    const std::string too_wide =
        "batfill: note: 2 of 6 jobs rejected: wider than the 3 processors of the platform (-p), the widest asks for "
        "8\n";
    CHECK(notes({"-a", "easy"}) ==
          "batfill: note: 2 of 6 jobs rejected: without a walltime (-P default-walltime=SECONDS gives one)\n" +
              too_wide);
    CHECK(notes({"-a", "easy", "-P", "default-walltime=5"}) == too_wide);
    CHECK(notes({"-a", "rejecter", "-P", "default-walltime=5"}) ==
          too_wide + "batfill: note: 4 of 6 jobs rejected: the first, w0!a, is rejected as every job is\n");
    CHECK_THAT(inputs.simulate("out", {"-a", "easy"}).errors, EndsWith("the widest asks for 4\n"));
}

TEST_CASE("simulate notes run times that are no whole number of microseconds, which Batsim does not round") {
    const Folder folder;
    const std::string platform = file(folder, "p.xml",
                                      "<platform version=\"4.1\"><zone id=\"z\" routing=\"Vivaldi\">"
                                      "<host id=\"master_host\" coordinates=\"0 0 0\" speed=\"1Gf\"/>"
                                      "<host id=\"h0\" coordinates=\"0 0 0\" speed=\"3.7Gf\"/></zone></platform>\n");
    const auto errors_of = [&](const std::string& flops, const std::string& walltime, const std::string& like) {
        std::string jobs;
        for (const char* id : {"1", "2"}) {
            jobs.append(jobs.empty() ? "" : ",")
                .append(R"({"id":")")
                .append(id)
                .append(R"(","subtime":0,"res":1,"walltime":)" + walltime + R"(,"profile":"p"})");
        }
        const std::string workload =
            file(folder, "w.json",
                 R"({"nb_res":1,"profiles":{"p":{"type":"parallel_homogeneous","com":0,"cpu":)" + flops +
                     R"(}},"jobs":[)" + jobs + R"(]})");
        const Outcome outcome = run(folder, {"simulate", "-q", "-p", platform, "-w", workload, "-a", "fcfs", "--like",
                                             like, "-e", folder.file("out")});
        CHECK(outcome.status == 0);
        return outcome.errors;
    };
    const std::string note =
        "batfill: note: computing times rounded to microseconds: 2; Batsim does not round them, and may start jobs at "
        "other times\n";
    CHECK(errors_of("1e9", "100", "batsim4") == note);
    CHECK(errors_of("1e9", "100", "batsim5") == note);
    CHECK(errors_of("3.7e9", "100", "batsim4").empty());
    CHECK(errors_of("370000", "100", "batsim4").empty());   // 0.0001 s
    CHECK(errors_of("16095e6", "100", "batsim4").empty());  // 4.35 s
    CHECK(errors_of("1e15", "100", "batsim4").empty());     // both are stopped at their walltimes
}

TEST_CASE("simulate takes an algorithm and its parameters from a file") {
    const Inputs inputs;
    const std::string policy =
        file(inputs.folder, "policy.json",
             R"({"algorithm": "easy", "params": {"order": "mixed", "weights": [0, -1, 0, 0, 0, 0]}})");
    REQUIRE(inputs.simulate("fcfs", {"-a", "fcfs"}).status == 0);
    CHECK(start_of(inputs.jobs("fcfs"), "4") == "20.000000");
    const auto check_backfills = [&](const std::string& prefix, const Arguments& options) {
        INFO(prefix);
        REQUIRE(inputs.simulate(prefix, options).status == 0);
        CHECK(start_of(inputs.jobs(prefix), "4") == "2.000000");
    };
    check_backfills("a", {"-P", policy});
    check_backfills("b", {"-a", "easy", "-P", policy});
    check_backfills("c", {"--sched-cfg", policy});
    check_backfills("d", {"--sched-cfg-file", policy});
    check_backfills(
        "scaled", {"-P", file(inputs.folder, "scaled.json",
                              R"({"algorithm": "easy", "params": {"order": "mixed", "scales": [1, -60.5, 1, 1, 1, 1],)"
                              R"( "weights": [0, 1, 0, 0, 0, 0]}})")});
    const std::string misspelt =
        file(inputs.folder, "misspelt.json", R"({"algorithm":"easy","params":{"ordre":"spf"}})");
    check_refused(inputs.simulate("i", {"-P", misspelt}), 2);
    check_refused(inputs.simulate("j", {"--sched-cfg-file", misspelt}), 2);
    check_refused(inputs.simulate("e", {"-a", "fcfs", "-P", policy}), 2);
    check_refused(inputs.simulate("f", {"-a", "easy", "-P", inputs.folder.file("none.json")}), 1);
    check_refused(inputs.simulate("g", {"--sched-cfg", policy, "--sched-cfg-file", policy}), 2);
    check_refused(inputs.simulate("h", {"-a", "easy", "-P", file(inputs.folder, "list.json", "[1]")}), 1);
    for (const std::string prefix : {"e", "f", "g", "h", "i", "j"}) {
        CHECK_FALSE(inputs.wrote(prefix));
    }
}

TEST_CASE("batfill introduces itself") {
    const Folder folder;
    const Outcome help = run(folder, {"--help"});
    CHECK(help.status == 0);
    CHECK(help.errors.empty());
    for (const char* command : {"serve", "batsched", "simulate", "swf", "generate", "platform", "deadlines", "metrics",
                                "check", "compare", "tune", "algorithms"}) {
        CHECK_THAT(help.output, Contains(std::string("\n  ") + command + " "));
        const Outcome of_command = run(folder, {command, "--help"});
        INFO(command);
        CHECK(of_command.status == 0);
        CHECK_THAT(of_command.output, StartsWith(std::string("Usage: batfill ") + command));
        CHECK(of_command.errors.empty());
    }
    CHECK(run(folder, {"-h"}).output == help.output);
    const Outcome version = run(folder, {"--version"});
    CHECK(version.status == 0);
    CHECK_THAT(version.output, Catch::Matchers::Matches("batfill [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    const Outcome nothing = run(folder, {});
    CHECK(nothing.status == 2);
    CHECK(nothing.errors == help.output);
}

TEST_CASE("Unknown commands and options are refused with status 2") {
    const Inputs inputs;
    const Outcome command = run(inputs.folder, {"simulat"});
    check_refused(command, 2);
    CHECK_THAT(command.errors,
               Contains("unknown command 'simulat', did you mean 'simulate'? Known: serve, batsched, simulate, swf, "));
    check_refused(inputs.simulate("out", {"-a", "fcfs", "--speed"}), 2);
    check_refused(inputs.simulate("out", {"-a", "fcfs", "stray"}), 2);
    check_refused(inputs.simulate("out", {"-a"}), 2);
    check_refused(run(inputs.folder, {"algorithms", "--xml"}), 2);
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("Options that count something refuse negative numbers, whatever the command") {
    const Folder folder;
    const auto refused = [&](const Arguments& arguments, const std::string& line) {
        INFO(arguments[0] << ' ' << line);
        const Outcome outcome = run(folder, arguments);
        check_refused(outcome, 2);
        CHECK_THAT(outcome.errors, StartsWith("batfill: " + line));
    };
    refused({"generate", "lublin", "--jobs", "3", "--processors", "4", "--seed", "-1", "-o", folder.file("x.json")},
            "--seed: expected a whole number from 0, found '-1'");
    refused({"deadlines", "w.json", "-o", folder.file("x.json"), "--count=-2", "--seed", "1"},
            "--count: expected a whole number from 0, found '-2'");
    refused({"check", "jobs.csv", "-w", "w.json", "-p", "p.xml", "--first", "-3"},
            "--first: expected a whole number from 0, found '-3'");
    refused({"simulate", "-p", "p.xml", "-w", "w.json", "-a", "fcfs", "--socket-timeout", "-4294967295"},
            "--socket-timeout: expected a whole number from 0, found '-4294967295'");
    refused({"tune", "-p", "p.xml", "-w", "w.json", "-o", "x", "--evaluations", "-1"},
            "--evaluations: expected a whole number from 0, found '-1'");
    refused({"compare", "fcfs", "-p", "p.xml", "-w", "w.json", "--threads", "-1"},
            "--threads: expected a whole number from 0, found '-1'");
    CHECK_FALSE(std::filesystem::exists(folder.file("x.json")));
}

TEST_CASE("serve refuses an endpoint whose port is none") {
    const Folder folder;
    for (const std::string port : {"-1", "65536", "100000", "28000x", "", "+1", "1.5"}) {
        INFO(port);
        const Outcome outcome = run(folder, {"serve", "-a", "fcfs", "-s", "tcp://127.0.0.1:" + port});
        check_refused(outcome, 2);
        CHECK_THAT(outcome.errors, Contains("expected a port from 0 to 65535, or *"));
    }
}

TEST_CASE("simulate says which option is missing") {
    const Inputs inputs;
    const Outcome no_platform = run(inputs.folder, {"simulate", "-w", inputs.workload, "-a", "fcfs"});
    check_refused(no_platform, 2);
    CHECK_THAT(no_platform.errors, Contains("platform"));
    const Outcome no_workload = run(inputs.folder, {"simulate", "-p", inputs.platform, "-a", "fcfs"});
    check_refused(no_workload, 2);
    CHECK_THAT(no_workload.errors, Contains("workload"));
    const Outcome no_algorithm = inputs.simulate("out", {});
    check_refused(no_algorithm, 2);
    CHECK_THAT(no_algorithm.errors, Contains("-a NAME") && Contains("conservative") && Contains("fcfs"));
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("simulate writes what an algorithm has counted, and leaves nothing of an earlier run") {
    const Inputs inputs;
    const std::string workload = file(inputs.folder, "deadlines.json",
                                      R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                      R"({"id":"1","subtime":0,"res":3,"walltime":10,"profile":"p"},)"
                                      R"({"id":"2","subtime":1,"res":3,"walltime":10,"profile":"p","deadline":30},)"
                                      R"({"id":"3","subtime":2,"res":3,"walltime":10,"profile":"p","deadline":25},)"
                                      R"({"id":"4","subtime":3,"res":3,"walltime":10,"profile":"p"}]})");
    const auto simulate = [&](const Arguments& more) {
        Arguments arguments{"simulate", "-p", inputs.platform, "-w", workload, "-e", inputs.folder.file("out")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(inputs.folder, arguments);
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
    const std::string events = file(inputs.folder, "events.txt",
                                    "{\"type\":\"machine_unavailable\",\"timestamp\":5,\"resources\":\"0\"}\n"
                                    "{\"type\":\"machine_available\",\"timestamp\":31,\"resources\":\"0\"}\n");
    CHECK(inputs.simulate("out", {"-a", "conservative", "--events", events}).status == 0);
    CHECK_THAT(contents(path), EndsWith("\n2,30.000000,31.000000,w0\n"));
    const Outcome broken = check(path);
    CHECK(broken.status == 1);
    CHECK(broken.output ==
          "job w0!2: was guaranteed a start at 30.000000 and starts at 31.000000\n"
          "4 jobs, 1 violation (1 rejected; 1 of 3 guarantees broken)\n");
    const Outcome malformed = check(file(inputs.folder, "bad.csv", header + "1,0,0,w0\n2,x,0,w0\n"));
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
        Arguments arguments{"check", inputs.folder.file("out_jobs.csv"), "-p", inputs.platform, "-w", inputs.workload};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(inputs.folder, arguments);
    };
    const std::string header = "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name\n";
    const std::string events = file(inputs.folder, "events.txt",
                                    "{\"type\":\"machine_unavailable\",\"timestamp\":5,\"resources\":\"0\"}\n"
                                    "{\"type\":\"machine_available\",\"timestamp\":31,\"resources\":\"0\"}\n");
    CHECK(inputs.simulate("out", {"-a", "conservative", "--events", events}).status == 0);
    CHECK(contents(path) == header + "2,5.000000,30.000000,,w0\n");
    const Outcome listed = check({"--guarantees", guarantees, "--broken-guarantees", path});
    CHECK(listed.status == 0);
    CHECK(listed.output == "4 jobs, no violations (1 rejected; 1 of 3 guarantees broken, 1 of these listed)\n");
    const std::string none = file(inputs.folder, "none.csv", header);
    const Outcome unlisted = check({"--guarantees", guarantees, "--broken-guarantees", none});
    CHECK(unlisted.status == 1);
    CHECK_THAT(unlisted.output, Contains("job w0!2: was guaranteed a start at 30.000000 and starts at 31.000000\n") &&
                                    Contains("1 of 3 guarantees broken, 0 of these listed"));
    check_refused(check({"--broken-guarantees", path}), 2);

    // The file exists only if the machine changes and the algorithm gives guarantees.
    CHECK(inputs.simulate("out", {"-a", "conservative"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(path));
    file(inputs.folder, "out_broken_guarantees.csv", "left by an earlier run");
    CHECK(inputs.simulate("out", {"-a", "easy", "--events", events}).status == 0);
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("simulate kills jobs whose processors are lost, or submits them again, and counts them") {
    const Inputs inputs;
    const std::string events = file(inputs.folder, "events.txt",
                                    "{\"type\":\"machine_unavailable\",\"timestamp\":5,\"resources\":\"0\"}\n"
                                    "{\"type\":\"machine_available\",\"timestamp\":9,\"resources\":\"0\"}\n");
    const std::string jobs = inputs.folder.file("out_jobs.csv");
    const std::string statistics = inputs.folder.file("out_statistics.csv");
    const auto simulate = [&](const std::string& on_failure) {
        REQUIRE(inputs.simulate("out", {"-a", "fcfs", "--events", events, "-P", "on-failure=" + on_failure}).status ==
                0);
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

TEST_CASE("simulate lists what is known when an algorithm, a parameter or a value is not") {
    const Inputs inputs;
    const auto refused = [&](const Arguments& options) {
        const Outcome outcome = inputs.simulate("out", options);
        check_refused(outcome, 2);
        return outcome.errors;
    };
    CHECK_THAT(refused({"-a", "best"}), Contains("unknown algorithm 'best', known: ") && Contains("easy"));
    CHECK_THAT(refused({"-a", "conservative", "-P", "size=1"}),
               Contains("no parameter 'size', known: compression, count-events, default-walltime"));
    CHECK_THAT(refused({"-a", "conservative", "-P", "compression=some"}),
               Contains("unknown value 'some', known: planned-start, submission, start-now, none"));
    CHECK_THAT(refused({"-a", "fcfs", "-P", "default-walltime=-1"}), Contains("default-walltime") && Contains("'-1'"));
    CHECK_THAT(refused({"-a", "fcfs", "-P", "default-walltime"}), Contains("expected key=value"));
    CHECK_THAT(refused({"--sched-cfg", R"({"algorithm":"best"})"}), Contains("unknown algorithm 'best'"));
    CHECK_THAT(refused({"--sched-cfg", R"({"algorithm":7})"}), Contains("not a string"));
    CHECK_THAT(refused({"--sched-cfg", "{"}), Contains("no algorithm named (-a NAME), known: bf-mod") &&
                                                  Contains("the scheduler configuration names none: JSON at byte 1: "));
    CHECK_THAT(refused({"--sched-cfg", "[]"}), Contains("it is not a JSON object"));
    CHECK_THAT(refused({"-a", "fcfs", "-s", "tcp://127.0.0.1:1"}), Contains("one of the two"));
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("simulate names the file that it cannot read, with status 1") {
    const Inputs inputs;
    const auto refused = [&](const std::string& platform, const std::string& workload, const Arguments& more = {}) {
        Arguments arguments{"simulate",
                            "-a",
                            "fcfs",
                            "-p",
                            inputs.folder.file(platform),
                            "-w",
                            inputs.folder.file(workload),
                            "-e",
                            inputs.folder.file("out")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(inputs.folder, arguments);
        check_refused(outcome, 1);
        return outcome.errors;
    };
    std::filesystem::create_directory(inputs.folder.file("folder"));
    file(inputs.folder, "bad.json", "{\"nb_res\":3,\n\"jobs\":");
    file(inputs.folder, "bad.xml", "<platform");
    const std::string events = file(inputs.folder, "bad.txt", "\n{\"type\":\"fire\",\"timestamp\":1}\n");
    CHECK_THAT(refused("none.xml", "w.json"), Contains("none.xml"));
    CHECK_THAT(refused("bad.xml", "w.json"), Contains("bad.xml"));
    CHECK_THAT(refused("p.xml", "none.json"), Contains("none.json"));
    CHECK_THAT(refused("p.xml", "folder"), Contains("folder"));
    CHECK_THAT(refused("p.xml", "bad.json"), Contains("bad.json"));
    CHECK_THAT(refused("p.xml", "w.json", {"--events", inputs.folder.file("none.txt")}), Contains("none.txt"));
    CHECK_THAT(refused("p.xml", "w.json", {"--events", events}),
               Contains("bad.txt:2: unknown event type \"fire\", known: machine_available, machine_unavailable"));
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("simulate says before it begins that it cannot write") {
    const Inputs inputs;
    const Outcome outcome = inputs.simulate("none/out", {"-a", "fcfs"});
    check_refused(outcome, 1);
    CHECK_THAT(outcome.errors, Contains("none does not exist"));
    std::filesystem::create_directory(inputs.folder.file("taken_jobs.csv"));
    const Outcome taken = inputs.simulate("taken", {"-a", "fcfs"});
    CHECK(taken.status == 1);
    CHECK_THAT(taken.errors, Contains("taken_jobs.csv"));
    CHECK_FALSE(std::filesystem::exists(inputs.folder.file("taken_schedule.csv")));
}

TEST_CASE("simulate writes both files, the same in every run, and sums up unless told not to") {
    const Inputs inputs;
    const Outcome first = inputs.simulate("first", {"-a", "easy"});
    CHECK(first.status == 0);
    CHECK_THAT(first.errors, StartsWith("batfill: note: 1 of 4 jobs rejected: "));
    CHECK_THAT(first.output, StartsWith("4 jobs, ") && Contains("first_jobs.csv") && Contains("first_schedule.csv"));
    CHECK(start_of(inputs.jobs("first"), "2") == "12.000000");
    CHECK(start_of(inputs.jobs("first"), "4") == "2.000000");
    const Outcome second = inputs.simulate("second", {"-a", "easy", "-q"});
    CHECK(second.status == 0);
    CHECK(second.output.empty());
    CHECK(inputs.jobs("first") == inputs.jobs("second"));
    CHECK(inputs.schedule("first") == inputs.schedule("second"));
    CHECK_THAT(inputs.schedule("first"), Contains(",0.000000,0.000000,0.750000,"));  // no real times; success rate
    const Outcome timed = inputs.simulate("timed", {"-a", "easy", "-q", "--real-times"});
    CHECK(timed.status == 0);
    CHECK(inputs.jobs("timed") == inputs.jobs("first"));
    int files = 0;  // includes no temporary file
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(inputs.platform).parent_path())) {
        files += entry.path().filename().string().find(".csv") != std::string::npos ? 1 : 0;
    }
    CHECK(files == 6);
}

TEST_CASE("simulate takes the algorithm and its parameters from Batsim's option, too") {
    const Inputs inputs;
    REQUIRE(inputs.simulate("option", {"-a", "fcfs"}).status == 0);
    REQUIRE(inputs.simulate("configured", {"--sched-cfg", R"({"algorithm":"fcfs"})"}).status == 0);
    CHECK(inputs.jobs("option") == inputs.jobs("configured"));
    CHECK(start_of(inputs.jobs("option"), "4") == "20.000000");
    REQUIRE(inputs.simulate("both", {"-a", "easy", "--sched-cfg", R"({"algorithm":"fcfs"})"}).status == 0);
    CHECK(start_of(inputs.jobs("both"), "4") == "2.000000");
}

TEST_CASE("simulate reads gzipped workloads, several of them, and external events") {
    const Inputs inputs;
    const std::string zipped = inputs.folder.file("w.json.gz");
    REQUIRE(run(inputs.folder, {"generate", "lublin", "--jobs", "30", "--processors", "3", "--load", "0.5", "--seed",
                                "1", "-o", zipped})
                .status == 0);
    REQUIRE(contents(zipped).substr(0, 2) == "\x1f\x8b");
    const std::string events = file(inputs.folder, "events.txt",
                                    "{\"type\":\"machine_unavailable\",\"timestamp\":1.5,\"resources\":\"2\"}\n"
                                    "{\"type\":\"machine_available\",\"timestamp\":100,\"resources\":\"2\"}\n");
    const Outcome outcome = inputs.simulate("out", {"-w", zipped, "-a", "fcfs", "--events", events});
    INFO(outcome.errors);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, StartsWith("34 jobs, "));
    CHECK(start_of(inputs.jobs("out"), "2") == "100.000000");
    CHECK_THAT(inputs.jobs("out"), Contains(",w1,"));
}

TEST_CASE("simulate ends with status 1 and nothing written if the simulation cannot go on") {
    const Inputs inputs;
    const std::string events =
        file(inputs.folder, "events.txt", "{\"type\":\"machine_available\",\"timestamp\":5,\"resources\":\"0\"}\n");
    const Outcome outcome = inputs.simulate("out", {"-a", "fcfs", "--events", events});
    check_refused(outcome, 1);
    CHECK_THAT(outcome.errors, Contains("processor 0 is not unavailable"));
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("simulate writes what ended before a deadlock, and ends with status 1") {
    const Inputs inputs;
    const std::string events =
        file(inputs.folder, "events.txt", "{\"type\":\"machine_unavailable\",\"timestamp\":5,\"resources\":\"0\"}\n");
    const Outcome outcome = inputs.simulate("out", {"-a", "fcfs", "-q", "--events", events});
    check_refused(outcome, 1);
    CHECK_THAT(outcome.errors, Contains("with 2 jobs that the scheduler never started, the first of them w0!2"));
    const std::string jobs = inputs.jobs("out");
    CHECK(std::count(jobs.begin(), jobs.end(), '\n') == 3);
}

TEST_CASE("simulate gives up on a scheduler that does not answer") {
    const Inputs inputs;
    const Outcome outcome =
        inputs.simulate("out", {"-s", "ipc://" + inputs.folder.file("nobody"), "--socket-timeout", "1"});
    check_refused(outcome, 1);
    CHECK_THAT(outcome.errors, Contains("no answer from the scheduler") && Contains("within 1 seconds"));
    check_refused(inputs.simulate("out", {"-s", "nowhere"}), 2);
    check_refused(inputs.simulate("out", {"-s", "tcp://127.0.0.1:-1"}), 2);
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("algorithms lists every algorithm with its parameters") {
    const Folder folder;
    const Outcome json = run(folder, {"algorithms", "--json"});
    CHECK(json.status == 0);
    rapidjson::Document document;
    document.Parse(json.output.data(), json.output.size());
    REQUIRE(document.IsArray());
    std::vector<std::string> names;
    for (const auto& algorithm : document.GetArray()) {
        names.emplace_back(algorithm["name"].GetString());
        INFO(names.back());
        CHECK(algorithm["summary"].GetStringLength() > 0);
        CHECK(algorithm["paper"].GetStringLength() > 0);
        REQUIRE(algorithm["parameters"].IsArray());
        bool default_walltime = false;
        for (const auto& parameter : algorithm["parameters"].GetArray()) {
            const std::string name = parameter["name"].GetString();
            CHECK(parameter["type"].GetStringLength() > 0);
            CHECK(parameter["description"].GetStringLength() > 0);
            CHECK((parameter["default"].IsString() || parameter["default"].IsNull()));
            if (name == "default-walltime") {
                default_walltime = true;
                CHECK(parameter["default"].IsNull());
            }
            if (names.back() == "conservative" && name == "compression") {
                CHECK(parameter["default"] == "planned-start");
                CHECK(parameter["choices"].Size() == 4);
            }
            if (name == "count-events") {
                CHECK(parameter["type"] == "boolean");
                CHECK(parameter["default"] == "no");
            }
        }
        CHECK(default_walltime);
    }
    CHECK(std::is_sorted(names.begin(), names.end()));
    const Outcome text = run(folder, {"algorithms"});
    CHECK(text.status == 0);
    for (const char* name : {"rejecter", "fcfs", "easy", "conservative"}) {
        CHECK(std::count(names.begin(), names.end(), name) == 1);
        CHECK_THAT("\n" + text.output, Contains(std::string("\n") + name + "\n"));
    }
    CHECK_THAT(text.output, Contains("-P compression=planned-start|submission|start-now|none"));
}

TEST_CASE("simulate --like batsim5 writes the files of Batsim 5 under its names") {
    const Inputs inputs;
    REQUIRE(inputs.simulate("four", {"-a", "fcfs", "--like", "batsim4"}).status == 0);
    REQUIRE(inputs.simulate("default", {"-a", "fcfs"}).status == 0);
    CHECK(inputs.jobs("default") == inputs.jobs("four"));
    CHECK(inputs.schedule("default") == inputs.schedule("four"));
    const Outcome outcome = inputs.simulate("five-", {"-a", "fcfs", "--like", "batsim5", "--real-times"});
    REQUIRE(outcome.status == 0);
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
    REQUIRE(inputs.simulate("new/er/", {"-a", "fcfs", "--like", "batsim5"}).status == 0);
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

TEST_CASE("algorithms shows the algorithms that are named") {
    const Folder folder;
    const Outcome one = run(folder, {"algorithms", "conservative"});
    CHECK(one.status == 0);
    CHECK_THAT(one.output, StartsWith("conservative\n") && Contains("-P compression="));
    const Outcome two = run(folder, {"algorithms", "fcfs", "easy", "--json"});
    rapidjson::Document document;
    document.Parse(two.output.data(), two.output.size());
    REQUIRE(document.IsArray());
    REQUIRE(document.Size() == 2);
    CHECK(document[0]["name"] == "fcfs");
    CHECK(document[1]["name"] == "easy");
    const Outcome unknown = run(folder, {"algorithms", "esy"});
    check_refused(unknown, 2);
    CHECK_THAT(unknown.errors, Contains("did you mean 'easy'?"));
}

TEST_CASE("-a takes parameters behind the algorithm, and those of -P come after them") {
    const Inputs inputs;
    REQUIRE(inputs.simulate("apart", {"-a", "easy", "-P", "order=mixed", "-P", "weights=0,-1,0,0,0,0"}).status == 0);
    REQUIRE(inputs.simulate("together", {"-a", "easy,order=mixed,weights=0,-1,0,0,0,0"}).status == 0);
    CHECK(inputs.jobs("together") == inputs.jobs("apart"));
    REQUIRE(
        inputs.simulate("later", {"-a", "easy,order=lpf", "-P", "order=mixed", "-P", "weights=0,-1,0,0,0,0"}).status ==
        0);
    CHECK(inputs.jobs("later") == inputs.jobs("apart"));
    const std::string policy =
        file(inputs.folder, "policy.json",
             R"({"algorithm": "easy", "params": {"order": "mixed", "weights": [0,-1,0,0,0,0]}})");
    REQUIRE(inputs.simulate("file", {"-a", policy}).status == 0);
    CHECK(inputs.jobs("file") == inputs.jobs("apart"));
    const Outcome served = run(inputs.folder, {"serve", "-a", "easy,order=sef"});
    check_refused(served, 2);
    CHECK_THAT(served.errors, Contains("parameter order: unknown value 'sef'"));
    check_refused(inputs.simulate("x", {"-a", "easy,"}), 2);
    CHECK(inputs.simulate("x", {"-a", "easy,order=mixed,weights=0,-1,0,0,0,0", "-P", "threshold=x"}).status == 2);
    CHECK_FALSE(inputs.wrote("x"));
}

TEST_CASE("simulate names every file that it wrote") {
    const Inputs inputs;
    const std::string prefix = inputs.folder.file("out");
    CHECK_THAT(inputs.simulate("out", {"-a", "easy"}).output,
               EndsWith("; wrote " + prefix + "_jobs.csv and " + prefix + "_schedule.csv\n"));
    const std::string events = file(inputs.folder, "events.txt",
                                    "{\"type\":\"machine_unavailable\",\"timestamp\":1.5,\"resources\":\"2\"}\n"
                                    "{\"type\":\"machine_available\",\"timestamp\":100,\"resources\":\"2\"}\n");
    CHECK_THAT(inputs.simulate("out", {"-a", "pc", "--events", events}).output,
               Contains("; wrote " + prefix + "_jobs.csv, " + prefix + "_schedule.csv, " + prefix +
                        "_statistics.csv, " + prefix + "_guarantees.csv and " + prefix + "_broken_guarantees.csv\n"));
}

TEST_CASE("No help breaks a word across lines") {
    const Folder folder;
    const std::string help = run(folder, {"help", "compare"}).output;
    for (const char* metric : {"mean_wait", "mean_wait_worst_5_percent", "bounded_slowdown_percentile_99"}) {
        CHECK_THAT(help, Contains(std::string(" ") + metric + ","));
    }
}

TEST_CASE("what simulate writes of far times can be read back, and times that cannot are refused") {
    const Folder folder;
    const auto workload = [&](const std::string& walltime, const std::string& delay) {
        const std::string job = R"(","subtime":0,"res":1,"walltime":)" + walltime + R"(,"profile":"p"})";
        return file(folder, "w.json",
                    R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":)" + delay + R"(}},"jobs":[{"id":"1)" + job +
                        R"(,{"id":"2)" + job + R"(,{"id":"3)" + job + "]}");
    };
    const std::string prefix = folder.file("out");
    const auto simulate = [&](const std::string& path) {
        return run(folder, {"simulate", "-q", "-a", "pc", "-p", "1", "-w", path, "-e", prefix});
    };
    // Guaranteed starts up to 1.8e18.
    const std::string far = workload("9e17", "3e17");
    REQUIRE(simulate(far).status == 0);
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

}  // namespace batfill::tests::simulate_test
