#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/replay/outcome.hpp>

#include "tests/support/random.hpp"
#include "tests/support/simulator_fixture.hpp"

namespace batfill::tests::named_hosts_test {

namespace {

constexpr int hosts = 8;

// Bursts of jobs with few different widths and lengths: many ties.
Workload draw_jobs(unsigned seed) {
    Random random(seed);
    std::string jobs;
    int submit = 0;
    for (int number = 0; number < 60; ++number) {
        submit += random.one_in(3) ? random.between(1, 20) : 0;
        const int walltime = 10 * random.between(1, 6);
        jobs += (jobs.empty() ? "" : ",") + job(std::to_string(number), std::to_string(submit),
                                                random.between(1, random.one_in(4) ? hosts : 4),
                                                std::to_string(walltime), std::to_string(random.between(1, walltime)));
    }
    return workload_of(jobs);
}

// Each job's start.
std::vector<std::string> starts_on(Platform platform, const Workload& workload, const Parameters::Given& parameters) {
    const Outcome outcome = run(scenario_of(std::move(platform), {workload}), {"easy", parameters});
    std::vector<std::string> starts;
    for (const SimulatedJob& one : outcome.simulation().jobs()) {
        starts.push_back(one.job->description.id + " " + one.start.to_string());
    }
    return starts;
}

}  // namespace

// With several reservations that is not always so: they may leave the free time of a job on different hosts.
TEST_CASE("EASY on exclusive hosts with names is EASY on a machine that counts them") {
    Platform named = machine(hosts);
    for (Host& host : named.hosts) {
        host.properties["partitions"] = "all";
    }
    for (const std::string order : {"fcfs", "lcfs", "spf", "lpf", "sqf", "lqf", "saf", "laf", "lexp", "sexp", "lrf",
                                    "srf", "wfp3", "unicef", "f1"}) {
        for (unsigned seed = 1; seed <= 10; ++seed) {
            INFO(order << ", seed " << seed);
            Parameters::Given parameters{{"order", order}};
            if (seed % 2 == 0) {
                parameters.emplace_back("backfill-order", "spf");
                parameters.emplace_back("test-limit", "3");
            }
            const Workload workload = draw_jobs(seed);
            REQUIRE(starts_on(named, workload, parameters) == starts_on(machine(hosts), workload, parameters));
        }
    }
}

}  // namespace batfill::tests::named_hosts_test
