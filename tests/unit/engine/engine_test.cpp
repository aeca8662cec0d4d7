#include <map>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/engine.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_backfilling.hpp"
#include "tests/support/plain_conservative.hpp"
#include "tests/support/random_stream.hpp"

namespace batfill::tests::engine_test {

// Every kind of algorithm on random streams of events. The stream checks the decisions and the state of the engine. The
// plain form of the algorithm says which jobs start, and which start is planned.

namespace {

// A stream for algorithms that know nothing but processors and walltimes.
Features plain_stream(Features features) {
    features.most_jobs = 24;
    features.most_processors = 8;
    features.deadlines = false;
    return features;
}

const std::vector<std::pair<std::string, Parameters::Given>> contenders{
    {"fcfs", {}},
    {"easy", {}},
    {"conservative", {{"compression", "planned-start"}}},
    {"conservative", {{"compression", "submission"}}},
    {"conservative", {{"compression", "none"}}},
};

void compare_with_queue_form(const std::string& algorithm, unsigned seed, const Features& features) {
    Engine engine(algorithm, {});
    Stream stream(seed, features);
    BackfillingCounts counts;
    PlainBackfilling plain(PlainMachine(stream.processors()), {.backfills = algorithm == "easy"}, counts);
    require_same_rounds(stream, engine, plain);
}

void compare_with_plan_form(const std::string& compression, unsigned seed, const Features& features) {
    Engine engine("conservative", {{"compression", compression}});
    Stream stream(seed, features);
    PlainConservative::Counts counts;
    PlainConservative plain(stream.processors(), compression, counts);
    std::map<JobIndex, Time> promises;
    stream.play(engine, [&](const Message& message, const std::vector<JobIndex>& started) {
        REQUIRE(started == plain.round(message));
        const std::map<JobIndex, Time> plan = plan_of(engine);
        require_same_plans(plan, plain.planned_starts());
        for (const auto& [job, start] : plan) {
            const auto [promise, is_new] = promises.emplace(job, start);
            REQUIRE((is_new || features.machine_changes || start <= promise->second));
            promise->second = start;
        }
    });
}

void compare_with_plain_forms(unsigned streams, const Features& features) {
    for (const auto& [algorithm, parameters] : contenders) {
        for (unsigned seed = 0; seed < streams; ++seed) {
            INFO(algorithm << text_of(parameters) << ", stream " << seed);
            if (algorithm == "conservative") {
                compare_with_plan_form(parameters.front().second, seed, features);
            } else {
                compare_with_queue_form(algorithm, seed, features);
            }
        }
    }
}

// The stream makes all the checks.
void play_streams(unsigned streams, const Features& features) {
    for (const auto& [algorithm, parameters] : contenders) {
        for (unsigned seed = 0; seed < streams; ++seed) {
            INFO(algorithm << text_of(parameters) << ", stream " << seed);
            Parameters::Given given = parameters;
            if (features.missing_walltimes) {
                given.emplace_back("default-walltime", default_walltime.to_string());
            }
            Engine engine(algorithm, given);
            Stream(seed, features).play(engine, [](const Message&, const std::vector<JobIndex>&) {});
        }
    }
}

}  // namespace

TEST_CASE("Every algorithm starts each job when its definition says, on random streams", "[engine][property]") {
    compare_with_plain_forms(300, plain_stream({}));
}

TEST_CASE("Every algorithm starts each job when its definition says, also when processors come and go",
          "[engine][property]") {
    compare_with_plain_forms(200, plain_stream({.machine_changes = true}));
}

TEST_CASE("The queue algorithms start each job when their definitions say also when jobs are overdue",
          "[engine][property]") {
    for (const std::string algorithm : {"fcfs", "easy"}) {
        for (unsigned seed = 0; seed < 1000; ++seed) {
            INFO(algorithm << ", stream " << seed);
            compare_with_queue_form(algorithm, seed, plain_stream({.machine_changes = true, .overruns = true}));
        }
    }
}

TEST_CASE("No processor is used twice and no job is lost when jobs outlive their walltimes", "[engine][property]") {
    play_streams(300, plain_stream({.overruns = true}));
}

TEST_CASE("No processor is used twice and no job is lost when calls come late", "[engine][property]") {
    play_streams(200, plain_stream({.late_calls = true}));
}

TEST_CASE("No processor is used twice and no job is lost when all of this happens at once", "[engine][property]") {
    play_streams(
        400, plain_stream({.machine_changes = true, .overruns = true, .late_calls = true, .missing_walltimes = true}));
}

TEST_CASE("Jobs without walltime are stopped at the assumed one", "[engine][property]") {
    play_streams(100, plain_stream({.missing_walltimes = true}));
}

}  // namespace batfill::tests::engine_test
