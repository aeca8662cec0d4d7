#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>
#include <batfill/workloads/models.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/random_machines.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/every_algorithm/skipped_walks.hpp"
#include "tests/every_algorithm/watched_algorithm.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/simulator_fixture.hpp"

// Whether the walks that algorithms leave out would find nothing.

namespace batfill::tests::skipped_walks_test {

namespace {

const std::vector<DrawnAlgorithm> plans{
    {"conservative", {}},
    {"conservative", {{"compression", "submission"}}},
    {"conservative", {{"compression", "order"}, {"order", "spf"}}},
    {"conservative", {{"compression", "start-now"}}},
    {"conservative", {{"compression", "none"}}},
    {"pc", {}},
    {"dc", {}},
    {"dbf", {}},
    {"dbf", {{"repair", "strict"}}},
};
const std::vector<DrawnAlgorithm> queues{{"fcfs", {}}, {"easy", {}}, {"easy", {}}, {"relaxed", {{"omega", "inf"}}}};

struct Counts {
    std::size_t left_out = 0;
    std::size_t not_left_out = 0;
    std::size_t not_started = 0;
    std::vector<std::string> found;
};

void run_and_walk(const Scenario& scenario, const DrawnAlgorithm& drawn, const std::string& where, Counts& counts) {
    SkippedWalks walks(drawn);
    RunOptions options;
    options.keeps_deadlocks = true;
    run(scenario,
        watched(drawn.name, drawn.parameters,
                [&](const Algorithm& algorithm, const SchedulerState& state, const std::vector<JobIndex>& started) {
                    walks.look_at(algorithm, state, started);
                }),
        options);
    counts.left_out += walks.left_out;
    counts.not_left_out += walks.not_left_out;
    counts.not_started += walks.not_started;
    for (const std::string& found : walks.found) {
        counts.found.push_back(found + " (" + drawn.text() + ", " + where + ")");
    }
}

// With other parameters drawn for it.
DrawnAlgorithm drawn_like(Random& random, const DrawnAlgorithm& fixed) {
    DrawnAlgorithm drawn = drawn_for_resources(random, find_algorithm(fixed.name));
    std::erase_if(drawn.parameters, [](const auto& given) { return given.first == "test-limit"; });
    for (const auto& one : fixed.parameters) {
        std::erase_if(drawn.parameters, [&](const auto& given) { return given.first == one.first; });
        drawn.parameters.push_back(one);
    }
    return is_accepted(drawn) ? drawn : drawn_like(random, fixed);
}

// A small machine, which has windows or failures.
void walk_on_random_machine(Random& random, const DrawnAlgorithm& fixed, int round, Counts& counts) {
    const auto hosts = static_cast<Hosts>(random.between(0, 2));
    const int processors = random.between(1, 9);
    DrawnAlgorithm drawn = drawn_like(random, fixed);
    Workload workload = random_workload(random, processors, Trouble::none);
    add_needs(random, workload);
    Platform platform = machine_with_resources(random, processors, hosts);
    std::string events;
    if (random.one_in(2)) {
        std::erase_if(drawn.parameters, [](const auto& given) { return given.first == "on-failure"; });
        add_windows(random, platform, hosts);
        if (random.one_in(2)) {
            add_reservations(random, workload);
        }
    } else if (random.one_in(2)) {
        events = random_failures(random, processors);
    }
    run_and_walk(scenario_of(std::move(platform), {std::move(workload)}, events), drawn,
                 "machine " + std::to_string(round), counts);
}

// On a thousand of them, with one algorithm after the other.
Counts walk_on_random_machines(unsigned seed, const std::vector<DrawnAlgorithm>& some) {
    const QuietLog quiet;
    Counts counts;
    Random random(seed);
    for (int round = 0; round < 1000; ++round) {
        walk_on_random_machine(random, some[static_cast<std::size_t>(round) % some.size()], round, counts);
    }
    return counts;
}

// Many jobs that share some hosts. Half of the machines have windows.
Scenario shared_hosts(unsigned seed) {
    Random random(seed);
    SharedHostsModel model;
    model.seed = seed;
    model.jobs = 500;
    model.hosts = random.between(20, 130);
    model.widest = 16;
    model.load = 1.2;
    Workload workload = generate_shared_hosts(model);
    Platform platform = machine(model.hosts);
    for (Host& host : platform.hosts) {
        host.properties["capacity"] = capacity_of(model);
    }
    const auto last = static_cast<int>(workload.jobs.back().description.submit.since_zero().count() / 1'000'000);
    for (int i = random.one_in(2) ? 0 : 10; i > 0; --i) {
        const int from = random.between(1, last);
        const int first = random.between(0, model.hosts - 1);
        Window window;
        window.name = "window " + std::to_string(i);
        window.hosts = ResourceSet::range(first, random.between(first, model.hosts - 1));
        window.from = Time::seconds(from);
        window.until = Time::seconds(from + 3600 * random.between(1, 12));
        window.announced = Time::seconds(random.between(0, from));
        platform.windows.push_back(std::move(window));
    }
    return scenario_of(std::move(platform), {std::move(workload)});
}

}  // namespace

TEST_CASE("The walks that plans leave out would find nothing", "[property]") {
    const Counts counts = walk_on_random_machines(2032, plans);
    CHECK(counts.found == std::vector<std::string>());
    CHECK(counts.left_out > 10'000);
    CHECK(counts.not_left_out > 1000);
}

TEST_CASE("The walks that rounds of a queue leave out would find nothing", "[property]") {
    const Counts counts = walk_on_random_machines(2033, queues);
    CHECK(counts.found == std::vector<std::string>());
    CHECK(counts.not_started > 10'000);
}

// So many walks as BATFILL_WALKS says, on machines from number BATFILL_SEED on.
TEST_CASE("The walks that are left out where jobs share many hosts would find nothing", "[property]") {
    const QuietLog quiet;
    const char* const first = std::getenv("BATFILL_SEED");
    const char* const walks = std::getenv("BATFILL_WALKS");
    const std::size_t most = walks == nullptr ? 20'000 : std::stoul(walks);
    Counts counts;
    unsigned seed = first == nullptr ? 1 : static_cast<unsigned>(std::stoul(first));
    for (; counts.left_out < most; ++seed) {
        const Scenario scenario = shared_hosts(seed);
        const std::string where = "machine " + std::to_string(seed);
        run_and_walk(scenario, plans[seed % plans.size()], where, counts);
        run_and_walk(scenario, queues[seed % queues.size()], where, counts);
    }
    std::cout << counts.left_out << " walks that plans left out, " << counts.not_left_out << " others, "
              << counts.not_started << " of jobs that queues did not start\n";
    CHECK(counts.found == std::vector<std::string>());
}

}  // namespace batfill::tests::skipped_walks_test
