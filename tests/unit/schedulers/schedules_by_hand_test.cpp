#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::schedules_by_hand_test {

// Tests of small schedules that were worked out by hand from the definitions of the algorithms.

using Starts = std::map<std::string, std::string>;

namespace {

Starts starts(const std::string& algorithm, const Parameters::Given& parameters, int processors,
              const std::string& jobs, const std::string& events = "") {
    const Outcome outcome = run(scenario_of(machine(processors), {workload_of(jobs)}, events), {algorithm, parameters});
    Starts result;
    for (const SimulatedJob& simulated : outcome.simulation().jobs()) {
        const std::string& id = simulated.job->description.id;
        result[id.starts_with("w0!") ? id.substr(3) : id] =
            simulated.state == JobState::rejected ? "rejected" : brief(simulated.start);
    }
    return result;
}

}  // namespace

TEST_CASE("fcfs: one wide job blocks all behind it", "[schedules]") {
    // 4 processors. a and b run at once. c needs all 4 and waits for the later end, that of a at 10. d and e fit beside
    // b, but stand behind c. The walltime stops c at 10 + 5. f has no walltime; g is too wide.
    const std::string jobs = jobs_in(R"(
         0: a 2x20 runs 10, b 1x20 runs 4
         1: c 4x5 runs 8
         2: d 1x2 runs 1, e 4x9 runs 3
         3: f 1 runs 1, g 5x9 runs 1
        18: h 2x9 runs 1
    )");
    // d starts at 15 alone, since e needs 4: e at 16, h behind it at 19.
    CHECK(starts("fcfs", {}, 4, jobs) == Starts{{"a", "0"},
                                                {"b", "0"},
                                                {"c", "10"},
                                                {"d", "15"},
                                                {"e", "16"},
                                                {"f", "rejected"},
                                                {"g", "rejected"},
                                                {"h", "19"}});
}

TEST_CASE("fcfs: with a default walltime, jobs without one run and are stopped at it", "[schedules]") {
    const std::string jobs = jobs_in("0: a 1 runs 100; 1: b 1x5 runs 2, c 1 runs 3");
    // a is killed at 7, b runs 7-9, c from 9.
    CHECK(starts("fcfs", {{"default-walltime", "7"}}, 1, jobs) == Starts{{"a", "0"}, {"b", "7"}, {"c", "9"}});
}

TEST_CASE("easy: a job may be backfilled up to the very instant of the shadow time", "[schedules]") {
    // 4 processors. a has 3 until 10 by its estimate. The head b needs 4: shadow 10, extra 0. At 2, one processor is
    // free: c would end at 10.000001 and may not start; d ends exactly at 10 and may.
    const std::string jobs = jobs_in("0: a 3x10 runs 9.5; 1: b 4x5 runs 4; 2: c 1x8.000001 runs 1, d 1x8 runs 8");
    // a is early (9.5), but d holds its processor until 10, where its walltime ends it: b from 10 to 14, then c.
    CHECK(starts("easy", {}, 4, jobs) == Starts{{"a", "0"}, {"b", "10"}, {"c", "14"}, {"d", "2"}});
}

TEST_CASE("easy: backfilled jobs that go beyond the shadow time use up the extra processors", "[schedules]") {
    // 10 processors. a holds 6 until 10; the head b needs 7: shadow 10, extra 10 - 7 = 3, and 4 are free now.
    // c (2, long) takes 2 extra; 1 is left. d (2, long) is refused although 2 are free. e (1, short) ends by 10 and
    // takes no extra. f (1, long) takes the last extra. g (1, long) finds no free processor until e ends early at 5,
    // and then no extra. It waits for b.
    const std::string jobs = jobs_in(R"(
        0: a 6x10 runs 10.5
        1: b 7x20 runs 19, c 2x50 runs 49, d 2x50 runs 49, e 1x9 runs 4, f 1x50 runs 49, g 1x50 runs 49
    )");
    // At 10, a is stopped: free 10 - c 2 - f 1 = 7, b starts. At 29 b ends, and d (2) and g (1) start.
    CHECK(starts("easy", {}, 10, jobs) ==
          Starts{{"a", "0"}, {"b", "10"}, {"c", "1"}, {"d", "29"}, {"e", "1"}, {"f", "1"}, {"g", "29"}});
}

TEST_CASE("easy: all running jobs that end at the shadow time count for the extra processors", "[schedules]") {
    // 6 processors: a (2), b (2) and c (1) until 10. The head d needs 3. With 1 free now, the end of a or of b would
    // suffice. But all three end at 10: extra 6 - 3 = 3. So e (1, long) may start at 2.
    const std::string jobs =
        jobs_in("0: a 2x10 runs 10, b 2x10 runs 10, c 1x10 runs 10; 1: d 3x10 runs 9; 2: e 1x99 runs 98");
    CHECK(starts("easy", {}, 6, jobs) == Starts{{"a", "0"}, {"b", "0"}, {"c", "0"}, {"d", "10"}, {"e", "2"}});
}

TEST_CASE("easy: jobs that start in a round count for its shadow time", "[schedules]") {
    // 4 processors, all taken by a until 5. Then b (2) starts at once, until 105 by its estimate; the head c (3) gets
    // the shadow time 105, extra 1. d (2, 100 long) ends by 105: starts. e (1) does not fit any more.
    const std::string jobs = jobs_in(R"(
        0: a 4x5 runs 5
        1: b 2x100 runs 20
        2: c 3x10 runs 9
        3: d 2x100 runs 30
        4: e 1x10 runs 9
    )");
    // At 25 b ends. Free: 2. c needs 3: its new shadow time is 105, d's end. e (1) ends by 105 and starts. At 34 e
    // ends; at 35 d does: c.
    CHECK(starts("easy", {}, 4, jobs) == Starts{{"a", "0"}, {"b", "5"}, {"c", "35"}, {"d", "5"}, {"e", "25"}});
}

TEST_CASE("conservative: jobs fill holes that delay nobody's plan", "[schedules]") {
    // 4 processors. Every job runs to its walltime, so every plan holds. a: 3 processors 0-10. b: 4 processors, 10-15.
    // c: 1 processor for 11, too long for the hole beside a: after b, 15-26. d: 1 processor for 8, fits at 2-10. e: 2
    // for 5, beside c: 15-20. f: 1 for 11, beside c and e: 15-26. g: 2 for 3: at 20, when e ends.
    const std::string jobs = jobs_in(R"(
        0: a 3x10 runs 10
        1: b 4x5 runs 5, c 1x11 runs 11
        2: d 1x8 runs 8, e 2x5 runs 5, f 1x11 runs 11, g 2x3 runs 3
    )");
    for (const std::string compression : {"planned-start", "submission", "start-now", "none"}) {
        CHECK(starts("conservative", {{"compression", compression}}, 4, jobs) ==
              Starts{{"a", "0"}, {"b", "10"}, {"c", "15"}, {"d", "2"}, {"e", "15"}, {"f", "15"}, {"g", "20"}});
    }
}

TEST_CASE("conservative: three ways of compression make three schedules", "[schedules]") {
    // 4 processors. a (3) until 20 by its estimate, x (1) until 10.
    // b (4 processors for 10) is planned at 20-30, c (2 for 30) at 30-60, d (1 for 10) beside a: at 10-20, when x ends.
    // At 5, a ends early and leaves 3 free, x has 1 until 10.
    // - planned-start: d (10) first: it fits at 5-15. b (4): from 15 on. c: 2 for 30 before b's 15-25 does not fit, so
    //   at 25.
    // - submission: b first, with d still at 10-20: not before 20. c: 30, beside nothing earlier: at 5-35 it would need
    //   2 during b: no; stays at 30. d: 5.
    // - none: d at 10, b at 20, c at 30.
    const std::string jobs = jobs_in(R"(
        0: a 3x20 runs 5, x 1x10 runs 10
        1: b 4x10 runs 10
        2: c 2x30 runs 30
        3: d 1x10 runs 10
    )");
    const auto with = [&](const std::string& compression) {
        return starts("conservative", {{"compression", compression}}, 4, jobs);
    };
    CHECK(with("planned-start") == Starts{{"a", "0"}, {"x", "0"}, {"b", "15"}, {"c", "25"}, {"d", "5"}});
    CHECK(with("submission") == Starts{{"a", "0"}, {"x", "0"}, {"b", "20"}, {"c", "30"}, {"d", "5"}});
    CHECK(with("none") == Starts{{"a", "0"}, {"x", "0"}, {"b", "20"}, {"c", "30"}, {"d", "10"}});
}

TEST_CASE("conservative: asks for a call when nothing is sure to happen at a planned start", "[schedules]") {
    // 1 processor. a ends at 4 instead of 10. Without compression b keeps its plan at 10, when no other event occurs.
    const Outcome outcome =
        run(scenario_of(machine(1), {workload_of(jobs_in("0: a 1x10 runs 4; 1: b 1x5 runs 2, c 1x5 runs 5"))}),
            {"conservative", {{"compression", "none"}}});
    const Simulator& simulator = outcome.simulation();
    CHECK(brief(simulator.jobs()[1].start) == "10");
    CHECK(brief(simulator.jobs()[2].start) == "15");  // b ends early, too, at 12
    // begin; a; b and c; no more jobs; a's end; the call; b's end; the call; c's end.
    CHECK(simulator.results().messages == 9);
}

TEST_CASE("Processors that go and come back change plans, not running jobs", "[schedules]") {
    // 2 processors. a (1) runs 0-10 on processor 0, which is away from 2 to 30. b (2) waits for it. c (1) uses
    // processor 1 meanwhile.
    const std::string jobs = jobs_in("0: a 1x10 runs 10; 1: b 2x5 runs 5; 3: c 1x20 runs 20");
    const std::string events = lost("2", "0") + back("30", "0");
    CHECK(starts("fcfs", {}, 2, jobs, events) == Starts{{"a", "0"}, {"b", "30"}, {"c", "35"}});
    CHECK(starts("easy", {}, 2, jobs, events) == Starts{{"a", "0"}, {"b", "30"}, {"c", "3"}});
    CHECK(starts("conservative", {}, 2, jobs, events) == Starts{{"a", "0"}, {"b", "30"}, {"c", "3"}});
}

TEST_CASE("rejecter rejects everything", "[schedules]") {
    CHECK(starts("rejecter", {}, 2, jobs_in("0: a 1x10 runs 10; 1: b 2x5 runs 5")) ==
          Starts{{"a", "rejected"}, {"b", "rejected"}});
}

TEST_CASE("filler starts whatever fits, also if a wide job starves", "[schedules]") {
    // 4 processors. a (2) runs until 10, b (4) waits. c (2) and d (2) run beside and after a, and keep b waiting until
    // both have ended at 19.
    const std::string jobs = jobs_in("0: a 2x20 runs 10; 1: b 4x5 runs 5, c 2x50 runs 11; 2: d 2x50 runs 9");
    CHECK(starts("filler", {}, 4, jobs) == Starts{{"a", "0"}, {"b", "19"}, {"c", "1"}, {"d", "10"}});
    // Widest first: g alone, then f at 9. h does not fit beside f, but e does.
    const std::string together = jobs_in("0: e 1x9 runs 9, f 3x9 runs 9, g 4x9 runs 9, h 2x9 runs 9");
    CHECK(starts("filler", {{"order", "lqf"}}, 4, together) == Starts{{"e", "9"}, {"f", "9"}, {"g", "0"}, {"h", "18"}});
}

TEST_CASE("sequencer runs one job at a time, in its order", "[schedules]") {
    const std::string jobs = jobs_in(R"(
        0: a 1x20 runs 10
        1: b 1x9 runs 5
        2: c 2x8 runs 5
        3: d 5x8 runs 5
    )");
    CHECK(starts("sequencer", {}, 4, jobs) == Starts{{"a", "0"}, {"b", "10"}, {"c", "15"}, {"d", "rejected"}});
    CHECK(starts("sequencer", {{"order", "spf"}}, 4, jobs) ==
          Starts{{"a", "0"}, {"b", "15"}, {"c", "10"}, {"d", "rejected"}});
}

TEST_CASE("random starts whatever fits, in an order that its seed decides", "[schedules]") {
    std::string jobs;
    for (const char id : std::string("abcdefghij")) {
        jobs += (jobs.empty() ? "" : ",") + job(std::string(1, id), "0", 1, "10", "10");
    }
    const Starts first = starts("random", {}, 1, jobs);
    CHECK(first == starts("random", {{"seed", "1"}}, 1, jobs));
    CHECK(first != starts("random", {{"seed", "2"}}, 1, jobs));
    CHECK(first != starts("fcfs", {}, 1, jobs));
    // One job at a time, without pauses.
    std::set<std::string> instants;
    for (const auto& [id, start] : first) {
        instants.insert(start);
    }
    CHECK(instants == std::set<std::string>{"0", "10", "20", "30", "40", "50", "60", "70", "80", "90"});
}

TEST_CASE("killer kills every job that runs for too long", "[schedules]") {
    // 1 processor. a would run for 30 and is killed at 10. b ends by itself after 4. c ends exactly when it would be
    // killed. d is stopped by its walltime.
    const std::string jobs = jobs_in("0: a 1x50 runs 30, b 1x50 runs 4, c 1x50 runs 10, d 1x6 runs 30, e 1x50 runs 30");
    CHECK(starts("killer", {}, 1, jobs) == Starts{{"a", "0"}, {"b", "10"}, {"c", "14"}, {"d", "24"}, {"e", "30"}});
    CHECK(starts("killer", {{"delay", "0"}}, 1, jobs) ==
          Starts{{"a", "0"}, {"b", "0"}, {"c", "0"}, {"d", "0"}, {"e", "0"}});
}

TEST_CASE("killer2 kills the running job when another is submitted", "[schedules]") {
    // b kills a at 3, and runs until c and d arrive at 6. c runs to its end at 16, then d.
    const std::string jobs = jobs_in("0: a 1x50 runs 10; 3: b 2x50 runs 10; 6: c 1x50 runs 10, d 1x50 runs 10");
    CHECK(starts("killer2", {}, 2, jobs) == Starts{{"a", "0"}, {"b", "3"}, {"c", "6"}, {"d", "16"}});
}

TEST_CASE("submitter registers jobs of its own as soon as nothing waits and a processor is idle", "[schedules]") {
    // 2 processors. The first of its jobs, of 1 s, precedes a and b, which arrive in one message. a starts, one per
    // round, then b at 1. A job waits or no processor is idle until a ends at 4 and b at 5. Its jobs of 11 s and 21 s
    // follow, each when a processor is idle. c (2) waits for both.
    const std::string jobs = jobs_in("0: a 1x50 runs 4, b 1x50 runs 4; 6: c 2x50 runs 1");
    CHECK(starts("submitter", {{"jobs", "3"}}, 2, jobs) ==
          Starts{{"dynamic!0", "0"}, {"a", "0"}, {"b", "1"}, {"dynamic!1", "4"}, {"dynamic!2", "5"}, {"c", "26"}});
    // All of 1 s, and no more than requested.
    CHECK(starts("submitter", {{"jobs", "3"}, {"same-length", "yes"}}, 2, jobs) ==
          Starts{{"dynamic!0", "0"}, {"a", "0"}, {"b", "1"}, {"dynamic!1", "4"}, {"dynamic!2", "5"}, {"c", "6"}});
    CHECK(starts("submitter", {{"jobs", "0"}}, 2, jobs) == Starts{{"a", "0"}, {"b", "4"}, {"c", "8"}});
}

TEST_CASE("Plans count with walltimes and the margin, and jobs are stopped at their walltimes", "[schedules]") {
    // 2 processors, and plans without compression. a (1) runs until its walltime ends it at 10. b (2) is planned for
    // then, c (1) beside a, and d (1) between the end of c at 5 and the start of b. With a margin of 5, a is expected
    // to end at 15 and c at 10, and d would take until 20. So d goes behind b, which is planned for 15 to 30.
    const std::string jobs = jobs_in("0: a 1x10 runs 30, b 2x10 runs 10; 1: c 1x4 runs 4, d 1x5 runs 5");
    CHECK(starts("conservative", {{"compression", "none"}}, 2, jobs) ==
          Starts{{"a", "0"}, {"b", "10"}, {"c", "1"}, {"d", "5"}});
    CHECK(starts("conservative", {{"compression", "none"}, {"walltime-margin", "5"}}, 2, jobs) ==
          Starts{{"a", "0"}, {"b", "15"}, {"c", "1"}, {"d", "30"}});
}

}  // namespace batfill::tests::schedules_by_hand_test
