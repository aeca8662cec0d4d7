#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "src/engine/arrays.hpp"
#include "tests/support/random.hpp"
#include "tests/support/small_machine.hpp"

// Jobs that wait for others, by hand.

namespace batfill::tests::dependencies_test {

TEST_CASE("A job waits until another has completed, and a chain ends where one fails", "[dependencies]") {
    failing_machine(2, "fcfs").play(R"(
        0: a 2x100, b 2x10 after ok:a, c 1x10 after ok:b, d 1x10 after any:b, e 1x10 after start:b | start a 0-1
        50: dies a                              | reject b; reject c; reject e; start d 0
    )");
    failing_machine(2, "fcfs").play(R"(
        0: a 2x100, b 2x10 after ok:a, c 1x10 after ok:b | start a 0-1
        50: ends a                              | start b 0-1
        55: ends b                              | start c 0
    )");
}

TEST_CASE("A job that is never submitted to the machine makes those that need it hopeless", "[dependencies]") {
    failing_machine(2, "fcfs").play(R"(
        0: a 3x100, b 1x10 after ok:a, c 1x10 after any:a, d 1x10 after start:a | reject a; reject b; reject d; start c 0
    )");
    // The daemon cannot know that no job x follows, before it hears that all were submitted.
    failing_machine(2, "fcfs").play(R"(
        0: a 1x10, b 1x10 after ok:x, c 1x10 after any:b | start a 0
        10: ends a                              |
        11: no more jobs                        | reject b; reject c
    )");
    failing_machine(2, "fcfs").play(R"(
        0: b 1x10 after ok:x, x 1x10 since 0    | start x 0
        10: ends x, no more jobs                | start b 0
    )");
}

TEST_CASE("A delay begins where its condition holds", "[dependencies]") {
    SmallMachine(2, "fcfs").play(R"(
        0: a 1x10, b 1x10 after any:a+5, c 1x10 after start:a+3 | start a
        3:                                      | start c
        10: ends a                              |
        13: ends c                              |
        15:                                     | start b
        16: d 1x1 after any:a+1                 | start d      // held before it was submitted
    )");
    const SmallMachine machine(1, "fcfs");
    CHECK(machine.engine().eligible_since(JobNumber{0}) == std::nullopt);
}

TEST_CASE("A job that becomes eligible is as if submitted then", "[dependencies]") {
    SmallMachine machine(2, "fcfs");
    machine.play(R"(
        0: a 2x100, b 2x10 after any:a          | start a
        5: c 2x10                               |
        100: ends a                             | start c
        110: ends c                             | start b
    )");
    CHECK(machine.engine().eligible_since(machine.number_of("b")) == Time::seconds(100));
    CHECK(machine.engine().eligible_since(machine.number_of("c")) == std::nullopt);
    // Of one instant: those that are submitted now, in their turn, then those that become eligible by submission, then
    // killed jobs that are submitted again.
    SmallMachine(3, "fcfs", requeue).play(R"(
        0: a 2x100, b 2x10 after any:a, k 1x90  | start a k
        5: c 2x10 after any:a                   |
        50: lost 2                              |
        60: dies k, ends a, d 2x7 after any:a, e 2x7 | start d
        67: ends d                              | start e
        74: ends e                              | start b
        84: ends b                              | start c
        94: ends c                              | start k#1
    )");
}

TEST_CASE("No job is eligible before its begin, and a failed condition does not wait for that", "[dependencies]") {
    failing_machine(3, "fcfs").play(R"(
        0: a 1x100, b 1x10 begin 20, c 1x10 begin 50 after ok:a, d 1x10 begin 0 | start a 0; start d 1
        10: ends d                              |
        15: dies a                              | reject c
        20: e 2x10                              | start e 0-1; start b 2
        25: f 1x10 begin 25 since 24            |
        30: ends e, ends b                      | start f 0
    )");
}

TEST_CASE("A task waits until fewer tasks of its array before it are not over than its limit", "[dependencies]") {
    SmallMachine(9, "fcfs").play(R"(
        0: a 1x10 array x limit 2, b 1x10 array x limit 2, c 1x10 array x limit 2, d 1x10 array x limit 2 | start a b
        1: e 1x10 array y limit 1, f 1x10 array x, g 1x10 limit 1, h 1x10 array x limit 3 | start e f g
        4: ends b                               | start c      // h: a, c, d and f are before it
        5: ends f                               |              // a and c are before d; a, c and d before h
        6: ends a                               | start d h
    )");
    // In the order of submission, then of arrival: what became eligible stays so.
    SmallMachine(1, "fcfs").play(R"(
        0: a 1x10 array x limit 1, b 1x10 array x limit 1, c 1x10, d 1x10 array x limit 1 | start a
        10: ends a                              | start c
        20: ends c                              | start b
        30: ends b                              | start d
    )");
}

TEST_CASE("A rejected task is over, and one that is killed and submitted again is not", "[dependencies]") {
    failing_machine(2, "fcfs").play(R"(
        0: a 3x10 array x limit 1, b 1x100 array x limit 1, c 1x10 array x limit 1 after ok:b | reject a; start b 0
        5: d 1x10 array x limit 1               |
        10: dies b                              | reject c; start d 0
    )");
    failing_machine(2, "fcfs", requeue).play(R"(
        0: a 1x100 array x limit 1, b 1x10 array x limit 1 | start a 0
        20: lost 0                              | kill a
        20: dies a                              | register a#1; start a#1 1
        30: back 0                              |
        60: ends a#1                            | start b 0
    )");
}

TEST_CASE("Tasks that wait for each other through an array never start", "[dependencies]") {
    failing_machine(2, "fcfs").play(R"(
        0: a 1x10 array x after any:b, b 1x10 array x limit 1, c 1x10 | start c 0
        10: ends c, no more jobs                |
        20:                                     |
    )");
    failing_machine(2, "fcfs").play(R"(
        0: a 1x10 array x after any:z, b 1x10 array x limit 1, c 1x10 array x limit 1 | 
        10: no more jobs                        | reject a; reject b; reject c
    )");
}

TEST_CASE("Arrays of a workload are its own", "[dependencies]") {
    SmallMachine(3, "fcfs").play(R"(
        0: w0!a 1x10 array x limit 1, w1!a 1x10 array x limit 1, w0!b 1x10 array x limit 1 | start w0!a w1!a
        5: ends w1!a                            |
        6: ends w0!a                            | start w0!b
    )");
}

TEST_CASE("In random arrays, each task is eligible when the definition says", "[dependencies][property]") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        Random random(seed);
        Arrays arrays;
        struct Task {
            Amount limit = 0;
            bool is_over = false;
            bool has_turn = false;
        };
        std::vector<Task> tasks;
        const auto before = [&](std::size_t task) {
            return std::count_if(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(task),
                                 [](const Task& one) { return !one.is_over; });
        };
        for (int step = 0; step < 60; ++step) {
            if (tasks.empty() || random.one_in(2)) {
                const Amount limit = random.between(0, 4);  // 0: none
                tasks.push_back({limit, false, limit == 0 || before(tasks.size()) < limit});
                const auto number = static_cast<std::uint32_t>(tasks.size() - 1);
                const bool has_turn =
                    arrays.add(JobNumber{number}, "x", limit == 0 ? std::nullopt : std::optional(limit));
                REQUIRE(has_turn == tasks.back().has_turn);
                continue;
            }
            const auto ended = static_cast<std::size_t>(random.between(0, static_cast<int>(tasks.size()) - 1));
            std::set<std::uint32_t> expected;
            tasks[ended].is_over = true;
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                if (!tasks[i].is_over && !tasks[i].has_turn && before(i) < tasks[i].limit) {
                    tasks[i].has_turn = true;
                    expected.insert(static_cast<std::uint32_t>(i));
                }
            }
            std::set<std::uint32_t> found;
            for (const JobNumber task : arrays.ended(JobNumber{static_cast<std::uint32_t>(ended)})) {
                found.insert(static_cast<std::uint32_t>(task));
            }
            REQUIRE(found == expected);
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                const JobNumber task{static_cast<std::uint32_t>(i)};
                REQUIRE((tasks[i].is_over || arrays.has_turn(task) == tasks[i].has_turn));
                REQUIRE((tasks[i].is_over || arrays.open_before(task) == static_cast<std::size_t>(before(i))));
            }
        }
    }
}

TEST_CASE("What starts in a round makes others eligible in the same round", "[dependencies]") {
    SmallMachine(3, "easy").play(R"(
        0: a 1x10, b 1x10 after start:a, c 1x10 after start:b, d 1x10 after start:c | start a b c
        4: ends c                               | start d
    )");
    SmallMachine(3, "conservative").play(R"(
        0: a 1x10, b 3x10, c 1x10 after start:a, d 1x20 after start:a | start a c; b 10; d 20
        10: ends a, ends c                      | start b; d 20
    )");
}

TEST_CASE("A killed job that is submitted again is the same job to those that wait for it", "[dependencies]") {
    failing_machine(4, "fcfs", requeue).play(R"(
        0: a 2x100, b 1x10 after any:a, c 1x10 after ok:a, d 1x10 after start:a+30 | start a 0-1
        20: lost 0                              | kill a
        20: dies a                              | register a#1; start a#1 1-2
        30:                                     | start d 3
        40: ends d                              |
        60: ends a#1                            | start b 1; start c 2
    )");
    failing_machine(2, "fcfs", kill_them).play(R"(
        0: a 2x100, b 1x10 after any:a, c 1x10 after ok:a | start a 0-1
        20: lost 0                              | kill a
        20: dies a                              | reject c; start b 1
    )");
}

TEST_CASE("Parameters of easy that replay other simulators do not go with jobs that wait for others",
          "[dependencies]") {
    const auto [name, value, others] = GENERATE(table<std::string, std::string, Parameters::Given>({
        {"rounds", "event", {}},
        {"extra", "none", {}},
        {"head", "kept", {{"extra", "none"}}},
    }));
    Parameters::Given given = others;
    given.emplace_back(name, value);
    SmallMachine machine(2, "easy", given);
    machine.play("0: a 1x10 | start a");
    CHECK_THROWS_WITH(machine.play("1: b 1x10 after ok:a"),
                      "parameter " + name + "=" + value +
                          ": not for jobs that wait for others (the fields after, begin and array_limit)");
}

TEST_CASE("A job that is held is submitted only once", "[dependencies]") {
    Engine engine("fcfs", {});
    engine.follow_dependencies([](const std::string&) { return std::nullopt; });
    engine.begin(Time(), Machine(2));
    JobDescription job;
    job.id = "w0!2";
    job.processors = 1;
    job.walltime = Duration::seconds(10);
    StatedNeeds needs;
    needs.after = {{Dependency::Kind::any, "1", {}}};
    job.needs = needs;
    engine.take_in({Time(), JobSubmitted{JobNumber{0}, job}});
    CHECK_THROWS_WITH(engine.take_in({Time(), JobSubmitted{JobNumber{0}, job}}), "job \"w0!2\" is submitted twice");
}

}  // namespace batfill::tests::dependencies_test
