#include <string>

#include <catch2/catch.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::guarantees_test {

// Tests of the guarantees that a plan gives at submission.

namespace {

// A machine that shows the guarantees after each round.
SmallMachine guaranteed(const std::string& algorithm, int processors) {
    return {processors, algorithm, {}, Shown::guarantees};
}

// The start of a running job.
std::string start_of(const SmallMachine& machine, const std::string& name) {
    const Job& job = machine.job(name);
    REQUIRE(job.state == JobState::running);
    return brief(job.start);
}

}  // namespace

TEST_CASE("A job is guaranteed the start that it is planned for when it is submitted", "[guarantees]") {
    SmallMachine machine = guaranteed("conservative", 2);
    CHECK(machine.engine().choice().gives_guarantees());
    // "wide" is rejected. At 4, a ends early: b starts, and the plan moves c to 14.
    machine.play(R"(
        0: a 2x10, b 2x10, c 1x5, wide 3x5  | a 0; b 10; c 20; wide none
        4: ends a, d 2x5                    | a 0; b 10; c 20; wide none; d 19
    )");
    CHECK(start_of(machine, "b") == "4");
    machine.play("14: ends b | a 0; b 10; c 20; wide none; d 19");
    CHECK(start_of(machine, "c") == "14");
}

TEST_CASE("A guarantee stays as it was when it is broken", "[guarantees]") {
    SmallMachine machine = guaranteed("conservative", 2);
    machine.play(R"(
        0: a 2x5, b 2x5, c 2x5  | a 0; b 5; c 10
        7: ends a               | a 0; b 5; c 10  // after its estimate
    )");
    CHECK(start_of(machine, "b") == "7");
    machine.play(R"(
        12: ends b, lost 1  | a 0; b 5; c 10
        20: back 1          | a 0; b 5; c 10
    )");
    CHECK(start_of(machine, "c") == "20");
}

TEST_CASE("A job that the machine is too small for at present is guaranteed nothing", "[guarantees]") {
    guaranteed("conservative", 2).play(R"(
        0: lost 0, a 2x5, b 1x5  | a none; b 0
        1: back 0                | a none; b 0
    )");
}

TEST_CASE("A tentative job is guaranteed nothing, also when it becomes definitive", "[guarantees][dbf]") {
    SmallMachine machine = guaranteed("dbf", 2);
    machine.play(R"(
        0: a 2x10, b 2x10 due 25, hopeless 2x10 due 29  | a 0; b none; hopeless 20
        1: r 2x10  | a 0; b none; hopeless 20; r 30  // b would end at 50, so it becomes definitive and goes before r
    )");
    CHECK(tentative_jobs(machine.engine()).empty());
}

TEST_CASE("A job that is started as soon as it is submitted is guaranteed that", "[guarantees][dbf]") {
    SmallMachine machine = guaranteed("dbf", 3);
    machine.play(R"(
        0: a 2x10, b 2x10 due 100  | a 0; b none
        1: r 1x5, s 1x5            | a 0; b none; r 1; s 6  // s goes before b, which would then start at 11
    )");
    CHECK(start_of(machine, "r") == "1");
}

TEST_CASE("Algorithms without a plan guarantee nothing", "[guarantees]") {
    for (const char* algorithm : {"easy", "fcfs"}) {
        SmallMachine machine = guaranteed(algorithm, 2);
        CHECK_FALSE(machine.engine().choice().gives_guarantees());
        machine.play("0: a 2x10, b 2x10 | a none; b none");
    }
}

}  // namespace batfill::tests::guarantees_test
