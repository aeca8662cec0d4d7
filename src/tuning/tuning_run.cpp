#include "src/tuning/tuning_run.hpp"

#include <numeric>

#include "src/core/parallel.hpp"
#include "src/tuning/checkpoint.hpp"

namespace batfill {

namespace {

// One value that a search has asked for.
struct Measurement {
    std::size_t workload;
    std::size_t evaluation;  // from 0
    const MixedWeights* weights;
    double value = 0;
};

// All that the searches ask for now, ordered by task, then by weights, then by workload.
std::vector<Measurement> measurements_of(std::vector<TuningTask>& tasks) {
    std::vector<Measurement> measurements;
    for (TuningTask& task : tasks) {
        std::size_t evaluation = task.search->evaluated();
        for (const MixedWeights& weights : task.search->ask()) {
            for (const std::size_t workload : task.workloads) {
                measurements.push_back({workload, evaluation, &weights});
            }
            ++evaluation;
        }
    }
    return measurements;
}

// Tells the searches the sums over their workloads, in the order of measurements_of().
void tell(std::vector<TuningTask>& tasks, const std::vector<Measurement>& measurements) {
    auto measurement = measurements.begin();
    for (TuningTask& task : tasks) {
        std::vector<double> sums(task.search->ask().size());
        for (double& sum : sums) {
            for (std::size_t i = 0; i < task.workloads.size(); ++i) {
                sum += (measurement++)->value;
            }
        }
        task.search->tell(sums);
    }
}

}  // namespace

void run_searches(std::vector<TuningTask>& tasks, const TuningHooks& hooks, Checkpoint& checkpoint, unsigned threads) {
    const std::size_t total =
        std::accumulate(tasks.begin(), tasks.end(), std::size_t{0}, [](std::size_t sum, const TuningTask& task) {
            return sum + task.search->evaluations() * task.workloads.size();
        });
    std::size_t done_before = 0;
    for (std::vector<Measurement> measurements = measurements_of(tasks); !measurements.empty();
         measurements = measurements_of(tasks)) {
        for_each_in_parallel(
            measurements.size(), threads,
            [&](std::size_t number) {
                Measurement& measurement = measurements[number];
                if (const auto known = checkpoint.find(measurement.workload, measurement.evaluation)) {
                    measurement.value = *known;
                    return;
                }
                measurement.value = hooks.measure(measurement.workload, *measurement.weights);
                checkpoint.add(measurement.workload, measurement.evaluation, measurement.value);
            },
            [&](std::size_t done) {
                if (hooks.progress) {
                    hooks.progress(done_before + done, total);
                }
            });
        if (hooks.evaluated) {
            for (const Measurement& measurement : measurements) {
                hooks.evaluated(measurement.workload, measurement.evaluation + 1, *measurement.weights,
                                measurement.value);
            }
        }
        tell(tasks, measurements);
        done_before += measurements.size();
    }
}

}  // namespace batfill
