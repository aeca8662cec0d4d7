#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/simulate_inputs.hpp"
#include "tests/support/machine_events.hpp"

namespace batfill::tests::simulate_test {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

TEST_CASE("simulate says how many jobs were rejected, why, and what helps") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "rejected.json",
        R"({"nb_res":8,"profiles":{"p":{"type":"delay","delay":1}},"jobs":[)"
        R"({"id":"a","subtime":0,"res":2,"profile":"p"},{"id":"b","subtime":1,"res":3,"walltime":-1,"profile":"p"},)"
        R"({"id":"c","subtime":2,"res":8,"profile":"p"},{"id":"d","subtime":2,"res":4,"walltime":9,"profile":"p"},)"
        R"({"id":"e\u001b","subtime":3,"res":3,"walltime":5,"profile":"p"},)"
        R"({"id":"f","subtime":3,"res":1,"walltime":9,"profile":"p"}]})");
    const auto notes = [&](const Arguments& more) {
        const Outcome outcome = run(
            inputs.folder, with({"simulate", "-p", "3", "-w", workload, "-e", inputs.folder.file("out"), "-q"}, more));
        CHECK(outcome.status == 0);
        CHECK(outcome.output.empty());
        const std::string of_machine = "the platform has 3\n";
        REQUIRE_THAT(outcome.errors, Contains(of_machine));
        return outcome.errors.substr(outcome.errors.find(of_machine) + of_machine.size());
    };
    const std::string too_wide =
        "batfill: note: 2 of 6 jobs rejected: wider than the 3 processors of the platform (-p), the widest asks for 8\n";
    CHECK(notes({"-a", "easy"}) ==
          "batfill: note: 2 of 6 jobs rejected: without a walltime (-P default-walltime=SECONDS gives one)\n" +
              too_wide);
    CHECK(notes({"-a", "easy", "-P", "default-walltime=5"}) == too_wide);
    CHECK(notes({"-a", "rejecter", "-P", "default-walltime=5"}) ==
          too_wide + "batfill: note: 4 of 6 jobs rejected: the first, w0!a, is rejected as every job is\n");
    CHECK_THAT(inputs.simulate("out", {"-a", "easy"}).errors, EndsWith("the widest asks for 4\n"));
}

TEST_CASE("simulate notes that jobs compute, and how many computing times it rounds") {
    const Folder folder;
    const std::string platform = folder.write(
        "p.xml",
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Vivaldi\"><host id=\"master_host\" coordinates=\"0 0 0\" speed=\"1Gf\"/><host id=\"h0\" coordinates=\"0 0 0\" speed=\"3.7Gf\"/></zone></platform>\n");
    const auto errors_of = [&](const std::string& flops, const std::string& walltime, const std::string& like) {
        std::string jobs;
        for (const char* id : {"1", "2"}) {
            jobs.append(jobs.empty() ? "" : ",")
                .append(R"({"id":")")
                .append(id)
                .append(R"(","subtime":0,"res":1,"walltime":)" + walltime + R"(,"profile":"p"})");
        }
        const std::string workload =
            folder.write("w.json", R"({"nb_res":1,"profiles":{"p":{"type":"parallel_homogeneous","com":0,"cpu":)" +
                                       flops + R"(}},"jobs":[)" + jobs + R"(]})");
        const Outcome outcome = run(folder, {"simulate", "-q", "-p", platform, "-w", workload, "-a", "fcfs", "--like",
                                             like, "-e", folder.file("out")});
        CHECK(outcome.status == 0);
        return outcome.errors;
    };
    const std::string end = "): Batsim may start jobs at other times, and end them in other states\n";
    const std::string note = "batfill: note: jobs compute (parallel_homogeneous" + end;
    const std::string rounded =
        "batfill: note: jobs compute (parallel_homogeneous; computing times rounded to microseconds: 2" + end;
    CHECK(errors_of("1e9", "100", "batsim4") == rounded);
    CHECK(errors_of("1e9", "100", "batsim5") == rounded);
    CHECK(errors_of("3.7e9", "100", "batsim4") == note);
    CHECK(errors_of("370000", "100", "batsim4") == note);   // 0.0001 s
    CHECK(errors_of("16095e6", "100", "batsim4") == note);  // 4.35 s
    CHECK(errors_of("1e15", "100", "batsim4") == note);     // both are stopped at their walltimes
}

TEST_CASE("simulate takes an algorithm and its parameters from a file") {
    const Inputs inputs;
    const std::string policy = inputs.folder.write(
        "policy.json", R"({"algorithm": "easy", "params": {"order": "mixed", "weights": [0, -1, 0, 0, 0, 0]}})");
    require_done(inputs.simulate("fcfs", {"-a", "fcfs"}));
    CHECK(start_of(inputs.jobs("fcfs"), "4") == "20.000000");
    const auto check_backfills = [&](const std::string& prefix, const Arguments& options) {
        INFO(prefix);
        require_done(inputs.simulate(prefix, options));
        CHECK(start_of(inputs.jobs(prefix), "4") == "2.000000");
    };
    check_backfills("a", {"-P", policy});
    check_backfills("b", {"-a", "easy", "-P", policy});
    check_backfills("c", {"--sched-cfg", policy});
    check_backfills("d", {"--sched-cfg-file", policy});
    check_backfills("scaled",
                    {"-P", inputs.folder.write(
                               "scaled.json",
                               R"({"algorithm": "easy", "params": {"order": "mixed", "scales": [1, -60.5, 1, 1, 1, 1],)"
                               R"( "weights": [0, 1, 0, 0, 0, 0]}})")});
    const std::string misspelt =
        inputs.folder.write("misspelt.json", R"({"algorithm":"easy","params":{"ordre":"spf"}})");
    check_refused(inputs.simulate("i", {"-P", misspelt}), 2);
    check_refused(inputs.simulate("j", {"--sched-cfg-file", misspelt}), 2);
    check_refused(inputs.simulate("e", {"-a", "fcfs", "-P", policy}), 2);
    check_refused(inputs.simulate("f", {"-a", "easy", "-P", inputs.folder.file("none.json")}), 1);
    check_refused(inputs.simulate("g", {"--sched-cfg", policy, "--sched-cfg-file", policy}), 2);
    check_refused(inputs.simulate("h", {"-a", "easy", "-P", inputs.folder.write("list.json", "[1]")}), 1);
    for (const std::string prefix : {"e", "f", "g", "h", "i", "j"}) {
        CHECK_FALSE(inputs.wrote(prefix));
    }
}

TEST_CASE("simulate says which option is missing") {
    const Inputs inputs;
    check_refused(run(inputs.folder, {"simulate", "-w", inputs.workload, "-a", "fcfs"}), 2, "platform");
    check_refused(run(inputs.folder, {"simulate", "-p", inputs.platform, "-a", "fcfs"}), 2, "workload");
    const Outcome no_algorithm = inputs.simulate("out", {});
    check_refused(no_algorithm, 2);
    CHECK_THAT(no_algorithm.errors, Contains("-a NAME") && Contains("conservative") && Contains("fcfs"));
    CHECK_FALSE(inputs.wrote("out"));
}

TEST_CASE("simulate lists the known algorithms, parameters or values when it refuses an unknown one") {
    const Inputs inputs;
    const auto refused = [&](const Arguments& options) {
        const Outcome outcome = inputs.simulate("out", options);
        check_refused(outcome, 2);
        return outcome.errors;
    };
    CHECK_THAT(refused({"-a", "best"}), Contains("unknown algorithm 'best', known: ") && Contains("easy"));
    CHECK_THAT(
        refused({"-a", "conservative", "-P", "size=1"}),
        Contains(
            "no parameter 'size', known: compression, order, weights, scales, count-events, plan-pools, default-walltime"));
    CHECK_THAT(refused({"-a", "conservative", "-P", "compression=some"}),
               Contains("unknown value 'some', known: planned-start, submission, order, start-now, none"));
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
        const Outcome outcome =
            run(inputs.folder, with({"simulate", "-a", "fcfs", "-p", inputs.folder.file(platform), "-w",
                                     inputs.folder.file(workload), "-e", inputs.folder.file("out")},
                                    more));
        check_refused(outcome, 1);
        return outcome.errors;
    };
    std::filesystem::create_directory(inputs.folder.file("folder"));
    inputs.folder.write("bad.json", "{\"nb_res\":3,\n\"jobs\":");
    inputs.folder.write("bad.xml", "<platform");
    const std::string events = inputs.folder.write("bad.txt", "\n{\"type\":\"fire\",\"timestamp\":1}\n");
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
    check_refused(inputs.simulate("none/out", {"-a", "fcfs"}), 1, "none does not exist");
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
    require_done(inputs.simulate("option", {"-a", "fcfs"}));
    require_done(inputs.simulate("configured", {"--sched-cfg", R"({"algorithm":"fcfs"})"}));
    CHECK(inputs.jobs("option") == inputs.jobs("configured"));
    CHECK(start_of(inputs.jobs("option"), "4") == "20.000000");
    require_done(inputs.simulate("both", {"-a", "easy", "--sched-cfg", R"({"algorithm":"fcfs"})"}));
    CHECK(start_of(inputs.jobs("both"), "4") == "2.000000");
}

TEST_CASE("simulate reads gzipped workloads, several of them, and external events") {
    const Inputs inputs;
    const std::string zipped = inputs.folder.file("w.json.gz");
    require_done(run(inputs.folder, {"generate", "lublin", "--jobs", "30", "--processors", "3", "--load", "0.5",
                                     "--seed", "1", "-o", zipped}));
    REQUIRE(contents(zipped).substr(0, 2) == "\x1f\x8b");
    const std::string events = inputs.folder.write("events.txt", lost("1.5", "2") + back("100", "2"));
    const Outcome outcome = inputs.simulate("out", {"-w", zipped, "-a", "fcfs", "--events", events});
    INFO(outcome.errors);
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, StartsWith("34 jobs, "));
    CHECK(start_of(inputs.jobs("out"), "2") == "100.000000");
    CHECK_THAT(inputs.jobs("out"), Contains(",w1,"));
}

TEST_CASE("-a takes parameters behind the algorithm, and -P adds to them") {
    const Inputs inputs;
    require_done(inputs.simulate("apart", {"-a", "easy", "-P", "order=mixed", "-P", "weights=0,-1,0,0,0,0"}));
    require_done(inputs.simulate("together", {"-a", "easy,order=mixed,weights=0,-1,0,0,0,0"}));
    CHECK(inputs.jobs("together") == inputs.jobs("apart"));
    require_done(inputs.simulate("added", {"-a", "easy,order=mixed", "-P", "weights=0,-1,0,0,0,0"}));
    CHECK(inputs.jobs("added") == inputs.jobs("apart"));
    check_refused(inputs.simulate("x", {"-a", "easy,order=lpf", "-P", "order=mixed"}), 2,
                  "parameter order is written with the algorithm and in -P: expected it once");
    const std::string together = R"({"algorithm": "easy,order=mixed,weights=0,-1,0,0,0,0"})";
    require_done(inputs.simulate("configured", {"--sched-cfg", together}));
    CHECK(inputs.jobs("configured") == inputs.jobs("apart"));
    check_refused(
        inputs.simulate("x", {"--sched-cfg", R"({"algorithm": "easy,order=lpf", "params": {"order": "saf"}})"}), 2,
        "parameter order is written with the algorithm and in \"params\"");
    const std::string policy = inputs.folder.write(
        "policy.json", R"({"algorithm": "easy", "params": {"order": "mixed", "weights": [0,-1,0,0,0,0]}})");
    require_done(inputs.simulate("file", {"-a", policy}));
    CHECK(inputs.jobs("file") == inputs.jobs("apart"));
    CHECK(inputs.simulate("changed", {"-a", policy, "-P", "weights=0,-2,0,0,0,0"}).status == 0);
    check_refused(run(inputs.folder, {"serve", "-a", "easy,order=sef"}), 2, "parameter order: unknown value 'sef'");
    check_refused(inputs.simulate("x", {"-a", "easy,"}), 2);
    CHECK(inputs.simulate("x", {"-a", "easy,order=mixed,weights=0,-1,0,0,0,0", "-P", "threshold=x"}).status == 2);
    CHECK_FALSE(inputs.wrote("x"));
}

TEST_CASE("simulate names every file that it wrote") {
    const Inputs inputs;
    const std::string prefix = inputs.folder.file("out");
    CHECK_THAT(inputs.simulate("out", {"-a", "easy"}).output,
               EndsWith("; wrote " + prefix + "_jobs.csv and " + prefix + "_schedule.csv\n"));
    const std::string events = inputs.folder.write("events.txt", lost("1.5", "2") + back("100", "2"));
    CHECK_THAT(inputs.simulate("out", {"-a", "pc", "--events", events}).output,
               Contains("; wrote " + prefix + "_jobs.csv, " + prefix + "_schedule.csv, " + prefix +
                        "_statistics.csv, " + prefix + "_guarantees.csv and " + prefix + "_broken_guarantees.csv\n"));
}

TEST_CASE("simulate writes over none of its inputs") {
    const Inputs inputs;
    const std::string text = contents(inputs.workload);
    for (const std::string name : {"my-schedule.json", "my-jobs.csv", "my-statistics.csv", "my-guarantees.csv"}) {
        const std::string path = inputs.folder.write(name, text);
        const Outcome outcome = run(inputs.folder, {"simulate", "-p", "4", "-a", "fcfs", "--like", "batsim5", "-w",
                                                    path, "-o", inputs.folder.file("my-")});
        check_refused(outcome, 2);
        CHECK(outcome.errors == "batfill: --output: would write over the input " + path + ", expected another name\n");
        CHECK(contents(path) == text);
        std::filesystem::remove(path);
    }
    const std::string events = inputs.folder.write("out_statistics.csv", "");
    const Outcome outcome = inputs.simulate("out", {"-a", "fcfs", "--events", events});
    check_refused(outcome, 2);
    CHECK_THAT(outcome.errors, Contains("--output: would write over the input "));
    CHECK(std::filesystem::exists(events));
}

}  // namespace batfill::tests::simulate_test
