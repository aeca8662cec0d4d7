// Measures what each operation of the availability profile and of the plan costs as they grow.

#include <random>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <batfill/engine/availability_profile.hpp>
#include <batfill/planning/plan.hpp>

namespace {

using batfill::AvailabilityProfile;
using batfill::Duration;
using batfill::JobIndex;
using batfill::Machine;
using batfill::Plan;
using batfill::Request;
using batfill::Time;
using batfill::Timeline;

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

std::vector<Request> random_requests(JobIndex number, std::mt19937& random) {
    std::vector<Request> requests(number);
    for (Request& request : requests) {
        request.processors = 1 + static_cast<int>(random() % machine);
    }
    return requests;
}

Duration random_walltime(std::mt19937& random) {
    return Duration::seconds(60 + static_cast<int>(random() % 36000));
}

// One compression after an early completion at a queue of `depth` planned jobs, in which nothing moves. The hole is
// given and taken back, so every pass finds the same plan.
void plan_compression(benchmark::State& state) {
    const auto depth = static_cast<JobIndex>(state.range(0));
    std::mt19937 random(3);
    const Machine whole(machine);
    const Request half{machine / 2};
    const auto short_time = Duration::seconds(50);  // shorter than any waiting job
    Plan plan;
    Timeline timeline(whole, Time(), {});
    timeline.take(half, {}, Time(), Time::seconds(36000));
    timeline.take(half, {}, Time() + short_time, Time::seconds(36000));
    plan.reset(std::move(timeline));
    plan.place({depth, short_time, Time(), &half}, Time());
    const std::vector<Request> requests = random_requests(depth, random);
    for (JobIndex job = 0; job < depth; ++job) {
        plan.place({job, random_walltime(random), Time(), &requests[job]}, Time());
    }
    for (auto _ : state) {
        plan.remove(depth);
        plan.move_all_earlier();
        plan.place({depth, short_time, Time(), &half}, Time());
    }
}
BENCHMARK(plan_compression)->RangeMultiplier(10)->Range(10, 10000)->ArgName("depth");

// A submission at a queue of `depth` jobs: the new job is placed, then one is let start to keep the depth.
void plan_submission(benchmark::State& state) {
    const auto depth = static_cast<JobIndex>(state.range(0));
    std::mt19937 random(4);
    const Machine whole(machine);
    const std::vector<Request> requests = random_requests(1000, random);
    Plan plan;
    plan.reset(Timeline(whole, Time(), {}));
    JobIndex job = 0;
    const auto submit = [&] {
        plan.place({job, random_walltime(random), Time(), &requests[job % requests.size()]}, plan.timeline().origin());
        ++job;
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
