#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/support/simulator_fixture.hpp"

// Guarantees where walltimes are only believed.

using namespace batfill;
using namespace batfill::tests;

namespace {

void check_guarantees(Random& random, const DrawnAlgorithm& drawn, Trouble trouble) {
    const int processors = random.between(1, 12);
    Workload workload = random_workload(random, processors, Trouble::none);
    workload.believes_walltimes = !random.one_in(4);
    const std::string events = trouble == Trouble::failures ? random_failures(random, processors) : "";
    Scenario scenario = scenario_of(machine(processors), {std::move(workload)}, events);
    const SchedulerChoice choice(drawn.name, drawn.parameters);
    const auto engine = Engine(choice);
    scenario.enable_dynamic_jobs = engine.registers_jobs();
    scenario.enable_profile_reuse = engine.reuses_profiles();
    const bool believes = scenario.believes_walltimes();
    const Outcome outcome = run(std::move(scenario), choice);
    const CheckReport report = audit(outcome, {});
    INFO((report.violations.empty() ? "" : report.violations.front().text));
    REQUIRE(report.violations.empty());
    REQUIRE(report.broken_guarantees == report.listed_broken_guarantees);
    for (const BrokenGuarantee& broken : outcome.broken_guarantees()) {
        REQUIRE((believes || broken.cause == GuaranteeBreakCause::loss));
        REQUIRE((trouble == Trouble::failures || broken.cause == GuaranteeBreakCause::estimate));
        REQUIRE(broken.lost_at <= broken.guaranteed_start);
        REQUIRE((!broken.new_start || *broken.new_start > broken.guaranteed_start));
    }
}

}  // namespace

TEST_CASE("Every algorithm: a guarantee that breaks because a job outlives its estimate is in the list, with its cause",
          "[every-algorithm][property]") {
    for (const DrawnAlgorithm& drawn : drawn_algorithms()) {
        if (!SchedulerChoice(drawn.name, drawn.parameters).gives_guarantees()) {
            continue;
        }
        Random random(65);
        for (int round = 0; round < 30; ++round) {
            INFO(drawn.text() << ", workload " << round);
            check_guarantees(random, drawn, Trouble::none);
            check_guarantees(random, drawn, Trouble::failures);
        }
    }
}
