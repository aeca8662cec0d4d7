#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/replay/outcome.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/outcome_text.hpp"
#include "tests/every_algorithm/random_machines.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/every_algorithm/whole_reasons.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/simulator_fixture.hpp"

// Machines with pools, capacities, partitions and windows.

using namespace batfill;
using namespace batfill::tests;

namespace {

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
    REQUIRE(compared_text(plain) == compared_text(explained));
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
        found.inside += has_completed(job.state) && needs && needs->booking ? 1U : 0U;
    }
    for (const WaitReason& reason : explained.wait_reasons()) {
        found.kinds.insert(reason.kind);
        const bool waits = reason.kind < WaitReason::Kind::started && reason.kind != WaitReason::Kind::dependency;
        REQUIRE((!waits || reason.because.rule != Reason::Rule::none));
    }
}

// Calls use(RANDOM, ROUND, DRAWN) so often for each algorithm that takes such machines, with parameters drawn for it.
// One that looks at conditions of jobs itself has other rules for these machines.
void for_each_drawn(unsigned seed, int rounds, const auto& use) {
    for (const AlgorithmDescription* algorithm : algorithms_under_test()) {
        const Parameters defaults(algorithm->name, algorithm->parameters, {});
        if (const auto made = algorithm->make(defaults); !made->understands_resources() || made->follows_conditions()) {
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

// As long as each job takes at most the share of its processors, nobody looks at a pool. Where somebody asks why jobs
// wait, all pools are looked at from the beginning.
TEST_CASE("Every algorithm: a pool that becomes scarce in the middle is as if it had been looked at all the time",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    Found found;
    int in_the_middle = 0;
    for_each_drawn(2031, 150, [&](Random& random, int, DrawnAlgorithm drawn) {
        for (const char* const name : {"order", "backfill-order", "ties"}) {
            DrawnAlgorithm with = drawn;
            const std::array<const char*, 3> values = {"last", "spf", "wfp3"};
            with.parameters.emplace_back(name, values[static_cast<std::size_t>(random.between(0, 2))]);
            drawn = is_accepted(with) ? with : drawn;
        }
        const int processors = random.between(1, 8);
        Workload workload = random_workload(random, processors, Trouble::none);
        workload.believes_walltimes = random.one_in(3);
        add_needs(random, workload);
        const int ample = random.between(0, static_cast<int>(workload.jobs.size()));
        take_no_more_than_shares(workload, ample, processors);
        in_the_middle += 0 < ample && ample < std::ssize(workload.jobs) ? 1 : 0;
        Platform platform = machine_with_resources(random, processors, Hosts::counted);
        if (random.one_in(3)) {
            add_windows(random, platform, Hosts::counted);
        }
        const std::string events = random.one_in(3) ? random_failures(random, processors) : "";
        compare_explained(scenario_of(platform, {std::move(workload)}, events), drawn, found);
    });
    CHECK(in_the_middle > 100);
    CHECK(found.kinds.contains(WaitReason::Kind::pool));
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

TEST_CASE("Every algorithm: beside pools and counting windows, placement=contiguous gives each job a block",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    Found found;
    std::size_t wide = 0;
    for_each_drawn(2029, 40, [&](Random& random, int, DrawnAlgorithm drawn) {
        std::erase_if(drawn.parameters, [](const auto& given) { return given.first == "placement"; });
        drawn.parameters.emplace_back("placement", "contiguous");
        if (!is_accepted(drawn)) {
            return;
        }
        const int processors = random.between(3, 9);
        Workload workload = random_workload(random, processors, Trouble::none);
        add_needs(random, workload);
        Platform platform = machine_with_resources(random, processors, Hosts::counted);
        if (random.one_in(2)) {
            add_windows(random, platform, Hosts::counted);
        }
        const Scenario scenario = scenario_of(platform, {std::move(workload)}, "");
        compare_explained(scenario, drawn, found);
        for (const ScheduledJob& job : run(scenario, {drawn.name, drawn.parameters}, {}).schedule().jobs) {
            REQUIRE(job.allocation.intervals().size() <= 1);
            wide += job.allocation.size() > 1 ? 1U : 0U;
        }
    });
    CHECK(wide > 0);
}

TEST_CASE("Every algorithm: where walltimes are only believed, no late start runs into a window",
          "[every-algorithm][property]") {
    const QuietLog quiet;
    std::size_t outlived = 0;
    for_each_drawn(2030, 60, [&](Random& random, int round, DrawnAlgorithm drawn) {
        std::erase_if(drawn.parameters, [](const auto& given) { return given.first == "on-failure"; });
        const int processors = random.between(1, 9);
        Workload workload = random_workload(random, processors, Trouble::none);
        workload.believes_walltimes = true;
        add_needs(random, workload);
        const auto hosts = static_cast<Hosts>(round % 3);
        Platform platform = machine_with_resources(random, processors, hosts);
        add_windows(random, platform, hosts);
        const Scenario scenario = scenario_of(platform, {std::move(workload)}, "");
        const Outcome outcome = run(scenario, {drawn.name, drawn.parameters}, {});
        for (const SimulatedJob& job : outcome.simulation().jobs()) {
            outlived += job.job->description.walltime && job.end - job.start > *job.job->description.walltime ? 1U : 0U;
        }
    });
    CHECK(outlived > 0);
}
