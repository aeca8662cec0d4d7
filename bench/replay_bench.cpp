// Whole replays in memory, without files: a generated workload under each algorithm.

#include <string>

#include <benchmark/benchmark.h>

#include <batfill/engine.hpp>
#include <batfill/lublin.hpp>
#include <batfill/simulator.hpp>

#include "src/simulate/embedded_scheduler.hpp"

namespace {

batfill::Scenario scenario(int jobs, double load) {
    batfill::LublinModel model;
    model.jobs = jobs;
    model.processors = 240;
    model.seed = 1;
    model.load = load;
    batfill::Scenario scenario;
    scenario.workloads.push_back(batfill::generate_lublin(model));
    scenario.platform.hosts.resize(240);
    return scenario;
}

void replay(benchmark::State& state, const char* algorithm, double load) {
    const batfill::Scenario input = scenario(static_cast<int>(state.range(0)), load);
    for (auto _ : state) {
        batfill::Engine engine(algorithm, {});
        batfill::EmbeddedScheduler scheduler(engine);
        batfill::Simulator simulator(input);
        simulator.run(scheduler);
        benchmark::DoNotOptimize(simulator.now());
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK_CAPTURE(replay, rejecter, "rejecter", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, fcfs, "fcfs", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, easy, "easy", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, conservative, "conservative", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, easy_overload, "easy", 1.05)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, conservative_overload, "conservative", 1.05)->Arg(20000)->Unit(benchmark::kMillisecond);

}  // namespace
