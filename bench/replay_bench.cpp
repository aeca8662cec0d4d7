// Measures whole replays in memory, without files: a generated workload under each algorithm.

#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <batfill/replay/replay.hpp>
#include <batfill/workloads/deadlines.hpp>
#include <batfill/workloads/models.hpp>

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

// The deadlines of the paper on deadline-based backfilling.
// Requires: all jobs have walltimes.
void add_deadlines(batfill::Workload& workload, const char* share) {
    const batfill::DeadlineRule rule{batfill::Duration::days(1), *batfill::Decimal::parse("10")};
    const std::size_t count = batfill::count_of_share(*batfill::Decimal::parse(share), workload.jobs.size());
    std::vector<std::size_t> places(workload.jobs.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    for (const std::size_t place : batfill::draw(std::move(places), count, 1)) {
        batfill::JobDescription& job = workload.jobs[place].description;
        job.deadline = job.submit + rule.allowance(*job.walltime);
    }
}

void replays(benchmark::State& state, const char* algorithm, double load, const char* share_with_deadlines = "0") {
    batfill::Scenario input = scenario(static_cast<int>(state.range(0)), load);
    add_deadlines(input.workloads.front(), share_with_deadlines);
    const batfill::Replay replay(std::move(input));
    for (auto _ : state) {
        benchmark::DoNotOptimize(replay.run({algorithm, {}}).simulation().results().now);
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK_CAPTURE(replays, rejecter, "rejecter", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, fcfs, "fcfs", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, easy, "easy", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, conservative, "conservative", 0.9)->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, dbf_20_percent, "dbf", 0.9, "0.2")->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, dbf_80_percent, "dbf", 0.9, "0.8")->Arg(500)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, easy_overload, "easy", 1.05)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, conservative_overload, "conservative", 1.05)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replays, dbf_overload, "dbf", 1.05, "0.8")->Arg(20000)->Unit(benchmark::kMillisecond);

}  // namespace
