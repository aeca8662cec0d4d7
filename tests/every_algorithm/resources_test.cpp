#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/replay/outcome.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/every_algorithm/whole_reasons.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/simulator_fixture.hpp"

// Machines with pools, capacities, partitions and windows.

using namespace batfill;
using namespace batfill::tests;

namespace {

enum class Hosts { counted, shared, partitioned };

Platform machine_with_resources(Random& random, int processors, Hosts kind) {
    Platform platform = machine(processors);
    for (std::size_t i = 0; i < platform.hosts.size(); ++i) {
        Host& host = platform.hosts[i];
        host.zone_properties["pools"] = "power:8,water:3";
        if (kind == Hosts::shared && (i == 0 || !random.one_in(4))) {
            host.properties["capacity"] = random.one_in(2) ? "cores:4,gpus:2" : "cores:8";
        }
        if (kind != Hosts::counted && (i == 0 || random.one_in(2))) {
            host.properties["partitions"] = random.one_in(2) ? "debug" : "debug,long";
        }
    }
    return platform;
}

// Windows of each kind, at instants that coincide with others in half of the workloads.
void add_windows(Random& random, Platform& platform, Hosts kind) {
    const int processors = static_cast<int>(platform.hosts.size());
    for (int i = random.between(0, 6); i > 0; --i) {
        Window window;
        window.name = "window " + std::to_string(i);
        const int from = 10 * random.between(0, 60);
        window.from = Time::seconds(from);
        window.until = Time::seconds(from + 10 * random.between(1, 20));
        window.announced = Time::seconds(10 * random.between(0, from / 10));
        window.running = static_cast<Window::Running>(random.between(0, 2));
        if (random.one_in(3)) {
            window.pools = {{"power", random.between(1, 8)}};
        } else if (random.one_in(3)) {
            window.all_hosts = true;
        } else if (kind == Hosts::counted) {
            window.processors = random.between(1, processors);
        } else {
            const int first = random.between(0, processors - 1);
            window.hosts = ResourceSet::range(first, random.between(first, processors - 1));
        }
        if (random.one_in(3)) {
            window.reserved_for = {random.one_in(2) ? "course" : "demo"};
        }
        platform.windows.push_back(std::move(window));
    }
}

// Half of the workloads have reservations, and jobs that wait for earlier ones.
void add_reservations(Random& random, Workload& workload) {
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        StatedNeeds needs = *workload.jobs[i].description.needs;
        if (random.one_in(4)) {
            needs.reservation = random.one_in(2) ? "course" : "demo";
        }
        if (i > 0 && random.one_in(4)) {
            const auto other = static_cast<std::size_t>(random.between(0, static_cast<int>(i) - 1));
            const std::string& id = workload.jobs[other].description.id;
            needs.after = {{static_cast<Dependency::Kind>(random.between(0, 2)), id.substr(id.find('!') + 1),
                            Duration::seconds(random.one_in(2) ? 0 : 10)}};
        }
        workload.jobs[i].description.needs = std::move(needs);
    }
}

void add_needs(Random& random, Workload& workload) {
    for (WorkloadJob& job : workload.jobs) {
        StatedNeeds needs;
        if (random.one_in(2)) {
            needs.pools = {{"power", random.between(0, 5)}, {"water", random.between(0, 1)}};
        }
        if (random.one_in(2)) {
            needs.per_host = {{"cores", random.between(1, 4)}, {"gpus", random.one_in(3) ? 1 : 0}};
        }
        if (random.one_in(3)) {
            needs.partition = "debug";
        }
        job.description.needs = needs;
    }
}

// Some values of those of these parameters that the algorithm has.
DrawnAlgorithm drawn_for_resources(Random& random, const AlgorithmDescription& algorithm) {
    DrawnAlgorithm drawn{algorithm.name, {}};
    const auto add = [&](const std::string& name, const std::vector<std::string>& values) {
        if (std::ranges::count(algorithm.parameters, name, &Parameter::name) > 0) {
            drawn.parameters.emplace_back(
                name, values[static_cast<std::size_t>(random.between(0, static_cast<int>(values.size()) - 1))]);
        }
    };
    add("plan-pools", {"all", "none", "power"});
    add("placement", {"snug", "lowest", "fullest"});
    add("reservations", {"0", "1", "1", "3"});
    add("test-limit", {"0", "2", "100"});
    add("omega", {"0", "1", "3"});
    add("repair", {"paper", "strict"});
    add("on-failure", {"continue", "requeue", "kill"});
    add("when-too-small", {"wait", "reject"});
    return is_accepted(drawn) ? drawn : drawn_for_resources(random, algorithm);
}

std::string text_of(const Outcome& outcome) {
    std::string text;
    for (const ScheduledJob& job : outcome.schedule().jobs) {
        append_csv(job, text);
    }
    for (const BrokenGuarantee& one : outcome.broken_guarantees()) {
        append_csv(one, text, true);
    }
    return text + batfill::text_of(outcome.statistics());
}

struct Found {
    std::set<WaitReason::Kind> kinds;
    std::size_t parked = 0;
    std::size_t broken_by_windows = 0;
    std::size_t killed = 0;
    std::size_t inside = 0;
};

void compare_explained(const Scenario& scenario, const DrawnAlgorithm& drawn, Found& found) {
    RunOptions options;
    for (const WorkloadJob& job : scenario.workloads[0].jobs) {
        options.explain.push_back(job.description.id);
    }
    const Outcome plain = run(scenario, {drawn.name, drawn.parameters}, {});
    const Outcome explained = run(scenario, {drawn.name, drawn.parameters}, options);
    REQUIRE(text_of(plain) == text_of(explained));
    require_whole_reasons(explained);
    const CheckReport report = audit(explained, {});
    INFO((report.violations.empty() ? "" : report.violations[0].text));
    REQUIRE(report.violations.empty());
    REQUIRE(report.broken_guarantees == report.listed_broken_guarantees);
    for (const BrokenGuarantee& one : explained.broken_guarantees()) {
        REQUIRE((one.cause != GuaranteeBreakCause::parked || !one.new_start));
        found.parked += one.cause == GuaranteeBreakCause::parked ? 1U : 0U;
        found.broken_by_windows += one.cause == GuaranteeBreakCause::window ? 1U : 0U;
    }
    for (const SimulatedJob& job : explained.simulation().jobs()) {
        const Shared<StatedNeeds>& needs = job.job->description.needs;
        found.killed += job.state == JobState::completed_killed ? 1U : 0U;
        found.inside += has_completed(job.state) && needs && needs->reservation ? 1U : 0U;
    }
    for (const WaitReason& reason : explained.wait_reasons()) {
        found.kinds.insert(reason.kind);
        const bool waits = reason.kind < WaitReason::Kind::started && reason.kind != WaitReason::Kind::dependency;
        REQUIRE((!waits || reason.because.rule != Reason::Rule::none));
    }
}

// Calls use(RANDOM, ROUND, DRAWN) so often for each algorithm that takes such machines, with parameters drawn for it.
void for_each_drawn(unsigned seed, int rounds, const auto& use) {
    for (const AlgorithmDescription* algorithm : algorithms_under_test()) {
        const Parameters defaults(algorithm->name, algorithm->parameters, {});
        if (!algorithm->make(defaults)->understands_resources()) {
            continue;
        }
        Random random(seed);
        for (int round = 0; round < rounds; ++round) {
            const DrawnAlgorithm drawn = drawn_for_resources(random, *algorithm);
            INFO(drawn.text() << ", workload " << round);
            use(random, round, drawn);
        }
    }
}

}  // namespace

TEST_CASE("Every algorithm: on machines with pools, capacities and partitions, who asks why jobs wait changes nothing",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    Found found;
    for_each_drawn(2027, 60, [&](Random& random, int round, const DrawnAlgorithm& drawn) {
        const int processors = random.between(1, 9);
        Workload workload = random_workload(random, processors, Trouble::none);
        add_needs(random, workload);
        const Platform platform = machine_with_resources(random, processors, static_cast<Hosts>(round % 3));
        const std::string events = random.one_in(3) ? random_failures(random, processors) : "";
        compare_explained(scenario_of(platform, {std::move(workload)}, events), drawn, found);
    });
    for (const auto kind : {WaitReason::Kind::pool, WaitReason::Kind::hosts, WaitReason::Kind::processors,
                            WaitReason::Kind::passed_over}) {
        CHECK(found.kinds.contains(kind));
    }
    // Only an algorithm that plans parks a job that has a guarantee, and plugins under test need not plan.
    if (std::ranges::count(algorithms_under_test(), "conservative", &AlgorithmDescription::name) > 0) {
        CHECK(found.parked > 0);
    }
}

TEST_CASE("Every algorithm: beside windows and in reservations, an independent audit finds nothing wrong",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    Found found;
    for_each_drawn(2028, 80, [&](Random& random, int round, DrawnAlgorithm drawn) {
        // What is lost while a window has it is not compared with anything.
        std::erase_if(drawn.parameters, [](const auto& given) { return given.first == "on-failure"; });
        const int processors = random.between(1, 9);
        Workload workload = random_workload(random, processors, Trouble::none);
        add_needs(random, workload);
        const auto hosts = static_cast<Hosts>(round % 3);
        Platform platform = machine_with_resources(random, processors, hosts);
        add_windows(random, platform, hosts);
        if (random.one_in(2)) {
            add_reservations(random, workload);
        }
        compare_explained(scenario_of(platform, {std::move(workload)}, ""), drawn, found);
    });
    if (std::ranges::count(algorithms_under_test(), "conservative", &AlgorithmDescription::name) > 0) {
        CHECK(found.broken_by_windows > 0);
    }
    CHECK(found.killed > 0);
    CHECK(found.inside > 0);
}
