#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/command_line/simulate_inputs.hpp"

namespace batfill::tests::explain_test {

using Catch::Matchers::Contains;

const std::string wait_reasons_header =
    "job_id,time,reason,rounds,needed,idle,licence,holders,possible_start,place,waiting,because\n";

TEST_CASE("simulate --explain says why a job waited, started or was rejected") {
    const Inputs inputs;
    const Outcome outcome =
        inputs.simulate("fcfs", {"-a", "fcfs", "-q", "--explain", "4", "--explain", "w0!3", "--explain", "1"});
    CHECK(outcome.status == 0);
    CHECK(
        outcome.output ==
        "job 1: 2 processors for at most 30 s; submitted at 0, started at once\n"
        "job 3: 4 processors for at most 30 s; rejected at 2, as it asks for 4 processors, the machine has 3\n"
        "job 4: 1 processor for at most 28 s; submitted at 2, started at 20 after 18 s\n"
        "  in all 10 s: head, too few processors are idle; 8 s: behind the head, enough processors are idle\n"
        "  from its submission on, for 8 s, 1 round: it needs 1 processor; 1 is idle. It is number 2 of 2 waiting "
        "jobs, by submission. The algorithm says: behind the head, job 2.\n"
        "  from 8 s on (10), for 10 s, 1 round: it needs 1 processor; 0 are idle. Job 2 (3 processors) is expected to "
        "end by 40, which would free enough. It is number 1 of 1 waiting jobs, by submission. The algorithm says: "
        "head: nobody starts before it.\n");
    CHECK(contents(inputs.folder.file("fcfs_explain.csv")) ==
          "job_id,time,reason,rounds,needed,idle,licence,holders,possible_start,place,waiting,because\n"
          "1,0.000000,started,1,2,1,,,,,,\n"
          "3,2.000000,rejected,1,4,1,,,,,,\"it asks for 4 processors, the machine has 3\"\n"
          "4,2.000000,passed over,1,1,1,,,2.000000,2,2,\"behind the head, job 2\"\n"
          "4,10.000000,processors,1,1,0,,2:3:40.000000,40.000000,1,1,head: nobody starts before it\n"
          "4,20.000000,started,1,1,2,,,,,,\n");
    CHECK(inputs.jobs("fcfs") == [&] {
        CHECK(inputs.simulate("plain", {"-a", "fcfs", "-q"}).status == 0);
        return inputs.jobs("plain");
    }());
}

TEST_CASE("simulate --explain takes jobs of the workload only, and the embedded scheduler") {
    const Inputs inputs;
    const auto refused = [&](const Arguments& more) {
        const Outcome outcome = inputs.simulate("refused", more);
        CHECK(outcome.status == 2);
        CHECK_FALSE(inputs.wrote("refused"));
        return outcome.errors;
    };
    CHECK(refused({"-a", "easy", "--explain", "9"}) ==
          "batfill: there is no job 9 to explain, expected an id as in jobs.csv, such as 1\n");
    CHECK_THAT(refused({"-a", "easy", "--explain", "w0!04"}), Contains("no job w0!04") && Contains("such as 4"));
    CHECK_THAT(refused({"-a", "easy", "-w", inputs.workload, "--explain", "1"}),
               Contains("expected an id as in jobs.csv, such as w0!1"));
    for (const std::string asked : {"--explain", "--state-at"}) {
        CHECK_THAT(refused({"-s", "tcp://127.0.0.1:1", asked, "1"}), Contains("are for the embedded scheduler"));
    }
}

// A workload for 3 processors, of jobs with id, submission, processors and run time, which is the walltime.
struct SmallJob {
    std::string id;
    int submit;
    int processors;
    int length;
};
std::string write_workload(const Inputs& inputs, const std::vector<SmallJob>& jobs) {
    std::string profiles;
    std::string texts;
    for (const SmallJob& job : jobs) {
        const std::string length = std::to_string(job.length);
        const std::string separator = texts.empty() ? "" : ",";
        profiles += separator + '"' + job.id + R"(":{"type":"delay","delay":)" + length + "}";
        texts += separator + R"({"id":")" + job.id + R"(","subtime":)" + std::to_string(job.submit) + R"(,"res":)" +
                 std::to_string(job.processors) + R"(,"walltime":)" + length + R"(,"profile":")" + job.id + R"("})";
    }
    return inputs.folder.write("small.json", R"({"nb_res":3,"profiles":{)" + profiles + R"(},"jobs":[)" + texts + "]}");
}

TEST_CASE("Rounds with one rule become one span of time, with the numbers of the first and the last") {
    const Inputs inputs;
    const std::string workload =
        write_workload(inputs, {{"wide", 0, 3, 10}, {"a", 1, 3, 10}, {"b", 1, 3, 10}, {"late", 1, 2, 10}});
    const Outcome outcome = run(inputs.folder, {"simulate", "-q", "-p", "3", "-w", workload, "-a", "fcfs", "-e",
                                                inputs.folder.file("spans"), "--explain", "late"});
    CHECK(outcome.output ==
          "job late: 2 processors for at most 10 s; submitted at 1, started at 30 after 29 s\n"
          "  in all 19 s: behind the head, too few processors are idle; 10 s: head, too few processors are idle\n"
          "  from its submission on, for 19 s, 2 rounds: it needs 2 processors; 0 are idle.\n"
          "    first: Job wide (3 processors) is expected to end by 10, which would free enough. It is number 3 of 3 "
          "waiting jobs, by submission. The algorithm says: behind the head, job a.\n"
          "    last:  Job a (3 processors) is expected to end by 20, which would free enough. It is number 2 of 2 "
          "waiting jobs, by submission. The algorithm says: behind the head, job b.\n"
          "  from 19 s on (20), for 10 s, 1 round: it needs 2 processors; 0 are idle. Job b (3 processors) is expected "
          "to end by 30, which would free enough. It is number 1 of 1 waiting jobs, by submission. The algorithm says: "
          "head: nobody starts before it.\n");
}

TEST_CASE("simulate --explain names pools, and check takes the guarantee of a parked job as ended") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "pools.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                      R"({"id":"a","subtime":0,"res":1,"walltime":10,"profile":"p","pools":{"power":3}},)"
                      R"({"id":"b","subtime":1,"res":1,"walltime":10,"profile":"p","pools":{"power":2}},)"
                      R"({"id":"c","subtime":2,"res":2,"walltime":10,"profile":"p"}]})");
    const auto simulate = [&](const std::string& planned) {
        return run(inputs.folder,
                   {"simulate", "-q", "-p", "2", "--pool", "power=4", "-w", workload, "-a",
                    "conservative,plan-pools=" + planned, "-e", inputs.folder.file("out"), "--explain", "b"})
            .output;
    };
    const auto check = [&](bool with_broken) {
        Arguments arguments{"check",        inputs.folder.file("out"),
                            "-p",           "2",
                            "--pool",       "power=4",
                            "-w",           workload,
                            "--guarantees", inputs.folder.file("out_guarantees.csv")};
        if (with_broken) {
            arguments.insert(arguments.end(), {"--broken-guarantees", inputs.folder.file("out_broken_guarantees.csv")});
        }
        return run(inputs.folder, arguments).status;
    };
    CHECK_THAT(simulate("all"), Contains("for 9 s, 2 rounds: it takes 2 of the pool power; 1 of 4 are free, as job a "
                                         "holds 3 until 10. Job a is expected to end by 10, which would free enough."));
    CHECK_FALSE(std::filesystem::exists(inputs.folder.file("out_broken_guarantees.csv")));
    CHECK_THAT(simulate("none"), Contains("The algorithm says: parked: "));
    CHECK(contents(inputs.folder.file("out_broken_guarantees.csv")) ==
          "job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name,cause\n"
          "b,1.000000,1.000000,,w0,parked\n");
    CHECK(check(true) == 0);
    CHECK(check(false) == 1);
    // The file says what the page shows.
    CHECK_THAT(contents(inputs.folder.file("out_explain.csv")), Contains(",because,lack\nb,1.000000,pool,"));
    CHECK(run(inputs.folder, {"report", inputs.folder.file("out"), "-o", inputs.folder.file("page.html")}).status == 0);
    CHECK_THAT(contents(inputs.folder.file("page.html")), Contains(R"("text":"it takes 2 of the pool power; 1 of 4 )"));
}

TEST_CASE("Of many changes of the rule, simulate --explain prints the first and the last") {
    const Inputs inputs;
    // `late` would delay `head`. Each short job takes the processors that it would need for a while.
    std::vector<SmallJob> jobs{{"hold", 0, 1, 1000}, {"head", 1, 3, 10}, {"late", 2, 1, 2000}};
    for (int i = 0; i < 10; ++i) {
        jobs.push_back({"short" + std::to_string(i), 10 + 20 * i, 2, 10});
    }
    const Outcome outcome = run(inputs.folder, {"simulate", "-q", "-p", "3", "-w", write_workload(inputs, jobs), "-a",
                                                "easy", "-e", inputs.folder.file("many"), "--explain", "late"});
    CHECK_THAT(
        outcome.output,
        Contains(
            "\n  in all 14 min 58 s: would delay the head, enough processors are idle; 1 min 40 s: behind the head, "
            "too few processors are idle; 10 s: head") &&
            Contains("\n  from 48 s on (50), for 10 s, 1 round: ") &&
            Contains("\n  ... 11 more changes of the rule are left out here\n  from 2 min 48 s on (170), ") &&
            Contains("\n  from 16 min 38 s on (1000), "));
    CHECK(std::ranges::count(outcome.output, '\n') == 14);
}

TEST_CASE("simulate --state-at prints the state before a round as a script") {
    const Inputs inputs;
    const auto state_at = [&](const std::string& time) {
        const Outcome outcome = inputs.simulate("state", {"-a", "fcfs", "-q", "--state-at", time});
        CHECK(outcome.status == 0);
        return outcome.output;
    };
    CHECK(state_at("5") == state_at("10"));
    CHECK(state_at("10") ==
          "// The state before a round, on 3 processors\n"
          "10: lost 0-2\n"
          "10: back 0-2, w0!2 3x30 since 1, w0!4 1x28 since 2\n");
    CHECK(state_at("1h") == "no round came at the instant of --state-at or after it\n");
}

TEST_CASE("The page of report shows why jobs waited") {
    const Inputs inputs;
    CHECK(inputs.simulate("out", {"-a", "fcfs", "-q", "--explain", "4"}).status == 0);
    const auto report = [&] {
        return run(inputs.folder, {"report", inputs.folder.file("out"), "-o", inputs.folder.file("page.html")});
    };
    CHECK(report().status == 0);
    CHECK_THAT(
        contents(inputs.folder.file("page.html")),
        Contains(
            R"("explained":[{"job":"4","time":2000,"rounds":1,"text":"it needs 1 processor; 1 is idle. It is )"
            R"(number 2 of 2 waiting jobs, by submission. The algorithm says: behind the head, job 2.","holders":[]},)"
            R"({"job":"4","time":10000,)"));
    for (const std::string wrong : {"4,2.0,idle,1,1,1,,,2.0,2,2,\n", "4,2.0,processors,1,1,1,,9,2.0,2,2,\n",
                                    "4,2.0,processors,x,1,1,,,2.0,2,2,\n", "4,1e18,processors,1,1,1,,,2.0,2,2,\n",
                                    "4,2.0,processors,1,1,-1,,,2.0,2,2,\n", "4,2.0,processors,1,1,1,,a:-1:3,2.0,2,2,\n",
                                    "4,2.0,processors,1,1,1,,:1:3,2.0,2,2,\n", "4,2.0,processors,1,1,1,,,2.0,3,2,\n"}) {
        inputs.folder.write("out_explain.csv", wait_reasons_header + wrong);
        const Outcome outcome = report();
        CHECK(outcome.status == 1);
        CHECK_THAT(outcome.errors, Contains("out_explain.csv:2: ") && Contains(", expected "));
    }
}

TEST_CASE("Ids may have blanks, per cents, colons and numbers behind a #") {
    const Inputs inputs;
    const std::string workload = write_workload(inputs, {{"a b%", 0, 3, 10}, {"k:1#x", 1, 3, 10}, {"late", 2, 1, 10}});
    const auto explain = [&](const std::string& job) {
        return run(inputs.folder, {"simulate", "-q", "-p", "3", "-w", workload, "-a", "fcfs", "-e",
                                   inputs.folder.file("ids"), "--explain", job});
    };
    CHECK_THAT(explain("late").output, Contains("Job k:1#x (3 processors) is expected to end by 20"));
    CHECK_THAT(explain("late#2").output, Contains("job late#2: nobody submitted it\n"));
    CHECK_THAT(explain("late#x").errors, Contains("there is no job late#x"));
    CHECK_THAT(explain("k:1#x").output, Contains("Job a b% (3 processors) is expected to end by 10"));
    CHECK_THAT(contents(inputs.folder.file("ids_explain.csv")), Contains(",a%20b%25:3:10.000000,"));
    CHECK(run(inputs.folder, {"report", inputs.folder.file("ids"), "-o", inputs.folder.file("page.html")}).status == 0);
    CHECK_THAT(contents(inputs.folder.file("page.html")), Contains(R"("holders":["a b%"])"));
}

TEST_CASE("A run without --explain removes the file of an earlier one") {
    const Inputs inputs;
    CHECK(inputs.simulate("out", {"-a", "easy", "--explain", "1"}).status == 0);
    CHECK(std::filesystem::exists(inputs.folder.file("out_explain.csv")));
    CHECK(inputs.simulate("out", {"-a", "easy"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(inputs.folder.file("out_explain.csv")));
}

TEST_CASE("simulate --explain says what a job waited for before it was eligible") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "after.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                      R"({"id":"a","subtime":0,"res":1,"walltime":20,"profile":"p"},)"
                      R"({"id":"b","subtime":1,"res":2,"walltime":20,"profile":"p","after":["ok:a","any:a+5"]},)"
                      R"({"id":"c","subtime":12,"res":1,"walltime":20,"profile":"p"}]})");
    const Outcome outcome = run(inputs.folder, {"simulate", "-q", "-p", "2", "-w", workload, "-a", "fcfs", "-e",
                                                inputs.folder.file("out"), "--explain", "b"});
    CHECK(outcome.output ==
          "job b: 2 processors for at most 20 s; submitted at 1, started at 22 after 21 s\n"
          "  in all 14 s: it is not eligible yet; 7 s: head, too few processors are idle\n"
          "  from its submission on, for 14 s, 3 rounds:\n"
          "    first: it waits for ok:a (it runs), any:a+5 (it runs).\n"
          "    last:  it waits for any:a+5 (at 15).\n"
          "  from 14 s on (15), for 7 s, 1 round: it needs 2 processors; 1 is idle. Job c (1 processor) is expected to "
          "end by 32, which would free enough. It is number 1 of 1 waiting jobs, by submission. The algorithm says: "
          "head: nobody starts before it.\n");
    CHECK(contents(inputs.folder.file("out_explain.csv")) ==
          "job_id,time,reason,rounds,needed,idle,licence,holders,possible_start,place,waiting,because,lack\n"
          "b,1.000000,dependency,1,2,1,,,,,,,\"it waits for ok:a (it runs), any:a+5 (it runs)\"\n"
          "b,10.000000,dependency,2,2,2,,,,,,,it waits for any:a+5 (at 15)\n"
          "b,15.000000,processors,1,2,1,,c:1:32.000000,32.000000,1,1,head: nobody starts before it,\n"
          "b,22.000000,started,1,2,0,,,,,,,\n");
    CHECK(contents(inputs.folder.file("out_eligible.csv")) == "job_id,eligible_time,workload_name\nb,15.000000,w0\n");
    const Outcome page = run(inputs.folder, {"report", inputs.folder.file("out"), "-w", workload, "-p", "2", "-o",
                                             inputs.folder.file("page.html")});
    CHECK(page.errors == "");
    CHECK_THAT(contents(inputs.folder.file("page.html")), Contains("it waits for any:a+5 (at 15)."));
}

// The workload with an origin; of several it is one.
std::string dated(const Inputs& inputs, const std::string& name, const std::string& origin) {
    return inputs.folder.write(name, contents(inputs.workload).insert(1, "\"origin\":\"" + origin + "\","));
}

TEST_CASE("simulate --explain --dates gives dates, across the change of the clocks") {
    const Inputs inputs;
    // Ten seconds before 2024-03-31 02:00:00.25 in Berlin, when it is 3 h.
    const std::string workload = dated(inputs, "dated.json", "2024-03-31T00:59:50.25Z[Europe/Berlin]");
    const auto simulate = [&](const std::string& algorithm, const Arguments& more) {
        return run(inputs.folder,
                   with({"simulate", "-p", inputs.platform, "-w", workload, "-q", "-e", inputs.folder.file("out"), "-a",
                         algorithm, "--explain", "4", "--explain", "2", "--explain", "3"},
                        more));
    };
    const Outcome outcome = simulate("easy", {"--dates"});
    const std::string reserved =
        "It is number 1 of 1 waiting jobs, by submission. The algorithm says: head: it has the reservation, shadow time "
        "2024-03-31 03:00:20.25+02:00, 0 extra processors.\n";
    CHECK(
        outcome.output ==
        "job 2: 3 processors for at most 30 s; submitted at 2024-03-31 01:59:51.25+01:00, started at 2024-03-31 "
        "03:00:02.25+02:00 after 11 s\n"
        "  from its submission on, for 11 s, 3 rounds: it needs 3 processors; 0 to 2 are idle.\n"
        "    first: Job 1 (2 processors) is expected to end by 2024-03-31 03:00:20.25+02:00, which would free enough. " +
            reserved +
            "    last:  Job 4 (1 processor) is expected to end by 2024-03-31 03:00:20.25+02:00, which would free enough. " +
            reserved +
            "job 3: 4 processors for at most 30 s; rejected at 2024-03-31 01:59:52.25+01:00, as it asks for 4 "
            "processors, the machine has 3\n"
            "job 4: 1 processor for at most 28 s; submitted at 2024-03-31 01:59:52.25+01:00, started at once\n");
    const std::string head =
        ",\"head: it has the reservation, shadow time 2024-03-31 03:00:20.25+02:00, 0 extra processors\"\n";
    CHECK(contents(inputs.folder.file("out_explain.csv")) ==
          wait_reasons_header + "2,1.000000,processors,1,3,1,,1:2:30.000000,30.000000,1,1" + head +
              "3,2.000000,rejected,1,4,1,,,,,,\"it asks for 4 processors, the machine has 3\"\n"
              "2,2.000000,processors,1,3,0,,1:2:30.000000 4:1:30.000000,30.000000,1,1" +
              head + "4,2.000000,started,1,1,0,,,,,,\n2,10.000000,processors,1,3,2,,4:1:30.000000,30.000000,1,1" +
              head + "2,12.000000,started,1,3,0,,,,,,\n");
    // Without --dates, nothing of that.
    CHECK(simulate("easy", {}).status == 0);
    const std::string plain = contents(inputs.folder.file("out_explain.csv"));
    CHECK(inputs.simulate("plain", {"-q", "-a", "easy", "--explain", "4", "--explain", "2", "--explain", "3"}).status ==
          0);
    CHECK(plain == contents(inputs.folder.file("plain_explain.csv")));
}

TEST_CASE("--dates also gives the dates of conditions and of windows") {
    const Inputs inputs;
    const std::string workload = inputs.folder.write(
        "after.json", R"({"nb_res":2,"profiles":{"p":{"type":"delay","delay":10}},)"
                      R"("origin":"2024-03-01 00:00:00+01:00","jobs":[)"
                      R"({"id":"a","subtime":0,"res":1,"walltime":20,"profile":"p"},)"
                      R"({"id":"b","subtime":1,"res":2,"walltime":20,"profile":"p","after":["ok:a","any:a+5"]},)"
                      R"({"id":"c","subtime":12,"res":1,"walltime":20,"profile":"p"}]})");
    const std::string windows =
        inputs.folder.write("windows.json", R"({"name":"service","from":30,"until":40,"hosts":"all"})");
    const Outcome outcome =
        run(inputs.folder, {"simulate", "-q", "-p", "2", "-w", workload, "--windows", windows, "-a", "conservative",
                            "-e", inputs.folder.file("out"), "--explain", "b", "--dates"});
    const std::string window =
        "window service takes 2 processors from 2024-02-29 23:00:30+00:00 until 2024-02-29 23:00:40+00:00";
    CHECK_THAT(outcome.output,
               Contains("it waits for any:a+5 (at 2024-02-29 23:00:15+00:00).\n") &&
                   Contains("  from 14 s on (2024-02-29 23:00:15+00:00), for 35 s, ") &&
                   Contains("of which 0 would be left at 2024-02-29 23:00:30+00:00. Announced: " + window));
    CHECK_THAT(
        contents(inputs.folder.file("out_explain.csv")),
        Contains(",it waits for any:a+5 (at 2024-02-29 23:00:15+00:00),\n") &&
            Contains("b,15.000000,window,1,2,2,,,,2,2,planned: its planned start is 2024-02-29 23:01:00+00:00,") &&
            Contains("," + window + "\n"));
}

TEST_CASE("--dates is refused without explanations, and where the date of second 0 is not known") {
    const Inputs inputs;
    const std::string explain = "--explain";
    const auto refused = [&](int status, const Arguments& workloads, const Arguments& more) {
        const Outcome outcome = run(inputs.folder, with(with({"simulate", "-q", "-p", inputs.platform, "-a", "easy",
                                                              "-e", inputs.folder.file("out"), "--dates"},
                                                             workloads),
                                                        more));
        CHECK(outcome.status == status);
        CHECK(outcome.output.empty());
        CHECK_FALSE(inputs.wrote("out"));
        return outcome.errors;
    };
    const std::string march = dated(inputs, "march.json", "2024-03-01T00:00:00Z");
    const std::string april = dated(inputs, "april.json", "2024-04-01T00:00:00Z");
    const std::string nowhere = dated(inputs, "a.json", "2024-03-01T00:00:00Z[Nowhere]");
    const std::string text = dated(inputs, "text.json", "soon");
    CHECK(refused(2, {"-w", march}, {}) == "batfill: --dates is for explanations, expected --explain JOB beside it\n");
    CHECK(refused(1, {"-w", inputs.workload}, {explain, "4"}) ==
          "batfill: " + inputs.workload +
              ": --dates needs the date of second 0 (field origin), the same in all workloads, found none: batfill swf "
              "and import write it without --load, if the log says when it begins\n");
    CHECK_THAT(refused(1, {"-w", march, "-w", april}, {explain, "w0!4"}),
               Contains("april.json: --dates needs the date of second 0 (field origin), the same in all workloads, "
                        "found another: "));
    CHECK_THAT(refused(1, {"-w", march, "-w", inputs.workload}, {explain, "w0!4"}),
               Contains("w.json: --dates needs the date of second 0") && Contains("found none"));
    CHECK(refused(1, {"-w", nowhere}, {explain, "4"}) ==
          "batfill: " + nowhere +
              ": field \"origin\": unknown time zone 'Nowhere', expected a name such as Europe/Berlin or "
              "UTC\n");
    CHECK(refused(1, {"-w", text}, {explain, "4"}) ==
          "batfill: " + text +
              R"(: field "origin": expected a date such as "2024-03-01T00:00:00Z" or )"
              R"("2024-03-01T00:00:00+01:00[Europe/Berlin]")"
              "\n");
    CHECK(run(inputs.folder, {"simulate", "-q", "-p", inputs.platform, "-a", "easy", "-e", inputs.folder.file("out"),
                              "--dates", "-w", march, "-w", march, explain, "w1!4"})
              .status == 0);
}

}  // namespace batfill::tests::explain_test
