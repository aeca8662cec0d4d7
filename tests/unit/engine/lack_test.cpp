#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/replay/reason_words.hpp"
#include "tests/support/small_machine.hpp"

// Why jobs wait for pools and named hosts.
namespace batfill::tests::lack_test {

// Hosts with these properties `capacity`, none if empty; their partitions; and pools.
Machine machine(const std::vector<std::string>& capacities, const std::string& pools = "",
                const std::vector<std::string>& partitions = {}) {
    std::vector<Host> hosts;
    for (const std::string& capacity : capacities) {
        Host host;
        host.name = "h" + std::to_string(hosts.size());
        if (!capacity.empty()) {
            host.properties["capacity"] = capacity;
        }
        if (!partitions.empty()) {
            host.properties["partitions"] = partitions[hosts.size()];
        }
        if (!pools.empty()) {
            host.zone_properties["pools"] = pools;
        }
        hosts.push_back(host);
    }
    return Machine(hosts);
}

WaitReason last_reason(const Machine& machine, const std::string& algorithm, const Parameters::Given& given,
                       const std::string& script, const std::string& job) {
    SmallMachine small(machine, algorithm, given);
    small.explain({job});
    small.play(script);
    REQUIRE_FALSE(small.engine().wait_reasons().empty());
    return small.engine().wait_reasons().back();
}

// What the job lacks after the last round of the script, under fcfs: "hosts 1 of 2, a b until 200: it needs ...".
std::string lack(const Machine& machine, const std::string& script, const std::string& job) {
    const WaitReason reason = last_reason(machine, "fcfs", {}, script, job);
    std::string text =
        to_string(reason.kind) + (" " + std::to_string(reason.idle) + " of " + std::to_string(reason.needed)) + ",";
    for (const Share& holder : reason.holders) {
        text += " " + holder.name;
    }
    return text + " until " + instant_text(reason.possible) + ": " + ReasonWords().lack(reason);
}

std::string said(const Machine& machine, const std::string& algorithm, const Parameters::Given& given,
                 const std::string& script, const std::string& job) {
    return ReasonWords().because(last_reason(machine, algorithm, given, script, job));
}

TEST_CASE("Of a pool, the reason names what the job takes, what is free and who holds it until when") {
    const Machine pools = machine({"", "", "", ""}, "power:10,water:5");
    const std::string running = "0: a 1x100 takes power:4, b 1x200 takes power:3\n";
    CHECK(
        lack(pools, running + "5: c 1x50 takes power:5 takes water:1", "c") ==
        "pool 2 of 1, a until 100: it takes 5 of the pool power; 3 of 10 are free, as job a holds 4 until 100 and job "
        "b holds 3 until 200");
    CHECK(lack(pools, running + "5: c 3x50 takes power:9", "c") ==
          "pool 2 of 3, a b until 200: it takes 9 of the pool power; 3 of 10 are free, as job a holds 4 until 100 and "
          "job b holds 3 until 200; it needs 3 processors; 2 are idle");
    // It lacks only processors, as on a machine without pools.
    CHECK(lack(pools, running + "5: c 3x50 takes power:3", "c") == "processors 2 of 3, a until 100: ");
}

TEST_CASE("Who lacks only a pool on shared hosts is told of no idle processors") {
    const std::string running = "0: a 2x100 takes power:4 each cores:1\n";
    CHECK(lack(machine({"cores:8", "cores:8"}, "power:4"), running + "5: b 1x100 takes power:1 each cores:1", "b") ==
          "pool 2 of 1, a until 100: it takes 1 of the pool power; 0 of 4 are free, as job a holds 4 until 100");
}

TEST_CASE("Of many holders, the reason names those with the most") {
    const Machine pools = machine(std::vector<std::string>(9, ""), "power:20");
    CHECK(
        lack(pools,
             "0: a 1x10 takes power:1, b 1x20 takes power:5, c 1x30 takes power:1, d 1x40 takes power:4, e 1x50 "
             "takes power:3, f 1x5\n"
             "1: g 1x50 takes power:20",
             "g") ==
        "pool 3 of 1, a b c d e until 50: it takes 20 of the pool power; 6 of 20 are free, as job b holds 5 until 20, "
        "job d holds 4 until 40, job e holds 3 until 50 and 2 more hold 2");
}

TEST_CASE("Of shared hosts, the reason counts those that have what the job takes, and names what is short on others") {
    const Machine hosts = machine({"cores:8,gpus:2", "cores:8,gpus:2", "cores:8", "", "cores:8,gpus:2"});
    const std::string running =
        "0: a 2x100 each cores:2 each gpus:1, b 1x200 each cores:1 each gpus:1, e 1x70 each cores:7 each gpus:1\n";
    // a is on hosts 0 and 1, b on 0, e on 4. Host 2 has no gpus.
    CHECK(lack(hosts, running + "5: c 2x50 each cores:4 each gpus:1", "c") ==
          "hosts 1 of 2, e until 70: it needs 2 hosts with cores 4 and gpus 1 each; 1 of 3 such hosts has that now; 1 "
          "lacks cores: of 8 on host 4, job e holds 7 until 70");
    CHECK(lack(hosts, running + "5: c 3x50 each gpus:2", "c") ==
          "hosts 0 of 3, e a b until 200: it needs 3 hosts with gpus 2 each; none of 3 such hosts has that now; 3 lack "
          "gpus: of 2 on host 0, job a holds 1 until 100 and job b holds 1 until 200");
    CHECK(
        lack(hosts, running + "5: c 3x50", "c") ==
        "hosts 2 of 3, e until 70: it needs 3 whole hosts; 2 of 5 are free, as job a holds 2 until 100, job e holds 1 "
        "until 70 and job b holds 1 until 200");
    // Enough is free, but another job is first.
    CHECK(lack(hosts, running + "5: c 3x50\n6: d 1x50 each cores:1 each gpus:1", "d") ==
          "passed over 2 of 1, until 6: it needs 1 host with cores 1 and gpus 1; 2 of 3 such hosts have that now");
}

TEST_CASE("Of whole hosts, the reason counts those of the partition that are free, and those that are unavailable") {
    const Machine hosts = machine({"", "", "", "", ""}, "", {"debug", "debug,long", "long", "long", "long"});
    const std::string running = "0: a 2x100 in long, b 1x200 in debug\n";
    CHECK(lack(hosts, running + "5: c 2x50 in debug", "c") ==
          "hosts 0 of 2, a b until 200: it needs 2 hosts of partition debug; none of 2 is free, as job a holds 1 until "
          "100 and job b holds 1 until 200");
    CHECK(lack(hosts, running + "5: c 4x50\n6: lost 3-4", "c") ==
          "hosts 0 of 4, until never: it needs 4 hosts; none of 5 is free, as job a holds 2 until 100 and job b "
          "holds 1 until 200; 2 are unavailable");
}

TEST_CASE("easy names the hosts of its reservation, and whom a start would delay") {
    const Machine hosts = machine({"cores:4", "cores:4"});
    const std::string script =
        "0: a 1x100 each cores:3\n"
        "1: b 2x10 each cores:2, c 1x200 each cores:3, d 1x200 each cores:4\n"
        "2: e 1x300 each cores:4\n";
    CHECK(said(hosts, "easy", {}, script, "b") == "head: it has the reservation, shadow time 100 on hosts 0-1");
    CHECK(
        said(hosts, "easy", {}, script, "c") ==
        "would delay the head, job b: shadow time 100 on hosts 0-1; its estimate is 200 s, and it needs 1 host, and 0 "
        "would be left until it ends");
    CHECK(said(hosts, "easy", {{"test-limit", "1"}}, script, "d") ==
          "not tried behind the head, job b: shadow time 100 on hosts 0-1");
    CHECK(said(hosts, "easy", {}, "0: a 2x100 each cores:3\n1: b 2x10, c 1x5 each cores:2", "c") ==
          "behind the head, job b: shadow time 100 on hosts 0-1");
    CHECK(said(hosts, "easy", {{"reservations", "2"}}, script, "c") ==
          "reserved: its start, by the estimates, is 110 on host 0");
    CHECK(said(hosts, "easy", {{"reservations", "2"}}, script, "d") ==
          "would delay a reservation, that of job b at 100: its estimate is 200 s, and it needs 1 host, and 0 would be "
          "left until it ends");
    CHECK(said(hosts, "easy", {{"reservations", "0"}}, script, "b") ==
          "head: it cannot start, and no job has a reservation");
    CHECK(said(hosts, "easy", {}, script + "3: lost 1", "b") ==
          "head: it has the reservation, no shadow time, as too little of what it takes is available even if nothing "
          "else runs");
    CHECK(said(machine({"", ""}, "power:2"), "easy", {}, "0: a 1x10 takes power:1\n1: b 1x5 takes power:2", "b") ==
          "head: it has the reservation, shadow time 10");
}

TEST_CASE("Jobs that only a pool that is not planned keeps from starting are passed over or parked") {
    const Machine pools = machine({"", "", "", ""}, "power:2");
    const std::string script =
        "0: a 1x100 takes power:2\n"
        "1: b 1x10 takes power:1, c 4x20\n";
    const Parameters::Given unplanned{{"plan-pools", "none"}};
    for (const std::string algorithm : {"easy", "relaxed"}) {
        CHECK(said(pools, algorithm, unplanned, script, "b") ==
              "passed over: only a pool that is not planned or a limit keeps it from starting");
    }
    CHECK(said(pools, "conservative", unplanned, script, "b") ==
          "parked: it was due, and only a pool that is not planned or a limit keeps it from starting");
    CHECK(said(pools, "conservative", {}, script, "b") == "planned: its planned start is 100");
    // b is due at once, and parked. Then c is first.
    CHECK(said(pools, "conservative", unplanned, script, "c") == "planned: its planned start is 100");
}

TEST_CASE("A plan names the hosts of a planned start, and the planned job that an earlier start would delay") {
    const Machine hosts = machine({"cores:4", "cores:4"});
    const std::string script =
        "0: a 1x100 each cores:3\n"
        "1: b 2x10 each cores:2, c 1x200 each cores:3, d 1x300 each cores:3\n";
    CHECK(said(hosts, "conservative", {}, script, "b") == "planned: its planned start is 100 on hosts 0-1");
    CHECK(said(hosts, "conservative", {}, script, "c") ==
          "planned: its planned start is 110 on host 0; if it started now, it would delay job b, planned at 100: it "
          "needs 1 host, and 0 would be left until it ends");
    CHECK(
        said(hosts, "conservative", {}, script + "2: lost 1", "b") ==
        "planned: it has no planned start, as too little of what it takes is available, moved once, from 100 at 2, in "
        "a new plan, as the machine changed");
    // b is due at 20 and loses its place, into which e moves.
    const Machine pools = machine({"", "", ""}, "power:2");
    CHECK(said(pools, "conservative", {{"plan-pools", "none"}},
               "0: a 1x100 takes power:2, f 1x20, g 1x30\n"
               "1: b 1x50 takes power:1, e 2x60\n"
               "20: ends f\n",
               "e") == "planned: its planned start is 30, moved once, from 70 at 20, when job b was parked");
}

TEST_CASE("The guarantee of a parked job ends, and nobody else's does") {
    const Machine pools = machine({"", "", ""}, "power:2");
    SmallMachine small(pools, "conservative", {{"plan-pools", "none"}});
    small.play(
        "0: a 1x100 takes power:2, f 2x20          | start a f\n"
        "1: b 1x50 takes power:1, e 2x60, g 1x5    | b 20; e 70; g 20\n"
        "20: ends f                                | start g; e 25\n"
        "25: ends g                                | start e; b 85\n"
        "85: ends e                                |\n"
        "100: ends a                               | start b\n");
    CHECK(small.broken() == "b 20: 20 -> none");
    REQUIRE(small.engine().broken_guarantees().size() == 1);
    CHECK(small.engine().broken_guarantees().front().cause == GuaranteeBreakCause::parked);
    // It has moved earlier before it is due; the guarantee that ends is the one of its submission. A job may be parked
    // in the round of its submission.
    SmallMachine moved(pools, "conservative", {{"plan-pools", "none"}});
    moved.play(
        "0: a 1x100 takes power:2, f 2x20 | start a f\n"
        "1: b 1x50 takes power:1         | b 20\n"
        "10: ends f, c 1x9 takes power:1 |\n");
    CHECK(moved.broken() == "b 10: 20 -> none; c 10: 10 -> none");
}

TEST_CASE("A parked job may lose its processors, or be rejected, like any other") {
    const Machine pools = machine({"", "", ""}, "power:2");
    const std::string script = "0: a 1x100 takes power:2, b 2x50 takes power:1 | start a\n";
    SmallMachine waits(pools, "conservative", {{"plan-pools", "none"}});
    waits.play(script + "5: lost 1-2 | b none\n6: back 1-2 |\n");
    SmallMachine rejected(pools, "conservative", {{"plan-pools", "none"}, {"when-too-small", "reject"}},
                          Shown::decisions);
    rejected.play("0: a 1x100 takes power:2, b 2x50 takes power:1 | start a 0\n5: lost 1-2 | reject b\n");
}

TEST_CASE("dbf places a tentative job that was parked when another job ends early") {
    SmallMachine small(machine({"", "", "", ""}, "power:2"), "dbf", {{"plan-pools", "none"}});
    small.play(
        "0: a 1x100 takes power:2, f 1x50                        | start a f\n"
        "1: t 1x10 due 500 takes power:1, u 3x10 due 900         | u 50 tentative\n"
        "20: ends f                                              | start u\n"
        "30: ends u                                              |\n"
        "100: ends a                                             | start t\n");
    CHECK(small.broken().empty());
}

TEST_CASE("Of a job that ends early on lost processors, a plan gets back only what is available") {
    SmallMachine small(machine({"", "", ""}, "power:2"), "conservative");
    small.play(
        "0: a 2x100    | start a\n"
        "5: lost 1-2   |\n"
        "10: ends a    |\n"
        "11: b 2x10    | b none\n"
        "12: back 1    | start b\n");
}

}  // namespace batfill::tests::lack_test
