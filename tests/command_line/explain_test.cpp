#include <string>

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
        "job 1: submitted at 0, started at 0 after 0 s\n"
        "job 3: rejected at 2, as it asks for 4 processors, the machine has 3\n"
        "job 4: submitted at 2, started at 20 after 18 s\n"
        "  from its submission on, 1 round: it needs 1 processor, 1 is idle. It is number 2 of 2 waiting jobs. The "
        "algorithm says: behind the head, job 2.\n"
        "  from 8 s on (10), 1 round: it needs 1 processor, 0 are idle. Job 2 (3 until 40) holds what it lacks, by the "
        "estimates until 40. It is number 1 of 1 waiting jobs. The algorithm says: head: all others wait for it.\n");
    CHECK(contents(inputs.folder.file("fcfs_explain.csv")) ==
          "job_id,time,reason,rounds,needed,idle,licence,holders,possible_start,place,waiting,because\n"
          "1,0.000000,started,1,2,1,,,,,,\n"
          "3,2.000000,rejected,1,4,1,,,,,,\"it asks for 4 processors, the machine has 3\"\n"
          "4,2.000000,passed over,1,1,1,,,2.000000,2,2,\"behind the head, job 2\"\n"
          "4,10.000000,processors,1,1,0,,2:3:40.000000,40.000000,1,1,head: all others wait for it\n"
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
          "batfill: there is no job '9' to explain, expected an id as in jobs.csv\n");
    CHECK_THAT(refused({"-a", "easy", "-w", inputs.workload, "--explain", "1"}),
               Contains("expected an id as in jobs.csv: WORKLOAD!ID, such as w0!1"));
    CHECK_THAT(refused({"-s", "tcp://127.0.0.1:1", "--explain", "1"}), Contains("--explain is for the embedded"));
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
        Contains(R"("explained":[{"job":"4","time":2000,"rounds":1,"text":"it needs 1 processor, 1 is idle. It is )"
                 R"(number 2 of 2 waiting jobs. The algorithm says: behind the head, job 2.","holders":[]},)"
                 R"({"job":"4","time":10000,)"));
    for (const std::string wrong : {"4,2.0,idle,1,1,1,,,2.0,2,2,\n", "4,2.0,processors,1,1,1,,9,2.0,2,2,\n",
                                    "4,2.0,processors,x,1,1,,,2.0,2,2,\n"}) {
        inputs.folder.write("out_explain.csv", wait_reasons_header + wrong);
        const Outcome outcome = report();
        CHECK(outcome.status == 1);
        CHECK_THAT(outcome.errors, Contains("out_explain.csv:2: ") && Contains(", expected "));
    }
}

TEST_CASE("A run without --explain removes the file of an earlier one") {
    const Inputs inputs;
    CHECK(inputs.simulate("out", {"-a", "easy", "--explain", "1"}).status == 0);
    CHECK(std::filesystem::exists(inputs.folder.file("out_explain.csv")));
    CHECK(inputs.simulate("out", {"-a", "easy"}).status == 0);
    CHECK_FALSE(std::filesystem::exists(inputs.folder.file("out_explain.csv")));
}

}  // namespace batfill::tests::explain_test
