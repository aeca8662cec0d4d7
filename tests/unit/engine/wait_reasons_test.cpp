#include <string>

#include <catch2/catch.hpp>

#include "src/replay/reason_words.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::wait_reasons_test {

// The recorded reasons, a line for each: "10: c lacks processors (2 of 4), a 3 until 100; 100; 1 of 2; ...".
std::string reasons_of(const SmallMachine& machine) {
    std::string text;
    for (const WaitReason& reason : machine.engine().wait_reasons()) {
        text += instant_text(reason.time) + ": " + reason.job + " " + to_string(reason.kind) + reason.license;
        const std::string lack = ReasonWords().lack(reason);
        text += lack.empty() ? "" : ": " + lack;
        if (reason.place > 0) {
            text += ", idle " + std::to_string(reason.idle) + ";";
            for (const Share& holder : reason.holders) {
                text += " " + holder.name + " " + std::to_string(holder.amount) + " until " +
                        instant_text(holder.until) + ";";
            }
            text += " possible " + instant_text(reason.possible) + "; " + std::to_string(reason.place) + " of " +
                    std::to_string(reason.waiting) + "; rounds " + std::to_string(reason.rounds);
        }
        const std::string because = ReasonWords().because(reason);
        text += (because.empty() ? "" : "; " + because) + "\n";
    }
    return text;
}

TEST_CASE("easy says who is the head, and whom a backfilled job would delay") {
    SmallMachine machine(4, "easy");
    machine.explain({"b", "c", "d"});
    // b is the head: 4 processors are free at 100, and it leaves none. c ends in time, and d does not.
    machine.play(
        "0: a 2x100, b 4x50        | start a\n"
        "5: c 1x95, d 1x200        | start c\n"
        "10: e 1x500               |\n"
        "20: ends a                |\n"
        "60: ends c                | start b\n"
        "110: ends b               | start d e\n");
    CHECK(
        reasons_of(machine) ==
        "0: b processors, idle 2; a 2 until 100; possible 100; 1 of 1; rounds 1; head: it has the reservation, shadow "
        "time 100, 0 extra processors\n"
        "5: b processors, idle 1; a 2 until 100; c 1 until 100; possible 100; 1 of 2; rounds 2; head: it has the "
        "reservation, shadow time 100, 0 extra processors\n"
        "5: c started\n"
        "5: d passed over, idle 1; possible 5; 2 of 2; rounds 3; would delay the head, job b (4 processors): with its "
        "estimate of 200 s it would end after the shadow time 100, and it needs 1 processor, more than the 0 extra "
        "processors\n"
        "20: b processors, idle 3; c 1 until 100; possible 100; 1 of 3; rounds 1; head: it has the reservation, shadow "
        "time 100, 0 extra processors\n"
        "60: b started\n"
        "60: d processors, idle 0; b 4 until 110; possible 110; 1 of 2; rounds 1; head: it has the reservation, shadow "
        "time 110, 3 extra processors\n"
        "110: d started\n");
}

TEST_CASE("conservative says the planned start, and what moved it") {
    SmallMachine machine(4, "conservative");
    machine.explain({"c"});
    machine.play(
        "0: a 3x100, b 4x50, c 1x200 | start a; b 100; c 150\n"
        "20: ends a                  | start b; c 70\n"
        "30: d 4x10                  | c 70; d 270\n"
        "50: ends b                  | start c; d 250\n");
    CHECK(
        reasons_of(machine) ==
        "0: c passed over, idle 1; possible 0; 2 of 2; rounds 1; planned: its planned start is 150; if it "
        "started now, it would delay job b, planned at 100: it needs 1 processor, of which 0 would be left at 100\n"
        "20: c processors, idle 0; b 4 until 70; possible 70; 1 of 1; rounds 2; planned: its planned start is 70, moved "
        "once, from 150 at 20, when job a ended early\n"
        "50: c started\n");
}

TEST_CASE("A job that is held says all that holds it") {
    SmallMachine machine(4, "fcfs");
    machine.explain({"b", "c", "d"});
    machine.play(
        "0: a 1x100 array x, b 1x50 array x limit 1, c 1x10 begin 60 after any:a array x limit 1, d 1x5 begin 20\n"
        "20:\n"
        "60: ends a\n"
        "70: ends b\n");
    CHECK(
        reasons_of(machine) ==
        "0: b dependency: 1 task of array x before it is not over: limit 1\n"
        "0: c dependency: it waits for its begin (at 60), any:a (it runs); 2 tasks of array x before it are not over: "
        "limit 1\n"
        "0: d dependency: it waits for its begin (at 20)\n"
        "20: d started\n"
        "60: c dependency: 1 task of array x before it is not over: limit 1\n"
        "60: b started\n"
        "70: c started\n");
}

// What the algorithm says in the last round of the script why this job waits.
std::string said(const std::string& algorithm, const Parameters::Given& given, int processors,
                 const std::string& script, const std::string& job) {
    SmallMachine machine(processors, algorithm, given);
    machine.explain({job});
    machine.play(script);
    REQUIRE_FALSE(machine.engine().wait_reasons().empty());
    return ReasonWords().because(machine.engine().wait_reasons().back());
}

TEST_CASE("Reasons are those of the decision, not of the state after it") {
    // The window of relaxed is 3 times the wait of b, 98 s. c starts in it and moves b's start, which decides nothing.
    CHECK(said("relaxed", {{"omega", "3"}, {"beta", "0"}, {"gamma", "0"}}, 4,
               "0: a 1x100\n"
               "1: b 4x10\n"
               "2: c 1x250, d 1x400\n",
               "d") ==
          "would end too late beside the top job, job b: it could start at 100; the others must end by 296; it would "
          "end at 402");
    CHECK(said("relaxed", {{"omega", "0"}}, 4, "0: a 1x100\n1: b 4x10, c 1x10\n", "c") ==
          "behind the top job, job b: it could start at 100; the others wait, as omega is 0");
}

TEST_CASE("What easy has not tried is not called a delay") {
    const std::string script =
        "0: a 2x100\n"
        "1: b 4x10\n"
        "2: c 2x200, d 1x10\n";
    CHECK(said("easy", {{"test-limit", "1"}}, 4, script, "d") ==
          "not tried behind the head, job b (4 processors): shadow time 100, 0 extra processors");
    CHECK(said("easy", {{"test-limit", "1"}, {"placement", "contiguous"}}, 4, script, "d") ==
          "not tried behind the head, job b (4 processors): shadow time 100 on processors 0-3");
    const std::string without_d = "0: a 2x100\n1: b 4x10\n2: c 2x200\n";
    CHECK(
        said("easy", {{"placement", "contiguous"}}, 4, without_d, "c") ==
        "would delay the head, job b (4 processors): shadow time 100 on processors 0-3; its estimate is 200 s, and it "
        "needs 2 processors side by side, and at most 0 would be left");
    CHECK(said("easy", {{"reservations", "2"}, {"test-limit", "1"}}, 4, script, "d") == "not tried");
    CHECK(said("easy", {{"reservations", "2"}}, 4, script, "b") == "reserved: its start, by the estimates, is 100");
    CHECK(said("easy", {{"reservations", "0"}}, 4, script, "b") ==
          "head: it cannot start, and no job has a reservation");
    CHECK(said("easy", {{"reservations", "1"}, {"head", "kept"}, {"extra", "none"}}, 4, without_d, "c") ==
          "would delay the head, job b (4 processors): with its estimate of 200 s it would end at or after the shadow "
          "time 100, and it needs 2 processors, more than the 0 extra processors");
}

TEST_CASE("Planned starts say when they moved, and when they have passed") {
    CHECK(said("dbf", {}, 2, "0: a 2x100\n1: t 2x10 due 1000\n2: r 2x50\n", "t") ==
          "tentative: its planned start is 150, moved once, from 100 at 2, when job r was submitted");
    CHECK(said("conservative", {}, 4, "0: a 2x10\n1: b 4x10\n20: c 4x5\n", "b") ==
          "planned: its planned start, 10, has passed");
    CHECK(said("conservative", {}, 4, "0: a 2x10\n1: b 4x10\n2: lost 3\n", "b") ==
          "planned: it has no planned start, as too few processors are available, moved once, from 10 at 2, in a new "
          "plan, as the machine changed");
}

TEST_CASE("A round without waiting jobs has nothing to explain") {
    for (const std::string algorithm : {"fcfs", "easy", "relaxed", "conservative", "pc", "dc", "dbf"}) {
        CHECK(said(algorithm, {}, 2, "0: lost 0\n1: back 0\n2: a 1x10\n", "a").empty());
    }
    for (const std::string algorithm : {"bf-mod", "bf-unmod"}) {
        CHECK(said(algorithm, {}, 2, "0: lost 0\n1: back 0\n2: a 1x10 due 50\n", "a").empty());
    }
}

TEST_CASE("Plans and profiles are shown as scripts show them") {
    SmallMachine machine(4, "conservative");
    const std::string plan = machine.play("0: a 3x100, b 4x50, c 1x200 | start a; b 100; c 150");
    CHECK(plan == "start a; " + to_string(*plan_in(machine.engine()), machine.engine().state()));
    CHECK(to_string(plan_in(machine.engine())->timeline().counted().processors()) == "0 1; 100 0; 150 3; 350 4");
}

TEST_CASE("An answer that does not change is recorded once, and a rejection with its reason") {
    SmallMachine machine(2, "fcfs");
    machine.explain({"b", "e"});
    machine.play(
        "0: a 2x100, b 2x50 | start a\n"
        "5: e 3x10          |\n"
        "6: lost 1          |\n"
        "7: back 1          |\n");
    CHECK(reasons_of(machine) ==
          "0: b processors, idle 0; a 2 until 100; possible 100; 1 of 1; rounds 2; head: nobody starts before it\n"
          "5: e rejected; it asks for 3 processors, the machine has 2\n"
          "6: b processors, idle 0; possible never; 1 of 1; rounds 1; head: nobody starts before it\n"
          "7: b processors, idle 0; a 2 until 100; possible 100; 1 of 1; rounds 1; head: nobody starts before it\n");
}

TEST_CASE("A job that is not eligible yet says what it waits for, and then as the others") {
    SmallMachine machine(2, "fcfs");
    machine.explain({"b", "c", "e", "f"});
    machine.play(R"(
        0: b 1x10 after ok:a after start:x+3 after any:d, x 2x4 | start x
        1: c 2x10 after any:a, d 1x10                          |
        2: a 1x10                                              |
        4: ends x                                              | start d a
        7: ends a                                              |
        9: dies d                                              | start c
        19: ends c                                             | start b
    )");
    CHECK(reasons_of(machine) == R"(0: b dependency: it waits for ok:a, start:x+3 (at 3), any:d
1: c dependency: it waits for any:a
4: b dependency: it waits for ok:a (it runs), any:d (it runs)
4: c dependency: it waits for any:a (it runs)
7: b dependency: it waits for any:d (it runs)
7: c processors, idle 1; d 1 until 14; possible 14; 1 of 1; rounds 1; head: nobody starts before it
9: c started
9: b processors, idle 0; c 2 until 19; possible 19; 1 of 1; rounds 1; head: nobody starts before it
19: b started
)");
}

TEST_CASE("A job that can never be eligible says so with its rejection") {
    SmallMachine machine(1, "fcfs");
    machine.explain({"b", "c", "w"});
    machine.play(R"(
        0: a 1x10, b 1x10 after ok:a, c 1x10 after ok:b, w 2x10 after any:a | start a
        4: dies a                                                           |
    )");
    CHECK(reasons_of(machine) == R"(0: w rejected; it asks for 2 processors, the machine has 1
0: b dependency: it waits for ok:a (it runs)
0: c dependency: it waits for ok:b
4: b rejected; it waits for ok:a, and job a ended as COMPLETED_KILLED
4: c rejected; it waits for ok:b, and job b was rejected
)");
}

}  // namespace batfill::tests::wait_reasons_test
