#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>

#include "schedulers/farm/farm_heuristics.hpp"
#include "tests/support/small_machine.hpp"

namespace batfill::tests::farm_by_hand_test {

// Scheduling on a farm of machines with licences: each heuristic by itself, and small schedules by hand.

namespace {

// Each host as "machine speed licences", with the copies that its zone has.
Machine farm_of(const std::vector<std::pair<std::string, int>>& hosts, const std::string& licenses = "",
                const std::string& copies = "") {
    std::vector<Host> all;
    for (const auto& [machine, speed] : hosts) {
        Host host{"node", speed * 1e9, {{"machine", machine}}, {}};
        if (!licenses.empty()) {
            host.properties["licenses"] = licenses;
            host.zone_properties["licenses"] = copies;
        }
        all.push_back(host);
    }
    return Machine(all);
}

const std::vector<std::pair<std::string, Parameters::Given>> backfilling_algorithms{
    {"easy", {{"placement", "machine"}}}, {"bf-unmod", {}}, {"bf-mod", {}}};

}  // namespace

TEST_CASE("Aging scores a factor for each second since submission", "[farm]") {
    CHECK(farm::Aging{0.25}.score(0) == 0);
    CHECK(farm::Aging{0.25}.score(100) == 25);
    CHECK(farm::Aging{0}.score(1e9) == 0);
}

TEST_CASE("The score of a deadline grows from the threshold to the deadline, and is 0 behind it", "[farm]") {
    // A job of 100 s is urgent within 200 s of its deadline, measured from its end.
    const farm::Deadline deadline{2, 1, 10};
    CHECK(deadline.score(-1000, 100) == 1);
    CHECK(deadline.score(-200.000001, 100) == 1);
    CHECK(deadline.score(-200, 100) == 1);  // te == ts
    CHECK(deadline.score(-199, 100) == Approx(1.045));
    CHECK(deadline.score(-100, 100) == Approx(5.5));
    CHECK(deadline.score(0, 100) == Approx(10));  // te == d
    CHECK(deadline.score(0.000001, 100) == 0);
    CHECK(deadline.score(1000, 100) == 0);
    CHECK(deadline.score(-std::numeric_limits<double>::infinity(), 100) == 1);  // no deadline
    // If min equals max, all jobs that are not late have the same score.
    const farm::Deadline flat{1.5, 3, 3};
    CHECK(flat.score(-1, 100) == 3);
    CHECK(flat.score(0, 100) == 3);
    CHECK(flat.score(1, 100) == 0);
}

TEST_CASE("Waits are kept short: the shorter a job, the larger its score", "[farm]") {
    const farm::WaitMinimization wait_minimization{2};
    CHECK(wait_minimization.score(50, 50) == 2);
    CHECK(wait_minimization.score(100, 50) == 1);
    CHECK(wait_minimization.score(200, 50) == 0.5);
}

TEST_CASE("Licences score by how scarce they are among the waiting jobs", "[farm]") {
    const std::vector<Machine::License> copies{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 1}};
    farm::Licenses licenses;
    const auto scores = [&](const std::vector<std::vector<LicenseIndex>>& waiting) {
        for (const std::vector<LicenseIndex>& of_job : waiting) {
            licenses.add(of_job, 1);
        }
        licenses.weigh(copies);
        std::vector<double> of_each;
        for (const std::vector<LicenseIndex>& of_job : waiting) {
            of_each.push_back(licenses.score(of_job));
            licenses.add(of_job, -1);  // only changes later scores
        }
        return of_each;
    };
    const LicenseIndex a = 0;
    const LicenseIndex b = 1;
    const LicenseIndex c = 2;
    const LicenseIndex d = 3;
    // 2 copies of a are requested, so it is critical: it counts the requests for non-critical licences, at least one. b
    // has as many requests as copies, so it is not critical.
    CHECK(scores({{a, b}, {a, c}, {b}, {}}) == std::vector<double>{1 + 2 * 2, 1 / 3.0 + 2 * 2, 1, 0});
    CHECK(scores({{a}, {a}}) == std::vector<double>{2, 2});
    CHECK(scores({{a}, {a}, {d}}) == std::vector<double>{2, 2, 1});
    CHECK(scores({{b}, {b}, {b}, {a, d}}) == std::vector<double>{3, 3, 3, 2});  // 2 * 3/2; 1 + 1
    CHECK(scores({{c}}) == std::vector<double>{1 / 3.0});
}

TEST_CASE("The priority of a job is the sum of its scores", "[farm]") {
    const Host host{"node", 1e9, {{"licenses", "a"}}, {{"licenses", "a:1"}}};
    SchedulerState state;
    state.machine = Machine(std::vector<Host>{host});
    farm::Priority priority(Parameters("bf-mod", farm::Priority::parameters(), {}));
    const auto wait = [&](int submit, int walltime, std::optional<int> deadline, std::vector<LicenseIndex> licenses) {
        const auto index = static_cast<JobIndex>(state.jobs.size());
        Job& job = state.jobs.emplace_back();
        JobDescription description;
        description.submit = Time::seconds(submit);
        if (deadline) {
            description.deadline = Time::seconds(*deadline);
        }
        job.shared_description = std::move(description);
        job.walltime = Duration::seconds(walltime);
        job.request = {1, Placement::machine, Request::Details{std::move(licenses)}};
        state.waiting.insert(index, state.jobs);
        priority.submitted(job, index);
    };
    wait(600, 200, 1199, {});
    wait(900, 100, std::nullopt, {});
    wait(1000, 50, 1100, {0});
    state.now = Time::seconds(1000);
    priority.prepare(state);
    CHECK(priority.of(0) == Approx(4 + 0 + 0 + 0.25));
    CHECK(priority.of(1) == Approx(1 + 1 + 0 + 0.5));
    CHECK(priority.of(2) == Approx(0 + 5.5 + 1 + 1));
    // Without the shortest job, and with another job that requests the licence.
    state.waiting.remove(2, state.jobs);
    priority.left(2);
    state.now = Time::seconds(1010);
    wait(1010, 400, std::nullopt, {0});
    priority.prepare(state);
    CHECK(priority.of(0) == Approx(4.1 + 0 + 0 + 0.5));
    CHECK(priority.of(1) == Approx(1.1 + 1 + 0 + 1));
    CHECK(priority.of(3) == Approx(0 + 1 + 1 + 0.25));
}

TEST_CASE("bf-unmod keeps the reservation of its head, bf-mod gives it to the job with the highest priority",
          "[farm]") {
    const auto starts_at_100 = [](const std::string& algorithm, int deadline) {
        return SmallMachine(farm_of({{"m", 1}, {"m", 1}}), algorithm).play(R"(
              0: running 2x100  | start running
              1: first 2x50     |
              2: second 2x50 due )" + std::to_string(deadline) + R"( |
            100: ends running
        )");
    };
    // Scores at 100: the first has 0.99 + 1 + 1; the second has 0.98 + 1 + its deadline score.
    CHECK(starts_at_100("bf-mod", 150) == "start second");  // 10: it would end exactly at its deadline
    CHECK(starts_at_100("bf-mod", 149) == "start first");   // 0: it is late
    CHECK(starts_at_100("bf-mod", 249) == "start second");  // slightly above 1
    CHECK(starts_at_100("bf-mod", 250) == "start first");   // 1
    for (const int deadline : {149, 150, 249, 250}) {
        CHECK(starts_at_100("bf-unmod", deadline) == "start first");
    }
}

TEST_CASE("The job with the highest priority becomes the head of bf-unmod, and stays that when others overtake it",
          "[farm]") {
    // Of all jobs that found the queue empty, "shortest" has the highest priority at 1, but not at 100. There, "second"
    // has it. At 110, "second" is late.
    SmallMachine(farm_of({{"m", 1}, {"m", 1}}), "bf-unmod").play(R"(
          0: running 2x100                                   | start running
          1: first 2x50, second 2x50 due 151, shortest 2x20  |
        100: ends running                                    | start shortest
        110: ends shortest                                   | start second
        160: ends second                                     | start first
    )");
}

TEST_CASE("A job that would delay the head on one machine is tried on the next", "[farm]") {
    for (const auto& [algorithm, given] : backfilling_algorithms) {
        INFO(algorithm);
        const Machine farm = farm_of({{"slow", 1}, {"fast", 2}, {"slow", 1}, {"fast", 2}});
        SmallMachine(farm, algorithm, given, Shown::decisions).play(R"(
             0: filler 1x5, a 1x10, b 1x100  | start filler 1; start a 3; start b 0
             1: head 2x5                     |
             5: ends filler, long 1x100      | start long 2  // the head has the whole fast machine from 10
             6: short 1x4                    | start short 1
            10: ends a, ends short           | start head 1 3
        )");
    }
    const Parameters::Given by_machine{{"placement", "machine"}};
    SmallMachine(farm_of({{"slow", 1}, {"fast", 2}}), "fcfs", by_machine, Shown::decisions)
        .play("0: a 1x10, b 1x10, head 1x10 | start a 1; start b 0");
}

TEST_CASE("A job leaves the head the copies of its licences", "[farm]") {
    for (const auto& [algorithm, given] : backfilling_algorithms) {
        const auto starts = [&, &name = algorithm, &parameters = given](const std::string& copies,
                                                                        const std::string& job) {
            INFO(name << ", " << copies << ", " << job);
            const Machine farm = farm_of({{"fast", 2}, {"fast", 2}, {"slow", 1}}, "l,other", copies);
            SmallMachine machine(farm, name, parameters, Shown::decisions);
            machine.play(R"(
                0: running 2x10                |  start running 0-1
                1: head 2x5 with l with other  |
            )");
            return machine.play("2: " + job) == "start job 2";
        };
        CHECK(starts("l:1,other:2", "job 1x8 with l"));
        CHECK_FALSE(starts("l:1,other:2", "job 1x9 with l"));
        CHECK_FALSE(starts("l:1,other:2", "job 1x9 with other with l"));
        CHECK(starts("l:2,other:2", "job 1x9 with l"));
        CHECK(starts("l:1,other:2", "job 1x9 with other"));
        CHECK(starts("l:1,other:2", "job 1x9"));
    }
}

TEST_CASE("A head that waits for a licence alone lets no job take the processors that it will have", "[farm]") {
    for (const auto& [algorithm, given] : backfilling_algorithms) {
        INFO(algorithm);
        const Machine farm = farm_of({{"fast", 2}, {"fast", 2}, {"slow", 1}}, "l", "l:1");
        SmallMachine machine(farm, algorithm, given, Shown::decisions);
        machine.play(R"(
            0: running 1x10 with l with l  | start running 0
            1: head 2x5 with l             |
        )");
        // easy tries "long" first, which was submitted first. The others try "short" first, which has a higher
        // priority.
        CHECK(machine.play("2: long 1x9, short 1x8") ==
              (algorithm == "easy" ? "start long 2; start short 1" : "start short 1; start long 2"));
    }
}

TEST_CASE("Parameters of the farm that mean nothing are refused", "[farm]") {
    for (const std::string algorithm : {"bf-unmod", "bf-mod"}) {
        const auto make = [&](const Parameters::Given& given) { Engine(algorithm, given); };
        CHECK_THROWS_WITH(make({{"k", "1"}}), "parameter k must be more than 1");
        CHECK_NOTHROW(make({{"k", "1.01"}}));
        CHECK_THROWS_WITH(make({{"max", "0.5"}}), "parameter max must not be less than parameter min");
        CHECK_NOTHROW(make({{"max", "1"}}));
        CHECK_THROWS_AS(make({{"age-factor", "-0.1"}}), UsageError);
        CHECK_THROWS_AS(make({{"boost", "-1"}}), UsageError);
        CHECK_THROWS_AS(make({{"placement", "lowest"}}), UsageError);
    }
}

}  // namespace batfill::tests::farm_by_hand_test
