#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>

#include "src/commands/command.hpp"
#include "tests/support/process.hpp"

namespace batfill::tests::check_test {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// A folder with a platform of two hosts, a workload of two jobs that both need both hosts, one with a deadline, and
// schedules: one.csv and two.csv are right; the jobs overlap in bad.csv.
struct Inputs : Folder {
    Inputs() {
        std::filesystem::create_directory(file("sub"));
        write(
            "p.xml",
            "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><host id=\"boss\" speed=\"1Gf\"/><host id=\"h0\" speed=\"1Gf\"/><host id=\"h1\" speed=\"1Gf\"/></zone></platform>");
        write("w.json", R"({"nb_res": 2, "profiles": {"p": {"type": "delay", "delay": 10}}, "jobs": [)"
                        R"({"id": "1", "subtime": 0, "res": 2, "walltime": 20, "profile": "p"},)"
                        R"({"id": "2", "subtime": 0, "res": 2, "walltime": 20, "profile": "p", "deadline": 15}]})");
        write("one_jobs.csv", schedule("0,10,10,0,10", "10,10,20,10,20"));
        write("sub/one_jobs.csv", schedule("10,10,20,10,20", "0,10,10,0,10"));
        write("bad_jobs.csv", schedule("0,10,10,0,10", "9,10,19,9,19"));
    }
    // The options that name the workload and the platform.
    Arguments options() const { return {"-w", file("w.json"), "-p", file("p.xml"), "-m", "boss"}; }

    static std::string schedule(const std::string& first, const std::string& second) {
        const std::string request = ",w0,0,2,20,1,COMPLETED_SUCCESSFULLY,";
        return "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,allocated_resources\n1" +
               request + first + ",0-1\n2" + request + second + ",0-1\n";
    }
};

struct Outcome {
    int status;
    std::string output;
};

Outcome run(void (*command)(const Arguments&), const Arguments& arguments) {
    const std::ostringstream out;
    std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
    Outcome outcome{0, ""};
    try {
        command(arguments);
    } catch (const commands::Ended& ended) {
        outcome.status = ended.status;
    } catch (...) {
        std::cout.rdbuf(before);
        throw;
    }
    std::cout.rdbuf(before);
    outcome.output = out.str();
    return outcome;
}

}  // namespace

TEST_CASE("batfill check ends with status 0 and one line if all is well", "[check][command]") {
    const Inputs folder;
    const Arguments arguments = with(folder.options(), {folder.file("one_jobs.csv")});
    const Outcome outcome = run(commands::check, arguments);
    CHECK(outcome.status == 0);
    CHECK(outcome.output == "2 jobs, no violations (0 rejected; 1 of 1 deadlines missed)\n");

    const Outcome strict = run(commands::check, with(arguments, {"--deadlines"}));
    CHECK(strict.status == 1);
    CHECK(strict.output ==
          "job w0!2: finishes at 20.000000, after its deadline 15.000000\n"
          "2 jobs, 1 violation (0 rejected; 1 of 1 deadlines missed)\n");
}

TEST_CASE("batfill check and metrics read what Batsim 5 writes", "[check][command][batsim5]") {
    const Inputs folder;
    folder.write(
        "five.json",
        R"({"nb_res": 2, "profiles": {"p": {"type": "DelayProfile", "delay": 10}}, "jobs": [)"
        R"({"id": "1", "subtime": 0, "res": 2, "walltime": 20, "profile": "p"},)"
        R"({"id": "2", "subtime": 0, "res": 2, "walltime": 20, "profile": "p", "extra_data": {"deadline": 15}},)"
        R"({"id": "3", "subtime": 1, "res": 1, "profile": "p"}]})");
    // Rows of Batsim 5: profiles with the workload's name, no quotes, no columns for rejected jobs.
    folder.write(
        "five_jobs.csv",
        "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,consumed_energy,metadata\n"
        "3,w0,w0!p,1.000000,1,-1.000000,0,REJECTED,,,,,,,,,\n"
        "1,w0,w0!p,0.000000,2,20.000000,1,COMPLETED_SUCCESSFULLY,0.000000,10.000000,10.000000,0.000000,10.000000,1.000000,0-1,-1.000000,\n"
        "2,w0,w0!p,0.000000,2,20.000000,1,COMPLETED_SUCCESSFULLY,10.000000,10.000000,20.000000,10.000000,20.000000,2.000000,0-1,-1.000000,\n");
    const Outcome outcome = run(commands::check, {folder.file("five_jobs.csv"), "-w", folder.file("five.json"), "-p",
                                                  folder.file("p.xml"), "-m", "boss"});
    CHECK(outcome.output == "3 jobs, no violations (1 rejected; 1 of 1 deadlines missed)\n");
    CHECK(outcome.status == 0);
    CHECK_NOTHROW(commands::metrics({folder.file("five_jobs.csv")}));
}

TEST_CASE("batfill check ends with status 1 and the first violations", "[check][command]") {
    const Inputs folder;
    const Arguments bad = with(folder.options(), {folder.file("bad_jobs.csv")});
    const Outcome outcome = run(commands::check, with(bad, {"-w", folder.file("w.json"), "--first", "1"}));
    CHECK(outcome.status == 1);
    // The second workload's jobs are missing.
    CHECK(outcome.output ==
          "job w1!1: missing\n"
          "2 jobs, 3 violations, the first 1 shown (0 rejected; 1 of 1 deadlines missed)\n");
    CHECK_THAT(run(commands::check, with(bad, {"--tolerance", "0.5"})).output,
               StartsWith("job w0!2: starts at 9.000000 on processor 0, which job w0!1 has until 10.000000\n"));
    CHECK(run(commands::check, with(bad, {"--tolerance", "1"})).status == 0);
}

TEST_CASE("batfill check finds starts on processors that are unavailable, by events files", "[check][command]") {
    const Inputs folder;
    folder.write("e.json", R"({"type": "machine_unavailable", "timestamp": 8, "resources": "1"})");
    folder.write("f.json", R"({"type": "machine_unavailable", "timestamp": 3, "resources": "0"})"
                           "\n"
                           R"({"type": "machine_available", "timestamp": 9, "resources": "0"})"
                           "\n"
                           R"({"type": "lunch", "timestamp": 9})");
    const auto check = [&](const Arguments& more) {
        const Arguments lost = {folder.file("one_jobs.csv"), "--events", folder.file("e.json")};
        return run(commands::check, with(with(folder.options(), lost), more));
    };
    const std::string starts = "job w0!2: starts at 10.000000 on processor 1, which is unavailable from 8.000000 on\n";
    const std::string one = "2 jobs, 1 violation (0 rejected; 1 of 1 deadlines missed)\n";
    CHECK(check({}).output == starts + one);
    CHECK(check({}).status == 1);
    CHECK(check({"--on-failure", "continue"}).output == starts + one);
    CHECK(check({"--on-failure", "requeue", "--first", "1"}).output ==
          "job w0!1: runs until 10.000000 on processor 1, which is unavailable from 8.000000 on\n"
          "2 jobs, 2 violations, the first 1 shown (0 rejected; 1 of 1 deadlines missed)\n");
    CHECK(check({"--events", folder.file("f.json"), "--forward-unknown-events"}).output == starts + one);
    CHECK_THROWS_WITH(check({"--events", folder.file("f.json")}), Contains("f.json:3: unknown event type"));
    CHECK_THROWS_WITH(check({"--on-failure", "pray"}), Contains("known: continue, kill, requeue"));
    CHECK_THROWS_WITH(commands::check({folder.file("one_jobs.csv"), "-w", folder.file("w.json"), "-p",
                                       folder.file("p.xml"), "--on-failure", "kill"}),
                      Contains("--on-failure says what became of jobs in --events: give both"));
}

TEST_CASE("batfill check refuses wrong options and inputs", "[check][command]") {
    const Inputs folder;
    const std::string schedule = folder.file("one_jobs.csv");
    const std::string workload = folder.file("w.json");
    const std::string platform = folder.file("p.xml");
    CHECK_THROWS_AS(commands::check({schedule, "-w", workload}), UsageError);
    CHECK_THROWS_AS(commands::check({"-w", workload, "-p", platform}), UsageError);
    CHECK_THROWS_AS(commands::check({schedule, schedule, "-w", workload, "-p", platform}), UsageError);
    CHECK_THROWS_WITH(
        commands::check({schedule, "-w", workload, "-p", platform, "--tolerance", "-1"}),
        "--tolerance: expected a number of seconds from 0, or a length with units (90s, 15m, 1h, 30d, 1-12:00:00), found '-1'");
    CHECK_THROWS_AS(commands::check({schedule, "-w", workload, "-p", platform, "--first", "few"}), UsageError);
    CHECK_THROWS_AS(commands::check({folder.file("none.csv"), "-w", workload, "-p", platform, "-m", "boss"}),
                    InputError);
    CHECK_THROWS_AS(commands::check({workload, "-w", workload, "-p", platform, "-m", "boss"}), InputError);
}

TEST_CASE("batfill metrics names the runs by their files", "[metrics][command]") {
    const Inputs folder;
    const Outcome outcome = run(commands::metrics, {folder.file("one_jobs.csv"), folder.file("bad_jobs.csv")});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output.substr(0, outcome.output.find('\n')), Contains(" one    bad"));
    const Outcome csv =
        run(commands::metrics, {folder.file("one_jobs.csv"), folder.file("sub/one_jobs.csv"), "--format", "csv"});
    CHECK_THAT(csv.output, Contains("\n\"" + folder.file("one") + "\",2,2,"));
    CHECK_THAT(csv.output, Contains("\n\"" + folder.file("sub/one") + "\",2,2,"));
}

TEST_CASE("batfill metrics takes the machine and the deadlines from its options", "[metrics][command]") {
    const Inputs folder;
    const std::string schedule = folder.file("one_jobs.csv");
    const auto json = [&](const Arguments& options) {
        return run(commands::metrics, with({schedule, "-f", "json"}, options)).output;
    };
    CHECK_THAT(json({}), Contains("\"utilisation\":null") && Contains("\"deadline_jobs\":null"));
    CHECK_THAT(json({"--processors", "4"}), Contains("\"utilisation\":0.5,"));
    CHECK_THAT(json({"-p", folder.file("p.xml"), "-m", "boss"}), Contains("\"utilisation\":1,"));
    CHECK_THAT(json({"-w", folder.file("w.json")}),
               Contains("\"deadline_jobs\":1,") && Contains("\"mean_deadline_usage\":1.3333333333333333,"));
    CHECK_THAT(json({"--tau", "10"}), Contains("\"mean_bounded_slowdown\":1.5,"));
    CHECK_THAT(json({"--tau", "40"}), Contains("\"mean_bounded_slowdown\":1,"));
}

TEST_CASE("batfill metrics refuses wrong options", "[metrics][command]") {
    const Inputs folder;
    const std::string schedule = folder.file("one_jobs.csv");
    CHECK_THROWS_AS(commands::metrics({}), UsageError);
    CHECK_THROWS_WITH(commands::metrics({schedule, "-f", "xml"}),
                      "--format: unknown format 'xml', known: table, csv, json, markdown, latex");
    CHECK_THROWS_AS(commands::metrics({schedule, "--tau", "0"}), UsageError);
    CHECK_THROWS_AS(commands::metrics({schedule, "--processors", "0"}), UsageError);
    CHECK_THROWS_AS(commands::metrics({schedule, "--processors", "2", "-p", folder.file("p.xml")}), UsageError);
    CHECK_THROWS_AS(commands::metrics({schedule, folder.file("none.csv")}), InputError);
}

}  // namespace batfill::tests::check_test
