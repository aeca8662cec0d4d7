#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/platform.hpp>

#include "src/replay/reason_words.hpp"
#include "tests/support/simulator_fixture.hpp"
#include "tests/support/small_machine.hpp"

// Announced maintenance and reservations, by hand.

namespace batfill::tests::windows_by_hand_test {

namespace {

Machine with_windows(int processors, const std::string& lines, const std::string& pools = "") {
    Platform platform = machine(processors);
    for (Host& host : platform.hosts) {
        if (!pools.empty()) {
            host.zone_properties["pools"] = pools;
        }
    }
    platform.windows = parse_windows(lines, "calendar");
    return platform.machine();
}

const std::string maintenance = R"({"name": "maintenance", "from": 100, "until": 200, "hosts": "all"})";

}  // namespace

TEST_CASE("A job that fits now and would run into a window waits until it is over", "[windows]") {
    SmallMachine(with_windows(4, maintenance), "fcfs").play(R"(
        0: a 1x100, b 1x101, c 1x10             | start a      // c ends before the window, but b is first
        100: ends a                             |
        200:                                    | start b c
    )");
    SmallMachine(with_windows(4, maintenance), "easy").play(R"(
        0: a 1x100, b 1x101, c 1x10             | start a c
        10: ends c                              |
        100: ends a                             |
        200:                                    | start b
    )");
    SmallMachine(with_windows(4, maintenance), "relaxed", {{"omega", "1"}}).play(R"(
        0: a 1x100, b 1x101, c 1x10             | start a c
    )");
    SmallMachine(with_windows(4, maintenance), "conservative").play(R"(
        0: a 1x100, b 1x101, c 1x10             | start a c; b 200
    )");
}

TEST_CASE("Jobs that run when a window begins may finish, and it takes what becomes free", "[windows]") {
    const std::string two = R"({"name": "w", "from": 10, "until": 100, "announced": 10, "processors": 2})";
    failing_machine_of(with_windows(4, two), "easy").play(R"(
        0: a 3x50                               | start a 0-2
        20: b 1x5                               |              // one is idle, and the window has it
        30: ends a                              | start b 0    // it takes the highest of what becomes free
        35: ends b                              |
        40: c 3x9                               |
        100:                                    | start c 0-2
    )");
}

TEST_CASE("A window may kill what runs at its beginning, and submit it again", "[windows]") {
    const auto window = [](const std::string& what, const std::string& running) {
        return R"({"name": "w", "from": 20, "until": 40, "announced": 20, )" + what + R"(, "running": ")" + running +
               "\"}";
    };
    failing_machine_of(with_windows(4, window("\"hosts\": \"0-1\"", "kill")), "easy").play(R"(
        0: a 1x90, b 2x50, c 1x90               | start a 0; start b 1-2; start c 3
        20:                                     | kill a b
        20: dies a, dies b, d 2x10              |              // hosts 0 and 1 are taken, and only host 2 is free
        40:                                     | start d 0-1
    )");
    failing_machine_of(with_windows(4, window("\"hosts\": \"0-1\"", "requeue")), "easy").play(R"(
        0: a 1x90, b 2x50, c 1x90               | start a 0; start b 1-2; start c 3
        20:                                     | kill a b
        20: dies a, dies b                      | register a#1; register b#1; start a#1 2
        40:                                     | start b#1 0-1
    )");
    // A number of processors: the youngest first, until there is enough.
    failing_machine_of(with_windows(4, window("\"processors\": 2", "kill")), "easy").play(R"(
        0: a 1x90                               | start a 0
        5: b 1x90                               | start b 1
        6: c 1x90                               | start c 2
        20:                                     | kill c
        20: dies c                              |
    )");
    // A pool: only those that hold something of it.
    failing_machine_of(with_windows(4, window("\"pools\": {\"power\": 6}", "kill"), "power:8"), "easy").play(R"(
        0: a 1x90 takes power:3                 | start a 0
        5: b 1x90                               | start b 1
        20:                                     | kill a
        20: dies a, c 1x5 takes power:3, d 1x5 takes power:2 | start d 0
        25: ends d                              |
        40:                                     | start c 0
    )");
}

TEST_CASE("A job that ends when a window begins has ended", "[windows]") {
    const std::string window =
        R"({"name": "w", "from": 20, "until": 40, "announced": 20, "hosts": "all", "running": "requeue"})";
    failing_machine_of(with_windows(2, window), "easy").play(R"(
        0: a 2x20                               | start a 0-1
        20: ends a                              |
    )");
}

TEST_CASE("An announcement moves plans, and the guarantees that break say which window it was", "[windows]") {
    const std::string window = R"({"name": "surprise", "from": 60, "until": 90, "announced": 10, "hosts": "all"})";
    SmallMachine machine(with_windows(2, window), "conservative");
    machine.play(R"(
        0: a 2x50, b 2x20, c 1x10, d 1x5        | start a; b 50; c 70; d 70
        10:                                     | b 90; c 50; d 50
        50: ends a                              | start c d; b 90
    )");
    CHECK(machine.broken() == "b 10: 50 -> 90");
    CHECK(machine.engine().broken_guarantees()[0].cause == GuaranteeBreakCause::window);
    CHECK(machine.engine().broken_guarantees()[0].window == "surprise");
}

TEST_CASE("Jobs of a reservation run inside its window, and nobody else does", "[windows]") {
    const std::string window =
        R"({"name": "w", "from": 20, "until": 60, "hosts": "2-3", "for": ["course"], "running": "finish"})";
    failing_machine_of(with_windows(4, window), "easy").play(R"(
        0: a 2x90, b 2x30, c 2x20 for course, d 3x10 for course, e 1x41 for course | reject d; reject e; start a 0-1
        20:                                     | start c 2-3
        40: ends c, f 1x21 for course, g 1x20 for course | reject f; start g 2
        60: ends g                              | start b 2-3
    )");
    // Rejected once no window can hold it any more.
    const std::string late =
        R"({"name": "w", "from": 20, "until": 60, "announced": 5, "hosts": "2-3", "for": ["course"]})";
    failing_machine_of(with_windows(4, late), "conservative").play(R"(
        0: a 4x30                               | start a 0-3
        6: c 2x35 for course                    |
        30: ends a                              |
        60:                                     | reject c
    )");
}

TEST_CASE("A job that only a window keeps from starting does not delay the head, and explanations say so",
          "[windows]") {
    const auto reasons_of = [](const std::string& algorithm, const std::string& job) {
        SmallMachine machine(with_windows(4, R"({"name": "service", "from": 1000, "until": 2000, "hosts": "0-3"})"),
                             algorithm);
        machine.explain({job});
        machine.play("0: a 2x1000, b 4x1000, c 1x1001");
        REQUIRE(machine.engine().wait_reasons().size() == 1);
        return machine.engine().wait_reasons()[0];
    };
    for (const std::string algorithm : {"easy", "relaxed", "conservative"}) {
        const WaitReason c = reasons_of(algorithm, "c");
        CHECK(c.kind == WaitReason::Kind::window);
        CHECK(
            ReasonWords().lack(c) ==
            "it needs 1 host; 2 of 4 are free, but by its walltime it would run into window service: it needs 1 host, "
            "and 0 would be left until it ends");
        CHECK(ReasonWords().windows(c) == "window service takes all hosts from 1000 until 2000");
        CHECK_THAT(ReasonWords().because(c), !Catch::Contains("would delay") && !Catch::Contains("too late"));
    }
    // When running jobs have freed enough, b would meet the window.
    const WaitReason b = reasons_of("easy", "b");
    CHECK(b.kind == WaitReason::Kind::hosts);
    CHECK(b.possible == Time::seconds(1000));
    CHECK(ReasonWords().windows(b) == "window service takes all hosts from 1000 until 2000");
}

TEST_CASE("Who asks why a job of a reservation waits hears of its windows", "[windows]") {
    const std::string window =
        R"({"name": "w", "from": 20, "until": 60, "announced": 5, "hosts": "2-3", "for": ["course"]})";
    SmallMachine machine(with_windows(4, window), "easy");
    machine.explain({"c", "d"});
    machine.play("0: a 4x30, c 1x30 for course");
    machine.play("6: d 2x30 for course");
    machine.play("30: ends a");
    std::map<std::string, std::vector<WaitReason>> reasons;
    for (const WaitReason& reason : machine.engine().wait_reasons()) {
        reasons[reason.job].push_back(reason);
    }
    REQUIRE(reasons["d"].size() >= 2);
    CHECK(reasons["c"].front().kind == WaitReason::Kind::window);
    CHECK(ReasonWords().lack(reasons["c"].front()) == "no window of its reservation is open");
    CHECK(ReasonWords().windows(reasons["d"].front()) == "window w is for it from 20 until 60");
    CHECK(ReasonWords().lack(reasons["d"].back()) == "no window of its reservation has room for it now");
    CHECK(ReasonWords().because(reasons["d"].back()) ==
          "head: it has the reservation, no shadow time, as no window of its reservation has room for it");
}

TEST_CASE("Who asks why a job waits hears of the windows that it would meet", "[windows]") {
    const auto reason_of_b = [](const std::string& lines, const std::string& algorithm, const std::string& pools = "") {
        SmallMachine machine(with_windows(4, lines, pools), algorithm);
        machine.explain({"b"});
        machine.play("0: a 1x10, b 2x101 takes power:1");
        REQUIRE(machine.engine().wait_reasons().size() == 1);
        return machine.engine().wait_reasons()[0];
    };
    using Catch::Contains;
    const WaitReason head = reason_of_b(maintenance, "fcfs");
    CHECK(head.kind == WaitReason::Kind::window);
    CHECK(ReasonWords().because(head) == "head: nobody starts before it");
    CHECK(ReasonWords().windows(head) == "window maintenance takes 4 processors from 100 until 200");
    CHECK(head.possible.is_infinite());
    const WaitReason planned = reason_of_b(maintenance, "conservative");
    CHECK_THAT(ReasonWords().because(planned), Contains("its planned start is 200"));
    CHECK(planned.windows == head.windows);
    CHECK(ReasonWords().windows(reason_of_b(R"({"name": "repair", "from": 50, "until": 60, "hosts": "1-3"})",
                                            "easy")) == "window repair takes hosts 1-3 from 50 until 60");
    const WaitReason capped =
        reason_of_b(R"({"name": "cap", "from": 0, "until": 60, "pools": {"power": 8}})", "relaxed", "power:8");
    CHECK(capped.kind == WaitReason::Kind::pool);
    CHECK(ReasonWords().windows(capped) == "window cap takes 8 of the pool power from 0 until 60");
}

TEST_CASE("A window of a pool that keeps a job from starting is called so by every rule", "[windows]") {
    const std::string window = R"({"name": "p", "from": 100, "until": 2000, "announced": 1, "pools": {"power": 8}})";
    const auto reason_of_b = [&](const std::string& algorithm, const std::string& script) {
        SmallMachine machine(with_windows(4, window, "power:10"), algorithm);
        machine.explain({"b"});
        machine.play(script);
        return machine.engine().wait_reasons().back();
    };
    const std::string running = "0: a 1x1000 takes power:5\n";
    for (const std::string algorithm : {"easy", "relaxed", "fcfs"}) {
        const WaitReason b = reason_of_b(algorithm, running + "2: h 4x100\n3: b 1x150 takes power:1\n");
        CHECK(b.kind == WaitReason::Kind::window);
        CHECK(
            ReasonWords().lack(b) ==
            "it needs 1 processor; 3 are idle, but by its walltime it would run into window p: it takes 1 of the pool "
            "power, of which 0 would be left at 100");
        CHECK_THAT(ReasonWords().because(b), Catch::Contains("behind the "));
    }
    const WaitReason alone = reason_of_b("fcfs", running + "3: b 1x150 takes power:1\n");
    CHECK(alone.kind == WaitReason::Kind::window);
    CHECK(ReasonWords().because(alone) == "head: nobody starts before it");
    // What the window takes is in the sum, and what is free is not below 0.
    const WaitReason open = reason_of_b("fcfs", running + "150: b 1x50 takes power:1\n");
    CHECK(
        ReasonWords().lack(open) ==
        "it takes 1 of the pool power; 0 of 10 are free, as job a holds 5 until 1000 and window p takes 5 until 2000");
    CHECK(open.possible == Time::seconds(150));
}

TEST_CASE("A lost processor that a job still uses counts once when a window begins", "[windows]") {
    SmallMachine machine(with_windows(4, R"({"name": "w", "from": 100, "until": 300, "processors": 2})"), "fcfs");
    machine.play("0: a 2x1000\n10: lost 0\n20: b 1x200, c 1x80\n");
    // Of 4 processors, one is lost, a has another one, and the window will take 2.
    const SchedulerState& state = machine.engine().state();
    CHECK_FALSE(state.can_start_now(1));
    CHECK(state.can_start_now(2));
}

TEST_CASE("A delay through a pool names the pool", "[windows]") {
    SmallMachine machine(with_windows(4, "", "power:10"), "easy");
    machine.explain({"b"});
    machine.play("0: a 1x1000 takes power:6\n1: h 1x100 takes power:8\n2: b 1x2000 takes power:3\n");
    CHECK(ReasonWords().because(machine.engine().wait_reasons().back()) ==
          "would delay the head, job h: shadow time 1000; its estimate is 2000 s, and it takes 3 of the pool power, of "
          "which 2 would be left at 1000");
}

TEST_CASE("Where only a window is in the way, nobody is said to wait for jobs", "[windows]") {
    SmallMachine machine(with_windows(4, R"({"name": "m", "from": 0, "until": 2000, "hosts": "0-3"})"), "easy");
    machine.explain({"b"});
    machine.play("3: b 1x150");
    const WaitReason& b = machine.engine().wait_reasons().back();
    CHECK(b.kind == WaitReason::Kind::hosts);
    CHECK(ReasonWords().lack(b) == "it needs 1 host; none of 4 is free, as window m takes 4 until 2000");
    CHECK(b.holders.empty());
    CHECK(b.possible == Time::seconds(3));
}

}  // namespace batfill::tests::windows_by_hand_test
