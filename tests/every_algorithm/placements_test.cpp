#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/engine/algorithm.hpp>

#include "src/simulator/embedded_scheduler.hpp"
#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/random_workloads.hpp"
#include "tests/support/simulator_fixture.hpp"

// Where the jobs of every algorithm run, under each placement that it supports.

using namespace batfill;
using namespace batfill::tests;

namespace {

// Shows each start of an embedded scheduler to `Look`, with the processors that were idle just before.
class WatchedStarts : public SimulatedScheduler {
 public:
    using Look = std::function<void(const ResourceSet& idle, const ResourceSet& allocation)>;

    WatchedStarts(Engine& engine, int processors, Look look)
        : scheduler_(engine), idle_(ResourceSet::range(0, processors - 1)), look_(std::move(look)) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        scheduler_.begin(simulator, reply);
        look_at_starts(reply);
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        for (const Event& event : events) {
            if (const auto* completed = std::get_if<JobCompleted>(&event.data)) {
                idle_.insert(allocations_.at(completed->job));
            }
        }
        scheduler_.message(now, events, reply);
        look_at_starts(reply);
    }
    void end(Time) override {}

 private:
    void look_at_starts(const SchedulerReply& reply) {
        for (const SchedulerReply::TimedDecision& decision : reply.decisions) {
            if (const auto* start = std::get_if<StartJob>(&decision.decision)) {
                look_(idle_, start->allocation);
                idle_.remove(start->allocation);
                allocations_[start->job] = start->allocation;
            }
        }
    }

    EmbeddedScheduler scheduler_;
    ResourceSet idle_;
    Look look_;
    std::map<JobNumber, ResourceSet> allocations_;
};

// The starts of all jobs, with this placement.
std::vector<Time> starts_with_placement(Scenario scenario, DrawnAlgorithm drawn, const std::string& placement,
                                        const WatchedStarts::Look& look) {
    drawn.parameters.emplace_back("placement", placement);
    Engine engine(drawn.name, drawn.parameters);
    scenario.enable_dynamic_jobs = engine.registers_jobs();
    scenario.enable_profile_reuse = engine.reuses_profiles();
    WatchedStarts scheduler(engine, static_cast<int>(scenario.platform.hosts.size()), look);
    Simulator simulator(scenario);
    simulator.run(scheduler);
    std::vector<Time> starts;
    for (const SimulatedJob& job : simulator.jobs()) {
        starts.push_back(job.state == JobState::rejected ? Time::infinity() : job.start);
    }
    return starts;
}

}  // namespace

TEST_CASE("Every algorithm: contiguous jobs get one block, and best effort takes an existing block, at the same times",
          "[every-algorithm][property]") {
    for (const DrawnAlgorithm& drawn : drawn_with_placement("contiguous", 4)) {
        Random random(2026);
        for (int round = 0; round < 20; ++round) {
            INFO(drawn.text() << ", workload " << round);
            const int processors = random.between(1, 12);
            const Scenario scenario =
                scenario_of(machine(processors), {random_workload(random, processors, Trouble::none)});
            starts_with_placement(scenario, drawn, "contiguous", [](const ResourceSet&, const ResourceSet& allocation) {
                REQUIRE(allocation.intervals().size() == 1);
            });
            const std::vector<Time> best_effort = starts_with_placement(
                scenario, drawn, "best-effort-contiguous", [](const ResourceSet& idle, const ResourceSet& allocation) {
                    REQUIRE(allocation == idle.lowest_block(allocation.size())
                                              .value_or(ResourceSet(idle).take_lowest(allocation.size())));
                });
            REQUIRE(best_effort == starts_with_placement(scenario, drawn, "lowest",
                                                         [](const ResourceSet& idle, const ResourceSet& allocation) {
                                                             REQUIRE(allocation ==
                                                                     ResourceSet(idle).take_lowest(allocation.size()));
                                                         }));
        }
    }
}
