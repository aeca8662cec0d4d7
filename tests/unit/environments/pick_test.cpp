#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

#include "simulator_fixture.hpp"
#include "src/environments/coroutine.hpp"
#include "src/environments/pick.hpp"

namespace batfill::tests::environments_test {

using namespace environments;

namespace {

Replay replay_of(std::uint64_t seed, int jobs = 300) {
    LublinModel model;
    model.jobs = jobs;
    model.processors = 32;
    model.seed = seed;
    model.load = 1.1;
    return Replay(machine(32), generate_lublin(model));
}

std::vector<std::pair<std::string, Time>> starts(const Outcome& outcome) {
    std::vector<std::pair<std::string, Time>> result;
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        result.emplace_back(job.job->description.id, job.start);
    }
    return result;
}

// The waiting job that is first by the smallest area; ties by submission.
std::size_t smallest_area(const PickEnvironment& environment) {
    const SchedulerState& state = environment.state();
    std::size_t best = 0;
    const auto area = [&](std::size_t place) {
        return state.waiting.walltime(place).count() * state.waiting.processors(place);
    };
    for (std::size_t place = 1; place < environment.choices(); ++place) {
        best = area(place) < area(best) ? place : best;
    }
    return best;
}

}  // namespace

TEST_CASE("A coroutine stops and goes on, passes on exceptions, and is unwound when it is abandoned") {
    int steps = 0;
    bool unwound = false;
    struct OnEnd {
        bool& flag;
        ~OnEnd() { flag = true; }
    };
    {
        Coroutine counts([&](Coroutine& self) {
            const OnEnd on_end{unwound};
            for (;;) {
                ++steps;
                self.suspend();
            }
        });
        CHECK(counts.resume());
        CHECK(counts.resume());
        CHECK_FALSE(unwound);
    }
    CHECK(steps == 2);
    CHECK(unwound);
    Coroutine fails([](Coroutine& self) {
        self.suspend();
        throw InputError("no");
    });
    CHECK(fails.resume());
    CHECK_THROWS_AS(fails.resume(), InputError);
    Coroutine ends([](Coroutine&) {});
    CHECK_FALSE(ends.resume());
    const Coroutine never([](Coroutine&) { FAIL("nobody has resumed it"); });
}

TEST_CASE("A heuristic played through the environment gives the schedule of simulate") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Replay replay = replay_of(seed);
        PickOptions options;
        options.queue = 1000;
        const auto played = [&](auto pick) {
            PickEnvironment environment(replay, options);
            environment.reset();
            double reward = 0;
            while (!environment.is_done()) {
                reward += environment.step(pick(environment));
            }
            const Outcome& outcome = environment.outcome();
            MetricsOptions metrics;
            CHECK(-reward ==
                  Approx(*compute_metrics(outcome.schedule(), metrics)["mean_bounded_slowdown"]).epsilon(1e-9));
            return starts(outcome);
        };
        const auto first = [](const PickEnvironment&) { return std::size_t{0}; };
        CHECK(played(first) == starts(replay.run({"easy", {}})));
        CHECK(played(smallest_area) == starts(replay.run({"easy", {{"order", "saf"}}})));
        options.backfilling = Backfilling::none;
        CHECK(played(first) == starts(replay.run({"fcfs", {}})));
        options.reward_at_end = true;
        CHECK(played(first) == starts(replay.run({"fcfs", {}})));
    }
}

TEST_CASE("Observations are in 0 to 1, tell which jobs fit, and actions are the jobs that are there") {
    const Replay replay = replay_of(7);
    PickOptions options;
    options.queue = 8;
    PickEnvironment environment(replay, options);
    CHECK(environment.is_done());
    environment.reset();
    std::vector<float> jobs(options.queue * features_of_job);
    std::vector<float> machine_features(features_of_machine);
    std::mt19937 random(1);
    std::size_t steps = 0;
    for (; !environment.is_done(); ++steps) {
        environment.observe(jobs, machine_features);
        const auto is_share = [](float value) { return value >= 0 && value <= 1; };
        REQUIRE(std::all_of(jobs.begin(), jobs.end(), is_share));
        REQUIRE(std::all_of(machine_features.begin(), machine_features.end(), is_share));
        for (std::size_t place = 0; place < options.queue; ++place) {
            const float* const job = jobs.data() + place * features_of_job;
            REQUIRE(job[4] == (place < environment.choices() ? 1.0F : 0.0F));
            REQUIRE(job[3] ==
                    (job[4] == 1.0F && environment.state().waiting.processors(place) <= environment.state().idle.count()
                         ? 1.0F
                         : 0.0F));
        }
        environment.step(random() % environment.choices());
    }
    CHECK(steps >= 300);
    environment.observe(jobs, machine_features);
    CHECK(std::all_of(jobs.begin(), jobs.end(), [](float value) { return value == 0; }));
    // An episode can be left in the middle, and another begun.
    environment.reset();
    environment.step(0);
    environment.reset();
    CHECK_FALSE(environment.is_done());
}

}  // namespace batfill::tests::environments_test
