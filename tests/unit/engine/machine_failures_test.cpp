#include <string>

#include <catch2/catch.hpp>

#include "tests/support/small_machine.hpp"

namespace batfill::tests::machine_failures_test {

// What happens when processors are lost to jobs that run there (on-failure) and to jobs that no longer fit
// (when-too-small).

TEST_CASE("By default the jobs on lost processors keep running, and nothing is counted", "[failures]") {
    SmallMachine machine = failing_machine(4, "fcfs");
    machine.play(R"(
         0: a 4x100  | start a 0-3
        10: lost 1   |
    )");
    CHECK(machine.statistics() == "");
    CHECK_FALSE(machine.engine().registers_jobs());
}

TEST_CASE("A job on a lost processor is killed, and holds its processors until its end is reported", "[failures]") {
    SmallMachine machine = failing_machine(4, "fcfs", kill_them);
    machine.play(R"(
         0: a 2x100, b 1x100, c 2x100  | start a 0-1; start b 2
        10: lost 1                     | kill a
        10: d 1x100                    |
        11: dies a, killed a           | start c 0 3
    )");
    CHECK(machine.statistics() == "jobs_killed 1, jobs_requeued 0, lost_processor_seconds 22");
    machine.play("11: no more jobs |");
}

TEST_CASE("A killed job is submitted again under the next number, with the same request", "[failures]") {
    SmallMachine machine = failing_machine(4, "fcfs", requeue);
    machine.play(R"(
         0: w0!a 2x100 due 1000 of u, w0!b 3x100  | start w0!a 0-1
        10: lost 0                                | kill w0!a
        10: dies w0!a, w0!c 1x100                 | register w0!a#1; start w0!b 1-3  // c comes first
    )");
    JobDescription expected = machine.job("w0!a").description();
    expected.id = "w0!a#1";
    expected.submit = Time::seconds(10);
    CHECK(machine.job("w0!a#1").description() == expected);
    machine.play(R"(
        20: back 0                   | start w0!c 0
        30: ends w0!b, no more jobs  | start w0!a#1 1-2
        40: lost 0-2                 | kill w0!c w0!a#1
        40: dies w0!c, dies w0!a#1   | register w0!c#1; register w0!a#2; start w0!c#1 3
        50: back 0-1, ends w0!c#1    | start w0!a#2 0-1
        60: ends w0!a#2              | finished
    )");
    CHECK(machine.statistics() == "jobs_killed 3, jobs_requeued 3, lost_processor_seconds 60");
    machine.play("61: |");
}

TEST_CASE("A job that ends by itself while it is being killed is not submitted again", "[failures]") {
    SmallMachine machine = failing_machine(2, "fcfs", requeue);
    machine.play(R"(
         0: a 1x100                         | start a 0
        10: lost 0                          | kill a
        10: ends a, killed a, no more jobs  | finished
    )");
    CHECK(machine.statistics() == "jobs_killed 0, jobs_requeued 0, lost_processor_seconds 0");
}

TEST_CASE("A job that ends in the message of the loss is not killed", "[failures]") {
    failing_machine(2, "fcfs", requeue).play(R"(
         0: a 1x100, b 1x100  | start a 0; start b 1
        10: lost 0, ends a    |
        20: ends b, lost 1    |
    )");
}

TEST_CASE("A job is killed once, however often it loses processors", "[failures]") {
    failing_machine(4, "fcfs", requeue).play(R"(
         0: a 4x100                         | start a 0-3
        10: lost 0, lost 2                  | kill a
        11: lost 3                          |
        12: killed a                        | register a#1  // not every Batsim also reports the completion
        13: back 0 2-3                      | start a#1 0-3
        14: back 1, lost 1, lost 1, b 1x10  | kill a#1      // 1 was available; the loss is reported twice
    )");
}

TEST_CASE("Processors that are lost and back in one message kill the job that held them, not the one that starts",
          "[failures]") {
    failing_machine(4, "fcfs", requeue).play(R"(
         0: a 2x100                      | start a 0-1
        10: lost 1-3, back 1-3, b 2x100  | start b 2-3; kill a
        10: dies a                       | register a#1; start a#1 0-1
    )");
}

TEST_CASE("A job whose processors are lost at the instant of its start has run for no time", "[failures]") {
    SmallMachine machine = failing_machine(2, "easy", requeue);
    machine.play(R"(
        5: a 2x100  | start a 0-1
        5: lost 1   | kill a
        5: dies a   | register a#1
    )");
    CHECK(machine.statistics() == "jobs_killed 1, jobs_requeued 1, lost_processor_seconds 0");
}

TEST_CASE("A job that is stopped at its assumed walltime is not submitted again", "[failures]") {
    SmallMachine machine = failing_machine(2, "fcfs", {{"on-failure", "requeue"}, {"default-walltime", "50"}});
    machine.play(R"(
         0: a 1, b 1        | start a 0; start b 1
        40: lost 1          | kill b
        40: dies b          | register b#1
        50: lost 0          | kill a
        50: dies a, back 1  | start b#1 1
    )");
    CHECK(machine.job("b#1").walltime_assumed);
}

TEST_CASE("The plan counts the processors of a job that is being killed once", "[failures]") {
    SmallMachine machine = failing_machine(4, "conservative", requeue);
    machine.play("0: a 3x100, b 2x50, c 1x60 | start a 0-2; start c 3");
    CHECK(machine.plan() == "b 100");
    machine.play("10: lost 0 | kill a");
    CHECK(machine.plan() == "b 100");
    machine.play("10: d 2x10 |");
    CHECK(machine.plan() == "b 100; d 150");
    machine.play("11: dies a | register a#1; start b 1-2");
    CHECK(machine.plan() == "d 61; a#1 71");
    CHECK(machine.engine().guaranteed_at_submission(machine.number_of("a#1")) == Time::seconds(71));
    CHECK(machine.broken() == "");
}

TEST_CASE("Jobs too wide for the remaining processors are rejected at the loss or at their submission", "[failures]") {
    const std::string algorithm = GENERATE("fcfs", "easy", "conservative", "pc", "dc", "dbf");
    CAPTURE(algorithm);
    SmallMachine machine = failing_machine(4, algorithm, reject_them);
    machine.play(R"(
         0: a 4x100 due 1000, b 4x100 due 1000, c 3x100 due 1000  | start a 0-3
        10: lost 1, d 4x100 due 1000, e 2x100 due 1000            | reject b; reject d
    )");
    CHECK(machine.job("b").state == JobState::rejected);
    machine.play(R"(
        20: back 1, f 4x100 due 1000  |
        30: lost 0, back 0            |
    )");
    CHECK_THAT(machine.play("100: ends a"), Catch::StartsWith("start "));
    CHECK(machine.engine().state().waiting.size() == 2);
}

TEST_CASE("Jobs too wide for the remaining processors wait by default", "[failures]") {
    failing_machine(2, "conservative").play(R"(
        0: lost 0, a 2x10  |
        5: back 0          | start a 0-1
    )");
}

}  // namespace batfill::tests::machine_failures_test
