// Measures the replay of a week of jobs in memory, which the search for weights does over and over.

#include <string>

#include <benchmark/benchmark.h>

#include <batfill/replay/replay.hpp>
#include <batfill/workloads/models.hpp>

namespace {

// A generated workload that is about a week of SDSC-SP2.
batfill::Replay week() {
    batfill::LublinModel model;
    model.kind = batfill::LublinModel::Jobs::undivided;
    model.jobs = 500;
    model.processors = 128;
    model.seed = 1;
    model.load = 0.8;
    batfill::Platform platform;
    platform.hosts.resize(128);
    return {platform, batfill::generate_lublin(model)};
}

void replays(benchmark::State& state, const char* algorithm, const batfill::Parameters::Given& parameters = {}) {
    static const batfill::Replay replay = week();
    const batfill::SchedulerChoice scheduler(algorithm, parameters);
    const batfill::ReplayMetric metric("mean_bounded_slowdown");
    for (auto _ : state) {
        benchmark::DoNotOptimize(replay.measure(scheduler, metric));
    }
    state.counters["jobs"] = static_cast<double>(replay.scenario().workloads.front().jobs.size());
}

const batfill::Parameters::Given mixed{
    {"order", "mixed"}, {"weights", "-0.2,-0.3,0.1,-0.1,0.2,-0.1"}, {"backfill-order", "spf"}};

}  // namespace

BENCHMARK_CAPTURE(replays, easy, "easy")->ThreadRange(1, 2)->UseRealTime();
BENCHMARK_CAPTURE(replays, easy_mixed, "easy", mixed)->ThreadRange(1, 2)->UseRealTime();
BENCHMARK_CAPTURE(replays, conservative, "conservative");
