// Measures what each operation of the availability profile and of the plan costs as they grow.

#include <random>

#include <benchmark/benchmark.h>

#include <batfill/planning/availability_profile.hpp>
#include <batfill/planning/plan.hpp>

namespace {

using batfill::AvailabilityProfile;
using batfill::Duration;
using batfill::JobIndex;
using batfill::Plan;
using batfill::Time;

constexpr int machine = 1024;

// A profile of many short jobs, one after another: in some of its `steps` steps few processors are free, in others
// many.
AvailabilityProfile crowded_profile(long steps) {
    AvailabilityProfile profile(Time(), machine);
    std::mt19937 random(1);
    for (long i = 0; i < steps; ++i) {
        profile.add(Time::seconds(i * 100), Time::seconds((i + 1) * 100),
                    -static_cast<int>(machine / 2 + random() % (machine / 2)));
    }
    return profile;
}

void profile_add_and_take_back(benchmark::State& state) {
    AvailabilityProfile profile = crowded_profile(state.range(0));
    std::mt19937 random(2);
    for (auto _ : state) {
        const Time from = Time::seconds(static_cast<long>(random() % static_cast<unsigned>(state.range(0) * 100)));
        const Time to = from + Duration::seconds(3600);
        profile.add(from, to, -1);
        profile.add(from, to, 1);
    }
    state.SetComplexityN(state.range(0));
}
BENCHMARK(profile_add_and_take_back)->RangeMultiplier(4)->Range(64, 65536);

// The search for a narrow job, which finds a place soon, and for a job that fits only behind everything.
void profile_search(benchmark::State& state) {
    const AvailabilityProfile profile = crowded_profile(state.range(0));
    const int processors = static_cast<int>(state.range(1));
    for (auto _ : state) {
        benchmark::DoNotOptimize(profile.earliest(Time(), Duration::seconds(3600), processors));
    }
}
BENCHMARK(profile_search)
    ->ArgsProduct({{64, 1024, 16384, 65536}, {1, 256, machine}})
    ->ArgNames({"steps", "processors"});

// One compression after an early completion at a queue of `depth` planned jobs, in which nothing moves. The hole is
// given and taken back, so every pass finds the same plan.
void plan_compression(benchmark::State& state) {
    const auto depth = static_cast<JobIndex>(state.range(0));
    std::mt19937 random(3);
    Plan plan;
    plan.reset(Time(), machine);
    plan.hold(Time(), Time::seconds(36000), machine);
    for (JobIndex job = 0; job < depth; ++job) {
        plan.place({job, 1 + static_cast<int>(random() % machine),
                    Duration::seconds(60 + static_cast<int>(random() % 36000)), Time()},
                   Time());
    }
    for (auto _ : state) {
        plan.give_back(Time(), Time::seconds(50), machine / 2);  // shorter than any waiting job
        plan.move_all_earlier();
        plan.hold(Time(), Time::seconds(50), machine / 2);
    }
}
BENCHMARK(plan_compression)->RangeMultiplier(10)->Range(10, 10000)->ArgName("depth");

// A submission at a queue of `depth` jobs: the new job is placed, then one is let start to keep the depth.
void plan_submission(benchmark::State& state) {
    const auto depth = static_cast<JobIndex>(state.range(0));
    std::mt19937 random(4);
    Plan plan;
    plan.reset(Time(), machine);
    JobIndex job = 0;
    const auto submit = [&] {
        plan.place({job++, 1 + static_cast<int>(random() % machine),
                    Duration::seconds(60 + static_cast<int>(random() % 36000)), Time()},
                   plan.profile().origin());
    };
    while (job < depth) {
        submit();
    }
    for (auto _ : state) {
        plan.advance(plan.planned_start(plan.by_start().front()));
        plan.start(plan.by_start().front());
        submit();
    }
}
BENCHMARK(plan_submission)->RangeMultiplier(10)->Range(10, 10000)->ArgName("depth");

}  // namespace
