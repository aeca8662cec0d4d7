#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/platform.hpp>

#include "src/replay/reason_words.hpp"
#include "tests/support/small_machine.hpp"

// Whole schedules under limits of users, by hand.

namespace batfill::tests::limits_by_hand_test {

namespace {

Machine machine_with(int processors, const std::string& limits, const std::string& pools = "") {
    Platform platform;
    platform.hosts.resize(static_cast<std::size_t>(processors));
    if (!pools.empty()) {
        platform.hosts[0].zone_properties["pools"] = pools;
    }
    platform.limits = parse_limits(limits, "limits");
    Machine machine = platform.machine();
    machine.require_resources();
    return machine;
}

constexpr const char* two_processors_each = R"({"of":"user","most":{"processors":2}})";

}  // namespace

TEST_CASE("fcfs waits for a limit, and nobody goes before", "[limits]") {
    SmallMachine(machine_with(6, two_processors_each), "fcfs").play(R"(
        0: a 1x10 of ann, b 2x10 of ann, c 1x10 of bob | start a
        10: ends a                              | start b c
        11: d 1x10, e 2x10 of bob               | start d
        20: ends b, ends c                      | start e
    )");
}

TEST_CASE("easy passes over jobs that only a limit holds, and reserves for the first other", "[limits]") {
    SmallMachine(machine_with(4, two_processors_each), "easy").play(R"(
        0: a 2x10 of ann, b 1x10 of ann, c 1x50 of bob | start a c
        1: d 3x20, e 1x8, f 1x100               | start e
        9: ends e                               |             // f would delay d, reserved at 10
        10: ends a                              | start b     // before d, as b was submitted first
        20: ends b                              | start d
    )");
    // As many are reserved as without those that are passed over.
    SmallMachine(machine_with(4, two_processors_each), "easy", {{"reservations", "2"}}).play(R"(
        0: a 2x10 of ann, b 1x10 of ann, c 1x50 of bob | start a c
        1: d 2x20, e 4x10, f 1x9                | start f
    )");
}

TEST_CASE("For test-limit, easy counts jobs that are passed over only behind the first that could not start",
          "[limits]") {
    SmallMachine(machine_with(4, two_processors_each), "easy", {{"test-limit", "1"}}).play(R"(
        0: a 2x10 of ann, b 1x10 of ann, c 1x50 | start a c
        1: d 2x20, e 1x8                        | start e
        9: ends e                               |
        9: f 1x1 of ann, g 1x1                  |             // f is the test
        10: ends a                              | start b d
    )");
}

TEST_CASE("A job that lacks processors, too, is not passed over", "[limits]") {
    SmallMachine(machine_with(4, two_processors_each), "easy").play(R"(
        0: a 2x10 of ann, b 2x10 of ann, c 1x50 | start a c
        1: d 1x20, e 1x9                        | start d     // beside b, reserved at 10 on two of three
        2: f 1x30                               |
    )");
}

TEST_CASE("relaxed passes over jobs that only a limit holds", "[limits]") {
    SmallMachine(machine_with(4, two_processors_each), "relaxed", {{"omega", "0"}}).play(R"(
        0: a 2x10 of ann, b 1x10 of ann, c 1x50 of bob | start a c
        1: d 1x20                               | start d
        2: e 2x10                               |
        10: ends a                              | start e     // before b: it needs more processors
        20: ends e                              | start b
    )");
}

TEST_CASE("The plan family parks a due job that a limit holds, and its guarantee ends", "[limits]") {
    SmallMachine machine(machine_with(4, two_processors_each), "conservative");
    machine.play(R"(
        0: a 2x10 of ann, b 2x30 of ann, c 2x30 of bob | start a c    // b is parked
        1: d 2x10                               | b 10; d 30          // b is placed again
        10: ends a                              | start b; d 30
    )");
    CHECK(machine.broken() == "b 0: 0 -> none");
}

TEST_CASE("A job that asks for more than its limit is rejected, and a limit of 0 rejects all", "[limits]") {
    const std::string limits = R"({"of":"user","most":{"processors":2}})"
                               "\n"
                               R"({"of":"user","value":"eve","most":{"jobs":0}})";
    failing_machine_of(machine_with(4, limits), "easy").play(R"(
        0: a 3x10 of ann, b 3x10, c 1x10 of eve | reject a; reject c; start b 0-2
    )");
}

TEST_CASE("Of the lines with the same fields those count that name the most values", "[limits]") {
    const std::string limits = R"({"of":["user","queue"],"most":{"jobs":1,"processors":4}})"
                               "\n"
                               R"({"of":["user","queue"],"value":["ann",null],"most":{"jobs":2}})"
                               "\n"
                               R"({"of":["user","queue"],"value":[null,"q"],"most":{"jobs":3}})"
                               "\n"
                               R"({"of":["queue","user"],"most":{"jobs":3}})";
    // Both lines that name one value count for ann, and so do the processors of the first, which these do not have.
    SmallMachine(machine_with(9, limits), "easy").play(R"(
        0: a 1x10 of ann, b 1x10 of ann, c 1x10 of ann | start a b
        0: d 1x10 of bob, e 1x10 of bob, f 1x10 of bob, g 1x10 of bob | start d e f
        10: ends a, ends b                      | start c
        11: h 4x10 of ann                       |
        20: ends c                              | start h
    )");
}

TEST_CASE("A limit counts what jobs take of a pool, and nobody is limited by a field that he does not have",
          "[limits]") {
    SmallMachine(machine_with(9, R"({"of":"user","most":{"power":5}})", "power:20"), "easy").play(R"(
        0: a 1x10 of ann takes power:3, b 1x10 of ann takes power:3, c 1x10 of ann, d 1x10 takes power:9 | start a c d
        10: ends a                              | start b
    )");
}

TEST_CASE("A requeued job takes of its limit anew", "[limits]") {
    SmallMachine machine(machine_with(4, two_processors_each), "easy", requeue, Shown::decisions);
    machine.play(R"(
        0: a 2x100 of ann, b 2x10 of ann        | start a 0-1
        5: lost 0                               | kill a
        5: dies a                               | register a#1; start b 1-2
        15: ends b                              | start a#1 1-2
        20: ends a#1                            |
    )");
}

TEST_CASE("An explanation names the limit, its value, the amounts and who holds them", "[limits]") {
    const std::string limits = R"({"of":"user","most":{"processors":2}})"
                               "\n\n"
                               R"({"of":["queue","user"],"most":{"jobs":1}})";
    SmallMachine machine(machine_with(4, limits), "easy");
    machine.explain({"b"});
    machine.play("0: a 1x10 of ann, b 2x10 of ann | start a");
    REQUIRE(machine.engine().wait_reasons().size() == 1);
    const WaitReason& reason = machine.engine().wait_reasons().front();
    CHECK(std::string(to_string(reason.kind)) == "limit");
    CHECK(ReasonWords().lack(reason) ==
          "it takes 2 processors; limit 1, user ann: 1 of 2 processors in use, as job a holds 1 until 10; limit 3, "
          "queue q, user ann: 1 of 1 jobs in use, as job a holds 1 until 10");
    CHECK(ReasonWords().because(reason) ==
          "passed over: only a pool that is not planned or a limit keeps it from "
          "starting");
    CHECK(reason.possible == Time::seconds(10));
}

}  // namespace batfill::tests::limits_by_hand_test
