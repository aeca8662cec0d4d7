#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_dbf.hpp"
#include "tests/support/plain_scheduler.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/small_machine.hpp"
#include "tests/support/test_data.hpp"

namespace batfill::tests::dbf_test {

// Deadline-Based Backfilling: its promises on random streams, the same decisions as a plain form, and small schedules
// by hand.

using Repair = PlainDbf::Repair;

namespace {

constexpr std::array both_repairs{Repair::paper, Repair::strict};

std::string name_of(Repair repair) {
    return repair == Repair::paper ? "paper" : "strict";
}

// Plays random streams to dbf and compares all its observable decisions with the plain form.
void compare_with_plain_form(unsigned streams, const Features& features, Repair repair, PlainDbf::Counts& counts) {
    for (unsigned seed = 0; seed < streams; ++seed) {
        INFO("repair=" << name_of(repair) << ", stream " << seed);
        Stream stream(seed, features);
        Engine engine("dbf", {{"repair", name_of(repair)}});
        PlainDbf plain(stream.processors(), repair, counts);
        stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
            REQUIRE(plain.round(message) == started);
            require_same_plans(plan_of(engine), plain.planned_starts());
            REQUIRE(tentative_jobs(engine) == plain.tentative());
            for (const JobIndex index : started) {
                if (repair == Repair::strict && plain.met_at_submission().count(index) != 0) {
                    const Job& job = engine.state().job(index);
                    REQUIRE(message.now + job.walltime <= *job.description().deadline);
                }
            }
        });
    }
}

// The jobs of one stream whose deadline some plan met, and those whose deadline a later plan or their start missed.
struct Deadlines {
    std::map<JobIndex, Time> kept;
    std::map<JobIndex, Time> lost;
};

Deadlines follow_deadlines(unsigned seed, const Features& features, Repair repair) {
    Deadlines deadlines;
    Stream stream(seed, features);
    Engine engine("dbf", {{"repair", name_of(repair)}});
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        std::map<JobIndex, Time> starts = plan_of(engine);
        for (const JobIndex job : started) {
            starts[job] = message.now;
        }
        for (const auto& [index, start] : starts) {
            const Job& job = engine.state().job(index);
            if (job.description().deadline) {
                const bool kept = start + job.walltime <= *job.description().deadline;
                if (kept) {
                    deadlines.kept.emplace(index, message.now);
                } else if (deadlines.kept.count(index) != 0) {
                    deadlines.lost.emplace(index, message.now);
                }
            }
        }
    });
    return deadlines;
}

// Four tentative jobs of two tests, before a regular job comes.
const std::string all_tentative = "b 10 tentative; c 22 tentative; d 10 tentative; e 32 tentative";

SmallMachine dbf_machine(int processors, Repair repair = Repair::paper) {
    return {processors, "dbf", {{"repair", name_of(repair)}}};
}

}  // namespace

TEST_CASE("dbf: the start of a job with a definitive allocation never moves later", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        int moved_earlier = 0;
        int tentative_moved_later = 0;
        int made_definitive = 0;
        for (unsigned seed = 0; seed < 400; ++seed) {
            INFO("repair=" << name_of(repair) << ", stream " << seed);
            Stream stream(seed, {});
            Engine engine("dbf", {{"repair", name_of(repair)}});
            std::map<JobIndex, Time> definitive;
            std::map<JobIndex, Time> tentative;
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
                for (const JobIndex job : started) {
                    if (definitive.count(job) != 0) {
                        REQUIRE(message.now <= definitive[job]);
                    }
                }
                for (const auto& [job, start] : plan_of(engine)) {
                    if (is_tentative(engine, job)) {
                        REQUIRE(definitive.count(job) == 0);
                        tentative_moved_later += start > tentative.emplace(job, start).first->second ? 1 : 0;
                        tentative[job] = start;
                    } else {
                        const auto [before, is_new] = definitive.emplace(job, start);
                        REQUIRE(start <= before->second);
                        moved_earlier += start < before->second ? 1 : 0;
                        made_definitive += is_new && tentative.count(job) != 0 ? 1 : 0;
                        before->second = start;
                    }
                }
            });
        }
        CHECK(moved_earlier > 1000);
        CHECK(tentative_moved_later > 1000);
        CHECK(made_definitive > 200);
    }
}

TEST_CASE("dbf: with repair=strict a deadline that the allocation at submission met is never missed",
          "[dbf][property]") {
    // With one submission per message, the first plan with a job has its allocation at submission.
    std::size_t kept = 0;
    std::size_t lost_with_paper = 0;
    for (const bool one_submission_per_message : {true, false}) {
        for (unsigned seed = 0; seed < 400; ++seed) {
            INFO("stream " << seed);
            const Features features{.one_submission_per_message = one_submission_per_message};
            const Deadlines strict = follow_deadlines(seed, features, Repair::strict);
            REQUIRE(strict.lost.empty());
            kept += strict.kept.size();
            lost_with_paper += follow_deadlines(seed, features, Repair::paper).lost.size();
        }
    }
    CHECK(kept > 10'000);
    CHECK(lost_with_paper > 100);  // otherwise these streams show nothing
}

TEST_CASE("dbf: without deadlines it is conservative, job by job", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        for (unsigned seed = 0; seed < 300; ++seed) {
            INFO("repair=" << name_of(repair) << ", stream " << seed);
            Stream stream(seed, {.deadlines = false});
            Engine dbf("dbf", {{"repair", name_of(repair)}});
            Engine conservative("conservative", {});
            conservative.begin(Time(), Machine(stream.processors()));
            stream.play(dbf, [&](const Message& message, const std::vector<JobIndex>& started) {
                REQUIRE(starts_of(send(conservative, message)) == started);
                for (const JobIndex job : started) {
                    REQUIRE(dbf.state().job(job).allocation == conservative.state().job(job).allocation);
                }
                require_same_plans(plan_of(dbf), plan_of(conservative));
                REQUIRE(tentative_jobs(dbf).empty());
            });
        }
    }
}

TEST_CASE("dbf decides as its plain form does, in every round", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        PlainDbf::Counts counts;
        const auto compare = [&](unsigned streams, int most_jobs, int most_processors) {
            const Features features{.most_jobs = most_jobs, .most_processors = most_processors};
            compare_with_plain_form(streams, features, repair, counts);
        };
        compare(500, 60, 16);
        compare(300, 40, 5);
        compare(4, 400, 64);
        // Without rare events, the comparison shows little.
        CHECK(counts.line_10 > 500);
        CHECK(counts.lines_23_to_34 > 100);
        CHECK(counts.line_24 > 50);
        CHECK(counts.hopeless > 1000);
        CHECK(counts.early_ends_with_tentative_jobs > 1000);
        CHECK(counts.overtaken > 100);
        CHECK(counts.tentative_starts > 1000);
        CHECK(counts.lost_deadlines > 100);
        if (repair == Repair::strict) {
            CHECK(counts.undone_submissions > 10);
            CHECK(counts.undone_completions > 100);
        }
    }
}

TEST_CASE("dbf: no processor is used twice and no job is lost when processors come and go", "[dbf][property]") {
    for (const Repair repair : both_repairs) {
        std::size_t changes = 0;
        for (unsigned seed = 0; seed < 300; ++seed) {
            INFO("repair=" << name_of(repair) << ", stream " << seed);
            Stream stream(seed, {.machine_changes = true});
            Engine engine("dbf", {{"repair", name_of(repair)}});
            stream.play(engine, [&](const Message& message, const std::vector<JobIndex>&) {
                changes += message.machine_changes.size();
                for (const JobIndex job : tentative_jobs(engine)) {
                    REQUIRE(engine.state().job(job).description().deadline.has_value());
                }
            });
        }
        CHECK(changes > 500);
    }
}

TEST_CASE("The plain form of dbf gives the reference schedules", "[dbf][reference][outside]") {
    if (!have_test_data("reference/expected")) {
        return;
    }
    for (const auto& [workload, processors] : reference_workloads()) {
        for (const Repair repair : both_repairs) {
            PlainDbf::Counts counts;
            require_reference_schedule(workload, "dbf.repair=" + name_of(repair), [&](int machine_size) {
                return std::make_unique<PlainDbf>(machine_size, repair, counts);
            });
        }
    }
}

TEST_CASE("dbf: a tentative job gives way to a regular one", "[dbf]") {
    dbf_machine(2).play(R"(
         0: a 2x10, b 2x10 due 100  | start a; b 10 tentative  // b would end at 20, in time
         1: c 2x10                  | b 20 tentative; c 10     // takes b's place; b would end at 30, still in time
        10: ends a                  | start c; b 20 tentative  // as expected, so nothing is compressed
        15: ends c                  | start b
    )");
}

TEST_CASE("dbf: a tentative job that would become late gets its place back and keeps it", "[dbf]") {
    // At 1, lines 1 to 8: r at 10, b at 20, to end at 30 > 25: late. c at 30.
    // Lines 9 to 21: b is placed before r: b at 10, r at 20. c at 30, to end at 35: in time.
    // At 2, b and r are definitive. s at 30; c at 34 ends at 39, in time.
    // At 3, no processor is free before 34. Then t takes one, and c the other.
    dbf_machine(2).play(R"(
        0: a 2x10, b 2x10 due 25, c 1x5 due 40  | start a; b 10 tentative; c 20 tentative
        1: r 2x10                               | b 10; c 30 tentative; r 20
        2: s 2x4                                | b 10; c 34 tentative; r 20; s 30
        3: t 1x7                                | b 10; c 34 tentative; r 20; s 30; t 34
    )");
}

TEST_CASE("dbf: of two jobs that would become late, the one submitted first is moved first", "[dbf]") {
    // r at 10; b at 20 and c at 30 are both late. If b is definitive: b at 10, r at 20, and c at 30 is still late. If
    // both are: b at 10, c at 20, r at 30.
    dbf_machine(1).play(R"(
        0: a 1x10, b 1x10 due 25, c 1x10 due 35  | start a; b 10 tentative; c 20 tentative
        1: r 1x10                                | b 10; c 20; r 30
    )");
}

TEST_CASE("dbf: when moving late jobs makes others late, all that were submitted before those move, too", "[dbf]") {
    for (const Repair repair : both_repairs) {
        SmallMachine machine = dbf_machine(2, repair);
        machine.play(R"(
            0: a 2x10         | start a
            1: b 1x12 due 64  | b 10 tentative
            2: c 2x10 due 46  | b 10 tentative; c 22 tentative
        )");
        CHECK(machine.play("3: d 1x10 due 23, e 1x8 due 41") == all_tentative);
        // When d ends, only 2 seconds are left for e beside b. Then r comes.
        // Lines 1 to 8: r 10-20, b 20-32, c 32-42, d 20-30 late, e 42-50 late.
        // Lines 9 to 21, d moved: d 10-20, r 20-30, b 30-42, c 42-52 late, e 10-18.
        // Once more, c moved: c 10-20, d 20-30 late, r 30-40, b 40-52, e 20-28. No job in L1 is late.
        // Lines 22 to 34: d is late, and b was submitted before d: b 10-22, c 22-32, d 10-20, r 32-42; e 42-50 late. e
        // was submitted after d, so it stays late and tentative. strict: all keep their places, and r comes last.
        CHECK(machine.play("4: r 2x10") ==
              (repair == Repair::paper ? "b 10; c 22; d 10; e 42 tentative; r 32" : all_tentative + "; r 40"));
    }
}

TEST_CASE("dbf: jobs submitted at the same time as the last late one are not moved with it", "[dbf]") {
    // As before, but b, c, d and e are all submitted at 1. So no job in L1 is older than d.
    for (const Repair repair : both_repairs) {
        SmallMachine machine = dbf_machine(2, repair);
        machine.play("0: a 2x10 | start a");
        CHECK(machine.play("1: b 1x12 due 64, c 2x10 due 46, d 1x10 due 23, e 1x8 due 41") == all_tentative);
        CHECK(machine.play("2: r 2x10") == (repair == Repair::paper ? "b 40 tentative; c 10; d 20; e 20 tentative; r 30"
                                                                    : all_tentative + "; r 40"));
    }
}

TEST_CASE("dbf: a job whose deadline cannot be met from the start is a regular one", "[dbf]") {
    // At 1: with r behind `late` at 20, `just` at 25 would end at 35. So `just` goes before r.
    dbf_machine(1).play(R"(
        0: a 1x10, late 1x10 due 19, just 1x10 due 30  | start a; late 10; just 20 tentative  // would end at 30: in time
        1: r 1x5                                       | late 10; just 20; r 30
        4: ends a                                      | start late; just 14; r 24
    )");
}

TEST_CASE("dbf: an early end lets definitive jobs move into the places of tentative ones, which get new places",
          "[dbf]") {
    dbf_machine(2).play(R"(
         0: a 1x20, x 1x10         | start a x
         1: e 1x10 due 60, b 2x10  | e 10 tentative; b 20
         5: ends a                 | e 20 tentative; b 10  // without e, b gets both; then e finds no place before 20
        10: ends x                 | start b; e 20 tentative
    )");
}

TEST_CASE("dbf: with repair=strict an early end may not cost a job its deadline", "[dbf]") {
    // As before, but e must end by 29. With b at 10, e ends at 30 at best. So e becomes definitive (lines 9 to 21), is
    // placed again before no other job (lines 23 to 34), and stays late.
    for (const Repair repair : both_repairs) {
        SmallMachine machine = dbf_machine(2, repair);
        machine.play("0: a 1x20, x 1x10, e 1x10 due 29, b 2x10 | start a x; e 10 tentative; b 20");
        // strict compresses all by planned start: e at once, then b when e has ended.
        CHECK(machine.play("5: ends a") == (repair == Repair::paper ? "e 20; b 10" : "start e; b 15"));
    }
}

TEST_CASE("dbf: a tentative job that is due is overtaken by a regular one of the same message", "[dbf]") {
    SECTION("it has just been submitted") {
        dbf_machine(2).play("0: b 2x10 due 100, r 2x10 | start r; b 10 tentative");
    }
    SECTION("it starts at once if it comes alone") {
        dbf_machine(2).play(R"(
            0: b 2x10 due 100  | start b
            0: r 2x10          | r 10
        )");
    }
    SECTION("its planned start has come") {
        dbf_machine(2).play(R"(
             0: a 2x10, b 2x10 due 100  | start a; b 10 tentative
            10: ends a, r 2x10          | start r; b 20 tentative
        )");
    }
    SECTION("a first regular job beside which it fits lets it start before a second one can push it away") {
        dbf_machine(2).play("0: b 1x10 due 100, r 1x5, s 2x5 | start b r; s 10");
    }
    SECTION("without the first, the second does") {
        dbf_machine(2).play("0: b 1x10 due 100, s 2x5, r 1x5 | start s; b 5 tentative; r 5");
    }
}

TEST_CASE("dbf: while the end of a job is overdue, all starts are in the order of the plan", "[dbf]") {
    // All 3 processors are in use: x ends at 10; y, on 2, ends at 11. At 10, x also ends, but a later message says so.
    // By Algorithm 1, b and c could start at 10, and e at 14 would be late. Together: b 10, e 10, c 14. b comes first
    // on the 2 processors that are idle so far.
    dbf_machine(3, Repair::strict).play(R"(
         0: x 1x10, y 2x11                        | start x y
         1: b 2x4, e 1x20 due 30, c 1x10 due 12   | b 11; e 10 tentative; c 15
        10: ends y                                | start b; e 10 tentative; c 14
        10: ends x                                | start e; c 14
    )");
}

}  // namespace batfill::tests::dbf_test
