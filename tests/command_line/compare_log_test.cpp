#include <string>

#include <catch2/catch.hpp>

#include "tests/command_line/outcome.hpp"

// compare --log
namespace batfill::tests::compare_log_test {

using Catch::Matchers::Contains;

namespace {

// Three jobs on four processors. In the log, 2 waits 60 s and 3 waits 30 s.
const std::string three_jobs =
    "; MaxProcs: 4\n"
    "1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
    "2 40 60 50 2 -1 -1 2 100 -1 1 2 1 1 1 1 -1 -1\n"
    "3 80 30 40 2 -1 -1 2 100 -1 1 2 1 1 1 1 -1 -1\n";

struct Inputs : Folder {
    std::string log = write("log.swf", three_jobs);
    std::string workload = file("w.json");

    std::string waits(const Arguments& more) const {
        const Outcome outcome =
            run(*this, with({"compare", "fcfs", "--metrics", "jobs,mean_wait,max_wait", "-f", "csv"}, more));
        CHECK(outcome.status == 0);
        return outcome.output;
    }
};

}  // namespace

TEST_CASE("compare shows the log's own schedule as one more column") {
    const Inputs inputs;
    require_done(run(inputs, {"swf", inputs.log, "-o", inputs.workload}));
    const std::string waits = inputs.waits({inputs.workload, "--log", inputs.log});
    CHECK_THAT(waits, Contains(R"("jobs","log",1,3,,,0,,)") &&
                          Contains(R"("mean_wait","fcfs",1,26.666666666666668,)") &&
                          Contains(R"("mean_wait","log",1,30,,,3.333333333333332,,)") &&
                          Contains(R"("max_wait","log",1,60,)"));
    CHECK(inputs.waits({inputs.log, "--log", inputs.log}) == waits);
    // The clock of the workload may begin elsewhere, and ids have other numbers of zeros.
    require_done(run(inputs, {"swf", inputs.log, "--from", "40", "--shift", "-o", inputs.workload}));
    CHECK_THAT(inputs.waits({inputs.workload, "--log", inputs.log}),
               Contains(R"("jobs","log",1,2,)") && Contains(R"("mean_wait","log",1,45,)"));
}

TEST_CASE("compare takes what import --schedule wrote as the log") {
    const Inputs inputs;
    const std::string jobs = inputs.write("jobs.txt",
                                          "JobID|Submit|Start|End|Timelimit|NCPUS|State\n"
                                          "7_1|1000|1060|1160|00:05:00|2|COMPLETED\n"
                                          "7_2|1010|1090|1100|00:05:00|2|COMPLETED\n");
    const std::string schedule = inputs.file("own.csv");
    require_done(run(inputs, {"import", "sacct", jobs, "-o", inputs.workload, "--schedule", schedule}));
    CHECK_THAT(inputs.waits({inputs.workload, "--log", schedule}),
               Contains(R"("mean_wait","fcfs",1,45,)") && Contains(R"("mean_wait","log",1,70,)"));
}

TEST_CASE("Jobs that did not start in the log are in no column") {
    const Inputs inputs;
    const std::string unknown =
        inputs.write("unknown.swf", three_jobs + "4 90 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n");
    require_done(run(inputs, {"swf", unknown, "-o", inputs.workload}));
    const Outcome outcome =
        run(inputs, {"compare", "fcfs", inputs.workload, "--log", unknown, "--metrics", "jobs,max_wait", "-f", "csv"});
    CHECK_THAT(outcome.errors,
               Contains("w.json: 1 of 4 jobs did not start in ") && Contains(", and no column counts them"));
    CHECK_THAT(outcome.output, Contains(R"("jobs","fcfs",1,3,)") && Contains(R"("jobs","log",1,3,)") &&
                                   Contains(R"("max_wait","fcfs",1,60,)"));
}

TEST_CASE("With --weeks, the log's column is paired with the others") {
    const Inputs inputs;
    std::string log = "; MaxProcs: 4\n";
    for (int week = 0; week < 20; ++week) {
        const std::string submit = std::to_string(week * 604'800 + 100);
        log.append(std::to_string(2 * week + 1)).append(" ").append(submit);
        log.append(" 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
        log.append(std::to_string(2 * week + 2)).append(" ").append(submit).append(" ");
        log.append(std::to_string(110 + week)).append(" 10 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
    }
    const std::string weeks = inputs.write("weeks.swf", log);
    // The waits of the log are 5 + week/2 s longer in the mean.
    const std::string waits = inputs.waits({weeks, "--weeks", "--log", weeks});
    CHECK_THAT(waits, Contains(R"("mean_wait","fcfs",20,50,50,50,0,0,0,"best")") &&
                          Contains(R"("mean_wait","log",20,59.75,)") && Contains(",9.75,") &&
                          Contains("\"told_apart\"\n"));
    CHECK_THAT(inputs.waits({weeks, "--weeks", "--log", weeks, "--baseline", "log"}),
               Contains(R"("mean_wait","fcfs",20,50,50,50,-9.75,)") && Contains(",0,0,0,\"told_apart\"\n"));
    const std::string table = inputs.file("waits.csv");
    require_done(
        run(inputs, {"compare", "fcfs", weeks, "--weeks", "--log", weeks, "--metric", "mean_wait", "-o", table}));
    CHECK_THAT(contents(table), Contains("workload,\"fcfs\",\"log\"\n\"weeks-week-1\",50,55\n") &&
                                    Contains("\"weeks-week-20\",50,64.5\n"));
}

TEST_CASE("The page of a comparison shows what happened in the log") {
    const Inputs inputs;
    const std::string page = inputs.file("page.html");
    require_done(run(inputs, {"compare", "fcfs", inputs.log, "--log", inputs.log, "--report", page}));
    CHECK_THAT(contents(page), Contains(R"("label":"fcfs")") && Contains(R"("label":"log")"));
}

TEST_CASE("compare --by shows the log's own schedule in groups, too") {
    const Inputs inputs;
    const std::string log = inputs.write("more.swf", three_jobs + "4 90 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n");
    const Outcome outcome = run(inputs, {"compare", "fcfs", log, "--log", log, "--by", "user", "-f", "csv"});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains("\"fcfs\",\"1\",1,400,0,") && Contains("\"fcfs\",\"2\",2,180,40,") &&
                                   Contains("\"log\",\"1\",1,400,0,") && Contains("\"log\",\"2\",2,180,45,"));
    CHECK_THAT(outcome.errors, Contains(": 1 of 4 jobs did not start in "));
}

TEST_CASE("report --log adds what happened in the log to the page of runs") {
    const Inputs inputs;
    require_done(run(inputs, {"swf", inputs.log, "-o", inputs.workload}));
    require_done(
        run(inputs, {"simulate", "-q", "-p", "4", "-w", inputs.workload, "-a", "fcfs", "-e", inputs.file("f")}));
    const std::string page = inputs.file("page.html");
    const Arguments report{"report", inputs.file("f"), "--log", inputs.log, "-o", page};
    require_done(run(inputs, with(report, {"-w", inputs.workload, "-p", "4"})));
    CHECK_THAT(contents(page), Contains(R"("label":"f")") && Contains(R"("label":"log")"));
    check_refused(run(inputs, report), 2, "--log shows the jobs of one workload, expected one -w, found 0");
    // Where jobs share hosts, the log has none of them.
    require_done(run(inputs, with(report, {"-w", inputs.workload, "-p", "4", "--capacity", "cores:2"})));
    CHECK_THAT(contents(page),
               Contains(R"("label":"log")") && Contains("\"has_hosts\":true") && Contains("\"has_hosts\":false"));
}

TEST_CASE("On hosts that jobs share, the log has waits and no use of hosts, and a note says so") {
    const Inputs inputs;
    const std::string page = inputs.file("page.html");
    const Outcome outcome = run(inputs, {"compare", "fcfs", inputs.log, "--log", inputs.log, "-p", "4", "--capacity",
                                         "cores:2", "-f", "csv", "--report", page});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.errors, Contains("the log does not say how its jobs shared hosts"));
    CHECK_THAT(outcome.output, Contains(R"("mean_wait","log",1,30,)") && !Contains(R"("utilisation_of_cores","log")"));
    CHECK_THAT(contents(page), Contains(R"("label":"log")") && Contains("\"has_hosts\":false"));
}

TEST_CASE("A week without a job that started in the log has no values, and the others do") {
    const Inputs inputs;
    const std::string log =
        inputs.write("weeks.swf", three_jobs + "4 700000 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n");
    const std::string table = inputs.file("waits.csv");
    CHECK(run(inputs, {"compare", "fcfs", log, "--weeks", "--log", log, "--metric", "mean_wait", "-o", table}).status ==
          0);
    CHECK_THAT(contents(table), Contains("\"weeks-week-1\",26.666666666666668,30\n\"weeks-week-2\",,\n"));
}

TEST_CASE("report --log takes the log as the baseline, by its word or its file") {
    const Inputs inputs;
    require_done(run(inputs, {"swf", inputs.log, "-o", inputs.workload}));
    const std::string prefix = inputs.file("f");
    require_done(run(inputs, {"simulate", "-q", "-p", "4", "-w", inputs.workload, "-a", "fcfs", "-e", prefix}));
    const std::string page = inputs.file("page.html");
    const auto baseline = [&](const std::string& name) {
        require_done(run(inputs, {"report", prefix, "--log", inputs.log, "-w", inputs.workload, "-p", "4", "-o", page,
                                  "--baseline", name}));
        return contents(page);
    };
    for (const std::string& name : {std::string("log"), inputs.log}) {
        CHECK_THAT(baseline(name), Contains(R"("baseline":1,)") && Contains(R"("label":"log")"));
    }
    CHECK_THAT(baseline(prefix), Contains(R"("baseline":0,)"));
    check_refused(run(inputs, {"report", prefix, "-o", page, "--baseline", "log"}), 1, "log: there is neither");
}

TEST_CASE("A page says which jobs the log lacks, and that the log had more processors than the machine") {
    const Inputs inputs;
    const std::string log = inputs.write("more.swf",
                                         "; MaxProcs: 4\n"
                                         "1 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n"
                                         "2 40 0 50 3 -1 -1 3 100 -1 1 2 1 1 1 1 -1 -1\n"
                                         "3 90 -1 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n");
    require_done(run(inputs, {"swf", log, "-o", inputs.workload}));
    const std::string prefix = inputs.file("f");
    require_done(run(inputs, {"simulate", "-q", "-p", "4", "-w", inputs.workload, "-a", "fcfs", "-e", prefix}));
    const std::string page = inputs.file("page.html");
    const std::string missing = "1 of 3 jobs of " + inputs.workload + " did not run in " + log;
    const std::string processors = "the log has up to 7 processors in use, and the machine has 4";
    const Outcome outcome = run(inputs, {"report", prefix, "--log", log, "-w", inputs.workload, "-p", "4", "-o", page});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.errors, Contains("note: " + missing) && Contains("note: " + processors));
    CHECK_THAT(contents(page), Contains(R"("notes":[")" + missing) && Contains("\"" + processors));
    const Outcome compared = run(inputs, {"compare", "fcfs", log, "--log", log, "--report", page});
    CHECK(compared.status == 0);
    CHECK_THAT(contents(page), Contains("\"" + processors));
    // Without a log there is nothing to say.
    require_done(run(inputs, {"report", prefix, "-w", inputs.workload, "-p", "4", "-o", page}));
    CHECK_THAT(contents(page), Contains(R"("notes":[],)"));
}

TEST_CASE("A jobs.csv of jobs that cannot have happened is no log, no run of a page, and is not measured") {
    const Inputs inputs;
    require_done(run(inputs, {"swf", inputs.log, "-o", inputs.workload, "--schedule", inputs.file("own.csv")}));
    const std::string own = contents(inputs.file("own.csv"));
    require_done(run(inputs, {"compare", "fcfs", inputs.workload, "--log", inputs.file("own.csv")}));
    // The line of the second job: submitted at 40, it starts at 100 and runs for 50 s on two processors.
    const std::string line =
        "2,w0,d50,40.000000,2,100.000000,1,COMPLETED_SUCCESSFULLY,100.000000,50.000000,150.000000,";
    REQUIRE_THAT(own, Contains(line));
    const auto refuse = [&](const std::string& changed, const std::string& problem) {
        const std::string damaged =
            inputs.write("damaged.csv", std::string(own).replace(own.find(line), line.size(), changed));
        const std::string page = inputs.file("page.html");
        for (const Arguments& arguments : {Arguments{"compare", "fcfs", inputs.workload, "--log", damaged},
                                           {"report", damaged, "-o", page},
                                           {"metrics", damaged},
                                           {"plot", "waits", damaged, "-o", inputs.file("w.svg")}}) {
            CAPTURE(arguments.front());
            check_refused(run(inputs, arguments), 1, "damaged.csv:3: job w0!2 " + problem);
        }
        // An audit says what is wrong.
        CHECK(run(inputs, {"check", damaged, "-w", inputs.workload, "-p", "4"}).status == 1);
    };
    refuse("2,w0,d50,40.000000,2,100.000000,1,COMPLETED_SUCCESSFULLY,100.000000,-50.000000,150.000000,",
           "has an execution_time of -50, expected at least 0");
    refuse("2,w0,d50,40.000000,2,100.000000,1,COMPLETED_SUCCESSFULLY,30.000000,50.000000,150.000000,",
           "starts at 30, expected at or after its submission at 40");
    refuse("2,w0,d50,40.000000,2,100.000000,1,COMPLETED_SUCCESSFULLY,100.000000,50.000000,50.000000,",
           "finishes at 50, expected at or after its start at 100");
    refuse("2,w0,d50,40.000000,2,100.000000,0,REJECTED,100.000000,50.000000,150.000000,",
           "is REJECTED and has times, expected none");
    const std::string wider = inputs.write(
        "wider.csv", std::string(own).replace(own.find(line), line.size(),
                                              "2,w0,d50,40.000000,3,100.000000,1,COMPLETED_SUCCESSFULLY,100.000000,"
                                              "50.000000,150.000000,"));
    check_refused(run(inputs, {"compare", "fcfs", inputs.workload, "--log", wider}), 1,
                  "wider.csv: job w0!2 requests 3 processors, expected 2 as in " + inputs.workload);
}

TEST_CASE("compare --by puts a job into one class of length, whatever a column cuts short") {
    const Inputs inputs;
    // In the log it ran for 90 s, beyond the walltime at which the replay stops it.
    const std::string log = inputs.write("long.swf", "; MaxProcs: 4\n1 0 0 90 4 -1 -1 4 50 -1 1 1 1 1 1 1 -1 -1\n");
    require_done(run(inputs, {"swf", log, "-o", inputs.workload}));
    const Outcome outcome =
        run(inputs, {"compare", "fcfs", inputs.workload, "--log", log, "--by", "length", "-f", "csv"});
    CHECK(outcome.status == 0);
    CHECK_THAT(outcome.output, Contains("\"fcfs\",\"1-10 min\",1,200,") && Contains("\"log\",\"1-10 min\",1,360,"));
}

TEST_CASE("compare refuses a log of other jobs, or of jobs at other times") {
    const Inputs inputs;
    const auto refusal = [&](const Arguments& more) {
        const Outcome outcome = run(inputs, with({"compare", "fcfs", inputs.workload, "--log"}, more));
        check_refused(outcome, 1);
        return outcome.errors;
    };
    require_done(run(inputs, {"swf", inputs.log, "--load", "0.3", "-o", inputs.workload}));
    CHECK_THAT(refusal({inputs.log}), Contains("log.swf: job w0!2 is submitted at 40, expected ") &&
                                          Contains("which has other submissions than the log"));
    const std::string other =
        inputs.write("other.swf", "; MaxProcs: 4\n9 0 0 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n");
    CHECK_THAT(refusal({other}), Contains("other.swf: expected jobs of ") && Contains("found none of them"));
    CHECK_THAT(refusal({inputs.file("nosuch.swf")}), Contains("nosuch.swf: "));
}

}  // namespace batfill::tests::compare_log_test
