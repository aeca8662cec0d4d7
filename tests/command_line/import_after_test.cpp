#include <string>

#include <catch2/catch.hpp>

#include <batfill/formats/workload.hpp>

#include "tests/command_line/outcome.hpp"

// import and swf --fields after, and import --submit eligible
namespace batfill::tests::import_after_test {

using Catch::Matchers::Contains;

namespace {

const std::string head = "JobID|Submit|Eligible|Start|End|Timelimit|NCPUS|State|SubmitLine\n";

// Job 14 is an array; 20 never started.
const std::string accounting =
    head +
    "12|0|0|0|100|00:05:00|1|COMPLETED|sbatch a.sh\n"
    "13|5|100|100|150|00:05:00|1|COMPLETED|sbatch --dependency=afterok:12 b.sh\n"
    "14_1|5|100|100|150|00:05:00|1|COMPLETED|sbatch -d afterany:12 --array=1-2 b.sh --dependency=afterok:99\n"
    "14_2|5|100|100|160|00:05:00|1|COMPLETED|sbatch -d afterany:12 --array=1-2 b.sh --dependency=afterok:99\n"
    "15_2|6|160|160|165|00:05:00|1|COMPLETED|sbatch --array=2 --dependency aftercorr:14 b.sh\n"
    "16|7|Unknown|170|180|00:05:00|1|COMPLETED|sbatch --dependency=afterok:14:20,afternotok:12,singleton b.sh\n"
    "17|7|180|180|190|00:05:00|1|COMPLETED|sbatch --dependency=after:16+2?afterok:12 b.sh\n"
    "18|7|300|300|310|00:05:00|1|COMPLETED|sbatch --dependency=after:16+2 b.sh\n"
    "20|1|Unknown|Unknown|Unknown|00:05:00|1|CANCELLED|sbatch a.sh\n";

struct Inputs {
    Folder folder;
    std::string workload = folder.file("w.json");

    Outcome import(const std::string& format, const std::string& text, const Arguments& more = {"--fields", "after"}) {
        return run(folder, with({"import", format, folder.write("jobs.txt", text), "-o", workload}, more));
    }
    // The conditions of each job that has some: "13 ok:12, 14_1 any:12".
    std::string after() const {
        std::string text;
        for (const auto& [job, source] : read_workload(workload, "w0").jobs) {
            if (job.needs && !job.needs->after.empty()) {
                text += (text.empty() ? "" : ", ") + job.id.substr(3);
                for (const Dependency& dependency : job.needs->after) {
                    text += ' ' + dependency.to_string();
                }
            }
        }
        return text;
    }
    std::string submissions() const {
        std::string text;
        for (const auto& [job, source] : read_workload(workload, "w0").jobs) {
            text += job.id.substr(3) + ' ' + job.submit.since_zero().to_shortest_string() + ' ';
        }
        return text;
    }
};

}  // namespace

TEST_CASE("import reads what jobs of Slurm waited for, and counts what it leaves out") {
    Inputs inputs;
    const Outcome made = inputs.import("sacct", accounting, {"--fields", "after", "--processors", "4"});
    require_done(made);
    CHECK(made.errors.empty());
    CHECK(inputs.after() == "13 ok:12, 14_1 any:12, 14_2 any:12, 15_2 ok:14_2, 16 ok:14_1 ok:14_2, 18 start:16+120");
    CHECK_THAT(made.output, Contains("\nConditions of these jobs\n"
                                     "  kept: ok                                                                    4\n"
                                     "  kept: any                                                                   2\n"
                                     "  kept: start                                                                 1\n"
                                     "  holds: its job is not in the workload                                       1\n"
                                     "  left out, no counterpart: afternotok                                        1\n"
                                     "  left out, no counterpart: one of several is enough (?)                      2\n"
                                     "  left out, no counterpart: singleton                                         1\n"
                                     "\nProcessors: "));
    const Outcome replay = run(inputs.folder, {"simulate", "-q", "-p", "4", "-a", "easy", "-w", inputs.workload, "-e",
                                               inputs.folder.file("easy")});
    require_done(replay);
    CHECK(replay.errors.empty());
    CHECK_THAT(contents(inputs.folder.file("easy_eligible.csv")), Contains("18,280.000000,w0\n"));
    CHECK_THAT(inputs.import("sacct", accounting, {"--fields", "after", "--format", "json"}).output,
               Contains("\"conditions\": [\n    {\n      \"what\": \"kept: ok\",\n      \"conditions\": 4\n    }"));
}

TEST_CASE("The second run of a requeued job waits for the end of the first, and the table counts it") {
    Inputs inputs;
    const std::string text = head +
                             "1|0|0|0|100|00:05:00|1|NODE_FAIL|sbatch a\n"
                             "1|110|110|200|260|00:05:00|1|PREEMPTED|sbatch a\n"
                             "1|0|0|300|320|00:05:00|1|COMPLETED|sbatch a\n"
                             "2|5|5|10|20|00:05:00|1|COMPLETED|sbatch a\n"
                             // Beside each other, and of one submission: several jobs of one id.
                             "3|0|0|0|100|00:05:00|1|COMPLETED|sbatch a\n"
                             "3|50|50|60|90|00:05:00|1|COMPLETED|sbatch a\n"
                             "4|0|0|0|100|00:05:00|1|COMPLETED|sbatch a\n"
                             "4|0|0|100|200|00:05:00|1|COMPLETED|sbatch a\n";
    const Outcome made = inputs.import("sacct", text);
    require_done(made);
    CHECK(inputs.after() == "1:3 any:1:2, 1:2 any:1");
    CHECK_THAT(made.output,
               Contains("  kept: any                                                                   2\n"
                        "  of these any: the run before it of a requeued job                           2\n"));
    require_done(inputs.import("sacct", text, {}));
    CHECK(inputs.after().empty());
}

TEST_CASE("A number behind + is a component only where the log has a heterogeneous job") {
    Inputs inputs;
    const std::string counted = "left out, no counterpart: unreadable  ";
    const auto left_out = [&](const Outcome& made) {
        require_done(made);
        const std::size_t at = made.output.find(counted);
        return at == std::string::npos ? std::string("0") : made.output.substr(made.output.find('\n', at) - 1, 1);
    };
    const std::string slurm = head +
                              "1+0|0|0|0|10|00:05:00|1|COMPLETED|sbatch a\n"
                              "1+1|0|0|0|10|00:05:00|1|COMPLETED|sbatch a\n"
                              "2|0|0|0|10|00:05:00|1|COMPLETED|sbatch a\n"
                              "3|5|20|20|30|00:05:00|1|COMPLETED|sbatch -d afterany:1+1:2+5 a\n"
                              "4|5|20|20|30|00:05:00|1|COMPLETED|sbatch -d afterok:1+900,after:2+1 a\n";
    CHECK(left_out(inputs.import("sacct", slurm)) == "2");
    CHECK(inputs.after() == "3 any:1, 4 start:2+60");
    const std::string table =
        "id,submit,start,end,n,dep\n1,0,0,10,1,\n2+1,0,0,10,1,\n3,5,20,30,1,afterany:1+5\n4,5,20,30,1,afterany:2+1\n";
    CHECK(left_out(inputs.import("csv", table,
                                 {"--map", "id=id,submit=submit,start=start,end=end,processors=n,dependency=dep",
                                  "--fields", "after"})) == "1");
    CHECK(inputs.after() == "4 any:2+1+0");
}

TEST_CASE("import reads what jobs of PBS waited for") {
    const auto record = [](const std::string& id, const std::string& more) {
        return "03/01/2024 12:00:00;E;" + id + ".server;user=u queue=q qtime=1709294400 start=1709294400 " + more +
               " Resource_List.ncpus=1 Resource_List.walltime=01:00:00 end=1709294500 Exit_status=0\n";
    };
    const std::string records = record("1", "") + record("2[1]", "depend=afterok:1.server") +
                                record("2[2]", "depend=afterok:1.server,beforeok:3.server") +
                                record("3", "Resource_List.depend=afterany:2[].server:7.server,on:1");
    Inputs inputs;
    const Outcome made = inputs.import("pbs", records);
    require_done(made);
    CHECK(made.errors.empty());
    CHECK(inputs.after() == "2[1] ok:1, 2[2] ok:1, 3 any:2[1] any:2[2]");
    CHECK_THAT(made.output,
               Contains("  holds: its job is not in the workload                                       1\n"
                        "  left out, no counterpart: beforeok                                          1\n"
                        "  left out, no counterpart: on                                                1\n"));
    // Without the option, it is a field that nobody reads.
    const Outcome without = inputs.import("pbs", records, {});
    CHECK(inputs.after().empty());
    CHECK_THAT(without.errors, Contains("jobs ask for dependency, which no algorithm of batfill looks at"));
    CHECK_THAT(without.output, !Contains("Conditions"));
}

TEST_CASE("import reads the field dependency of a table, and refuses data without it") {
    Inputs inputs;
    const std::string map = "id=id,submit=s,start=b,end=e,processors=p";
    const std::string table = "id,s,b,e,p,d\n1,0,0,10,1,\nw0,0,10,20,1,afterok:1\n3,0,20,30,1,afterany:w0\n";
    require_done(inputs.import("csv", table, {"--map", map + ",dependency=d", "--fields", "after"}));
    CHECK(inputs.after() == "3 any:w_0, w_0 ok:1");
    check_refused(inputs.import("csv", table, {"--map", map, "--fields", "after"}), 2,
                  "fields after: expected a column for what a job waited for");
    check_refused(inputs.import("philly", "[]", {"--fields", "after"}), 2,
                  "--fields after: the data of philly do not say what jobs waited for");
    check_refused(inputs.import("sacct", "JobID|Submit|Start|End|NCPUS|State\n1|0|0|10|1|COMPLETED\n"), 1,
                  "jobs.txt:1: no column SubmitLine or Dependency");
}

TEST_CASE("Conditions on jobs that the import leaves out hold") {
    Inputs inputs;
    const Outcome made = inputs.import("sacct", accounting, {"--fields", "after", "--from", "6"});
    require_done(made);
    CHECK(inputs.after() == "18 start:16+120");
    CHECK_THAT(made.output,
               Contains("  holds: its job is not in the workload                                       3\n"));
    require_done(run(inputs.folder, {"simulate", "-q", "-p", "4", "-a", "fcfs", "-w", inputs.workload, "-e",
                                     inputs.folder.file("fcfs")}));
}

TEST_CASE("import warns of conditions 'ok' that no replay fulfils") {
    Inputs inputs;
    const std::string warning =
        "batfill: note: 4 conditions 'ok' on jobs that run until their walltime, which is no success: whoever waits for "
        "them is rejected; --short-estimates believe lets just jobs end that ran longer than they requested\n";
    const Outcome exact = inputs.import("sacct", accounting, {"--fields", "after", "--estimates", "exact"});
    CHECK(exact.errors == warning);
    CHECK_THAT(exact.output,
               Contains("of these ok: its job reaches its walltime, so it never holds                4\n"));
    CHECK(inputs.import("sacct", accounting, {"--fields", "after", "--estimates", "factor:1.01"}).errors.empty());
    CHECK(inputs.import("sacct", accounting, {"--estimates", "exact"}).errors.empty());
}

TEST_CASE("import --submit eligible leaves waits for others out of the log") {
    Inputs inputs;
    const Outcome made = inputs.import("sacct", accounting, {"--submit", "eligible"});
    require_done(made);
    CHECK(inputs.submissions() == "12 0 16 7 13 100 14_1 100 14_2 100 15_2 160 17 180 18 300 ");
    CHECK_THAT(made.output,
               Contains("Eligible unknown: the submission is Submit                                  1\n"));
    require_done(inputs.import("sacct", accounting, {"--submit", "submission"}));
    CHECK(inputs.submissions() == "12 0 13 5 14_1 5 14_2 5 15_2 6 16 7 17 7 18 7 ");
    check_refused(inputs.import("sacct", accounting, {"--submit", "eligible", "--fields", "after"}), 2,
                  "--submit eligible leaves out the wait for other jobs, which --fields after repeats");
    check_refused(inputs.import("sacct", accounting, {"--submit", "eligible", "--fields", "begin"}), 2,
                  "--submit eligible leaves out the wait for an instant, which --fields begin repeats");
    check_refused(inputs.import("sacct", accounting, {"--submit", "eligible", "--fields", "array"}), 2,
                  "--submit eligible leaves out the wait for other tasks, which --fields array repeats");
    check_refused(inputs.import("helios", "", {"--submit", "eligible"}), 2, "--submit eligible is for sacct and pbs");
    check_refused(inputs.import("sacct", "JobID|Submit|Start|End\n1|0|0|10\n", {"--submit", "eligible"}), 1,
                  "jobs.txt:1: no column Eligible");
    check_refused(inputs.import("sacct", accounting, {"--submit", "start"}), 2, "--submit");
}

TEST_CASE("import keeps arrays, and the limit that a row of tasks that have not started says") {
    Inputs inputs;
    const std::string table =
        "JobID|Submit|Eligible|Start|End|NCPUS|NNodes|State|SubmitLine\n"
        "12_1|100|100|200|300|1|1|COMPLETED|sbatch a\n"
        "12_2|100|100|200|300|1|1|COMPLETED|sbatch a\n"
        "12_2|300|300|400|500|1|1|COMPLETED|sbatch a\n"
        "12_[3-9%2]|100|100|Unknown|Unknown|1|1|PENDING|sbatch a\n"
        "13|100|150|200|300|1|1|COMPLETED|sbatch --begin=now+50 a\n"
        "14|100|100|200|300|1|1|COMPLETED|sbatch --begin=soon a\n";
    const auto workload = [&] { return contents(inputs.workload); };
    const Outcome made = inputs.import("sacct", table, {"--fields", "begin,array"});
    require_done(made);
    CHECK_THAT(workload(), Contains(R"("id":"12_1",)") && Contains(R"("array":"12","array_limit":2})"));
    CHECK_THAT(workload(), Contains(R"("begin":150)"));
    // The second run of 12_2 is no task.
    CHECK_THAT(made.output,
               Contains("kept: array                                                                 2\n") &&
                   Contains("of these with array_limit                                                   2\n"));
    CHECK_THAT(made.output,
               Contains("left out, no counterpart: begin that nobody can read                        1\n"));
    require_done(inputs.import("sacct", table, {"--submit", "eligible", "--fields", "all"}));
    CHECK_THAT(workload(), !Contains("array") && !Contains("begin"));
    require_done(inputs.import("sacct", table, {"--fields", "all"}));
    CHECK_THAT(workload(), Contains("array_limit") && Contains("begin"));
    check_refused(inputs.import("sacct", "JobID|Submit|Start|End\n1|0|0|10\n", {"--fields", "begin"}), 1,
                  "jobs.txt:1: no column SubmitLine, expected it for the field begin");
}

TEST_CASE("swf --fields after reads columns 17 and 18") {
    const Folder folder;
    const std::string out = folder.file("w.json");
    const std::string log = folder.write("log.swf",
                                         "1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n"
                                         "2 5 5 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 1 3\n");
    const Outcome made = run(folder, {"swf", log, "-o", out, "--fields", "after"});
    require_done(made);
    CHECK_THAT(made.output,
               Contains("  kept: any                                                                   1\n"));
    CHECK_THAT(contents(out), Contains(R"("id":"2","subtime":5,)") && Contains(R"("after":["any:1+3"])"));
    require_done(run(folder, {"swf", log, "-o", out}));
    CHECK_THAT(contents(out), !Contains("after"));
    check_refused(run(folder, {"swf", log, "--fields", "per-host"}), 2, "--fields: unknown field 'per-host'");
    const Outcome none = run(folder, {"swf", log, "--fields", "after", "--from", "5"});
    CHECK_THAT(none.output,
               Contains("holds: its job is not in the workload                                       1\n"));
}

TEST_CASE("compare --weeks lets conditions on jobs of other weeks hold, and says how many") {
    const Folder folder;
    const std::string workload =
        folder.write("w.json", R"({"nb_res":1,"profiles":{"p":{"type":"delay","delay":4}},"jobs":[)"
                               R"({"id":"1","subtime":0,"res":1,"walltime":8,"profile":"p"},)"
                               R"({"id":"2","subtime":700000,"res":1,"walltime":8,"profile":"p","after":["ok:1"]}]})");
    const Outcome outcome = run(folder, {"compare", "fcfs", "easy", workload, "--weeks"});
    require_done(outcome);
    CHECK_THAT(outcome.errors, Contains("w.json: 1 condition in 'after' on jobs of other weeks dropped\n"));
}

}  // namespace batfill::tests::import_after_test
