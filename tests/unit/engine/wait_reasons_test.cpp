#include <string>

#include <catch2/catch.hpp>

#include "tests/support/small_machine.hpp"

namespace batfill::tests::wait_reasons_test {

// The recorded reasons, a line for each: "10: c lacks processors (2 of 4), a 3 until 100; 100; 1 of 2; ...".
std::string reasons_of(const SmallMachine& machine) {
    std::string text;
    for (const WaitReason& reason : machine.engine().wait_reasons()) {
        text += instant_text(reason.time) + ": " + reason.job + " " + to_string(reason.kind) + reason.license;
        if (reason.place > 0) {
            text += ", idle " + std::to_string(reason.idle) + ";";
            for (const WaitReason::Holder& holder : reason.holders) {
                text += " " + holder.job + " " + std::to_string(holder.processors) + " until " +
                        instant_text(holder.until) + ";";
            }
            text += " possible " + instant_text(reason.possible) + "; " + std::to_string(reason.place) + " of " +
                    std::to_string(reason.waiting) + "; rounds " + std::to_string(reason.rounds);
        }
        text += (reason.because.empty() ? "" : "; " + reason.because) + "\n";
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
        "started now, it would delay job b, planned at 100\n"
        "20: c processors, idle 0; b 4 until 70; possible 70; 1 of 1; rounds 2; planned: its planned start is 70, moved "
        "once, from 150 at 20 by a compression, as job a ended early\n"
        "50: c started\n");
}

TEST_CASE("Plans and profiles are shown as scripts show them") {
    SmallMachine machine(4, "conservative");
    const std::string plan = machine.play("0: a 3x100, b 4x50, c 1x200 | start a; b 100; c 150");
    CHECK(plan == "start a; " + to_string(*plan_in(machine.engine()), machine.engine().state()));
    CHECK(to_string(plan_in(machine.engine())->profile()) == "0 1; 100 0; 150 3; 350 4");
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
          "0: b processors, idle 0; a 2 until 100; possible 100; 1 of 1; rounds 2; head: all others wait for it\n"
          "5: e rejected; it asks for 3 processors, the machine has 2\n"
          "6: b processors, idle 0; a 1 until 100; possible never; 1 of 1; rounds 1; head: all others wait for it\n"
          "7: b processors, idle 0; a 2 until 100; possible 100; 1 of 1; rounds 1; head: all others wait for it\n");
}

}  // namespace batfill::tests::wait_reasons_test
