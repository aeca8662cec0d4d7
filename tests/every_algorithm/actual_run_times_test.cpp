#include <cstddef>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/formats/schedule.hpp>
#include <batfill/replay/outcome.hpp>

#include "tests/every_algorithm/random_machines.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/support/quiet_log.hpp"
#include "tests/support/simulator_fixture.hpp"

using namespace batfill;
using namespace batfill::tests;

namespace {

// What each job got, in the order of the jobs.
std::vector<std::string> starts_of(const Outcome& outcome) {
    std::vector<std::string> starts;
    for (const SimulatedJob& job : outcome.simulation().jobs()) {
        starts.push_back(has_completed(job.state) ? job.start.to_string() + " on " + job.allocation.to_string()
                                                  : "rejected");
    }
    return starts;
}

}  // namespace

// The paper's columns "Act" say what relaxed does if users know how long their jobs run.
TEST_CASE("On machines of all kinds, relaxed with estimates=actual does as if walltimes were the run times",
          "[relaxed][property]") {
    const QuietLog quiet;
    Random random(2031);
    int different = 0;
    for (int round = 0; round < 400; ++round) {
        const int processors = random.between(1, 9);
        Workload workload = random_workload(random, processors, Trouble::none);
        add_needs(random, workload);
        const Platform platform = machine_with_resources(random, processors, static_cast<Hosts>(round % 3));
        Parameters::Given given{{"omega", random.one_in(2) ? "1" : "1.5"},
                                {"basis", random.one_in(2) ? "wait" : "walltime"},
                                {"queues", random.one_in(2) ? "one" : "partitions"},
                                {"plan-pools", random.one_in(2) ? "all" : "none"},
                                {"placement", random.one_in(2) ? "snug" : "lowest"}};
        const Outcome by_walltimes = run(scenario_of(platform, {workload}), {"relaxed", given}, {});
        Workload known = workload;
        for (std::size_t i = 0; i < known.jobs.size(); ++i) {
            const SimulatedJob& job = by_walltimes.simulation().jobs()[i];
            REQUIRE(job.job->description.id == known.jobs[i].description.id);
            if (has_completed(job.state)) {
                known.jobs[i].description.walltime = job.end - job.start;
            }
        }
        const std::vector<std::string> expected =
            starts_of(run(scenario_of(platform, {known}), {"relaxed", given}, {}));
        given.emplace_back("estimates", "actual");
        INFO("workload " << round);
        REQUIRE(starts_of(run(scenario_of(platform, {workload}), {"relaxed", given}, {})) == expected);
        different += starts_of(by_walltimes) == expected ? 0 : 1;
    }
    CHECK(different > 50);
}
