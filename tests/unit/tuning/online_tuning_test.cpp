#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/planning/weight_tuner.hpp"
#include "tests/support/random_stream.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::online_tuning_test {

// Weights that are tuned while the scheduler runs.

namespace {

// A tuner for easy that begins with the longest job first.
std::unique_ptr<WeightTuner> tuner(const Parameters::Given& more) {
    Parameters::Given given{{"order", "mixed"}};
    given.insert(given.end(), more.begin(), more.end());
    given.emplace_back("weights", "0,1,0,0,0,0");
    return WeightTuner::from("easy", Parameters("easy", find_algorithm("easy").parameters, given));
}

// A machine with one processor and a history of jobs.
struct Past {
    SchedulerState state;
    std::vector<Completion> completions;

    explicit Past(long long now) {
        state.processors = 1;
        state.now = Time::seconds(now);
    }
    // A job that has just ended.
    void ran(long long submit, long long run) {
        Job& job = state.jobs.emplace_back();
        JobDescription description;
        description.submit = Time::seconds(submit);
        description.processors = 1;
        job.shared_description = std::move(description);
        job.request.processors = 1;
        job.walltime = Duration::seconds(run);
        job.start = state.now - job.walltime;
        completions.push_back({static_cast<JobIndex>(state.jobs.size() - 1), state.now, 1});
    }
};

// Jobs of different lengths that wait together.
Past long_and_short_jobs(long long now) {
    Past past(now);
    for (const int run : {500, 20, 3000, 100, 40, 800, 10, 60}) {
        past.ran(now - 10'000, run);
    }
    return past;
}

// Three weeks of jobs, at times more than four processors can run.
Workload busy_weeks(unsigned seed) {
    Random random(seed);
    std::string jobs;
    int submit = 0;
    for (int i = 0; i < 300; ++i) {
        submit += random.below(2000);
        const int run = random.one_in(4) ? random.between(1000, 20'000) : random.between(10, 1000);
        const int walltime = run * random.between(1, 3);
        jobs += (jobs.empty() ? "" : ",") + job(std::to_string(1000 + i), std::to_string(submit), random.between(1, 4),
                                                std::to_string(walltime), std::to_string(run));
    }
    return workload_of(jobs);
}

struct Tuned {
    std::vector<Time> starts;
    std::map<std::string, std::uint64_t> statistics;
};

Tuned replayed(const Parameters::Given& given) {
    const Outcome outcome = run(scenario_of(machine(4), {busy_weeks(5)}), {"easy", given});
    Tuned tuned;
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        tuned.starts.push_back(job.start);
    }
    for (const Statistic& statistic : outcome.statistics()) {
        tuned.statistics[statistic.name] = statistic.value;
    }
    return tuned;
}

Parameters::Given with(Parameters::Given given, const Parameters::Given& more) {
    given.insert(given.end(), more.begin(), more.end());
    return given;
}

}  // namespace

TEST_CASE("Weights are tuned once in each period, to what would have been best for the jobs that ended", "[tuning]") {
    const auto tuned = tuner({{"period", "50000"}, {"evaluations", "60"}});
    Past past = long_and_short_jobs(49'999);
    tuned->ended(past.state, past.completions);
    CHECK_FALSE(tuned->tune(past.state));
    past.state.now = Time::seconds(50'000);
    const std::optional<MixedWeights> weights = tuned->tune(past.state);
    REQUIRE(weights.has_value());
    // All jobs were submitted together and request one processor. They differ only in their walltimes, and short jobs
    // suffer most from waiting.
    CHECK((*weights)[1] < 0);
    CHECK_FALSE(tuned->tune(past.state));
    past.state.now = Time::seconds(99'999);
    CHECK_FALSE(tuned->tune(past.state));
    CHECK(tuned->statistics()[0].value == 1);
    past.state.now = Time::seconds(100'000);  // weights that are already the best stay
    CHECK_FALSE(tuned->tune(past.state));
    CHECK(tuned->statistics()[0].value == 2);
    CHECK(tuned->statistics()[1].value == 1);
}

TEST_CASE("Weights are tuned for scaled features, and the scales stay", "[tuning]") {
    const auto tuned = tuner({{"period", "50000"}, {"evaluations", "60"}, {"scales", "1,-1,1,1,1,1"}});
    Past past = long_and_short_jobs(50'000);
    tuned->ended(past.state, past.completions);
    // At first the shortest job goes first, which is already the best.
    CHECK_FALSE(tuned->tune(past.state));
    CHECK(tuned->statistics()[0].value == 1);

    // Jobs of different lengths that wait for one processor, today and tomorrow. Today the longest goes first.
    std::string jobs;
    for (const int day : {0, 1}) {
        for (const int run : {50, 500, 20, 3000, 100, 40, 800, 10, 60}) {
            jobs += (jobs.empty() ? "" : ",") + job("d" + std::to_string(day) + "-" + std::to_string(run),
                                                    std::to_string(day * 86'400), 1, std::to_string(run),
                                                    std::to_string(run));
        }
    }
    const Outcome outcome = run(scenario_of(machine(1), {workload_of(jobs)}), {"easy",
                                                                               {{"order", "mixed"},
                                                                                {"weights", "0,-1,0,0,0,0"},
                                                                                {"scales", "1,-1,1,1,1,1"},
                                                                                {"period", "86400"},
                                                                                {"evaluations", "60"}}});
    const auto start = [&](const std::string& id) {
        const auto& simulated = outcome.simulation().jobs();
        return std::find_if(simulated.begin(), simulated.end(),
                            [&](const SimulatedJob& one) { return one.job->description.id == "w0!" + id; })
            ->start;
    };
    CHECK(start("d0-3000") < start("d0-20"));
    CHECK(start("d1-20") < start("d1-3000"));
}

TEST_CASE("Jobs that were submitted before the history do not count for the tuning of weights", "[tuning]") {
    const auto searches = [&](const std::string& history) {
        const auto tuned = tuner({{"period", "50000"}, {"evaluations", "8"}, {"history", history}});
        Past past = long_and_short_jobs(60'000);  // submitted at 50,000
        tuned->ended(past.state, past.completions);
        tuned->tune(past.state);
        return tuned->statistics()[0].value;
    };
    CHECK(searches("10000") == 1);
    CHECK(searches("9999") == 0);
}

TEST_CASE("easy with tuned weights depends on the jobs and the seed alone, and begins with the given weights",
          "[tuning]") {
    const Parameters::Given fixed{
        {"order", "mixed"}, {"weights", "0,1,0,0,0,0"}, {"backfill-order", "mixed"}, {"threshold", "100000"}};
    const Parameters::Given tuned = with(fixed, {{"period", "86400"}, {"evaluations", "30"}});
    const Tuned once = replayed(tuned);
    CHECK(once.starts == replayed(tuned).starts);
    CHECK(once.statistics.at("tunings") >= 2);
    CHECK(once.statistics.at("improvements") >= 1);
    CHECK(once.starts != replayed(with(tuned, {{"seed", "2"}})).starts);
    const Tuned never = replayed(fixed);
    CHECK(never.statistics.empty());
    REQUIRE(never.starts.size() == once.starts.size());
    CHECK(never.starts != once.starts);
    for (std::size_t i = 0; i < never.starts.size(); ++i) {
        if (std::min(never.starts[i], once.starts[i]) < Time::at(Duration::days(1))) {
            CHECK(never.starts[i] == once.starts[i]);
        }
    }
}

TEST_CASE("Parameters of tuning that nothing uses, or that make no sense, are refused", "[tuning]") {
    const auto make = [](const Parameters::Given& given) {
        Engine("easy", with({{"weights", "0,-1,0,0,0,0"}}, given));
    };
    const Parameters::Given mixed{{"order", "mixed"}};
    CHECK_NOTHROW(make(with(mixed, {{"period", "1"}, {"history", "1"}, {"evaluations", "1"}, {"features", "6"}})));
    for (const Parameters::Given& unused : std::vector<Parameters::Given>{
             {{"history", "1"}}, {{"evaluations", "1"}}, {{"seed", "1"}}, {{"features", "6"}}}) {
        CHECK_THROWS_WITH(make(with(mixed, unused)), "parameter " + unused.front().first + '=' + unused.front().second +
                                                         " is used only with period");
    }
    for (const std::string name : {"period", "history", "evaluations"}) {
        CHECK_THROWS_WITH(make(with(mixed, {{"period", "1"}, {name, "0"}})),
                          "parameters period, history and evaluations must be more than 0");
    }
    CHECK_THROWS_WITH(Engine("easy", {{"period", "1"}}),
                      "parameter period=1 is used only with order=mixed or backfill-order=mixed");
    CHECK_THROWS_AS(make({{"period", "1"}}), UsageError);
}

}  // namespace batfill::tests::online_tuning_test
