#include "src/tuning/tuning_run.hpp"

#include <numeric>

#include "src/support/parallel.hpp"
#include "src/tuning/checkpoint.hpp"

namespace batfill {

namespace {

// One value that a search requests.
struct WeightRequest {
    std::size_t workload;
    std::size_t evaluation;  // from 0
    const MixedWeights* weights;
    double value = 0;
};

// All pending requests of the searches, ordered by task, then by weights, then by workload.
std::vector<WeightRequest> requests_of(std::vector<TuningTask>& tasks) {
    std::vector<WeightRequest> requests;
    for (TuningTask& task : tasks) {
        std::size_t evaluation = task.search->evaluated();
        for (const MixedWeights& weights : task.search->ask()) {
            for (const std::size_t workload : task.workloads) {
                requests.push_back({workload, evaluation, &weights});
            }
            ++evaluation;
        }
    }
    return requests;
}

// Passes each search its sums over its workloads. `requests` is in the order of requests_of().
void tell(std::vector<TuningTask>& tasks, const std::vector<WeightRequest>& requests) {
    auto request = requests.begin();
    for (TuningTask& task : tasks) {
        std::vector<double> sums(task.search->ask().size());
        for (double& sum : sums) {
            for (std::size_t i = 0; i < task.workloads.size(); ++i) {
                sum += (request++)->value;
            }
        }
        task.search->tell(sums);
    }
}

}  // namespace

std::size_t run_searches(std::vector<TuningTask>& tasks, const TuningHooks& hooks, Checkpoint* checkpoint,
                         unsigned threads) {
    const std::size_t total =
        std::accumulate(tasks.begin(), tasks.end(), std::size_t{0}, [](std::size_t sum, const TuningTask& task) {
            return sum + task.search->evaluations() * task.workloads.size();
        });
    std::size_t done_before = 0;
    for (std::vector<WeightRequest> requests = requests_of(tasks); !requests.empty(); requests = requests_of(tasks)) {
        for_each_in_parallel(
            requests.size(), threads,
            [&](std::size_t number) {
                WeightRequest& request = requests[number];
                if (const auto known =
                        checkpoint != nullptr ? checkpoint->find(request.workload, request.evaluation) : std::nullopt) {
                    request.value = *known;
                    return;
                }
                request.value = hooks.measure(request.workload, *request.weights);
                if (checkpoint != nullptr) {
                    checkpoint->add(request.workload, request.evaluation, request.value);
                }
            },
            [&](std::size_t done) {
                if (hooks.progress) {
                    hooks.progress(done_before + done, total);
                }
            });
        if (hooks.evaluated) {
            for (const WeightRequest& request : requests) {
                hooks.evaluated(request.workload, request.evaluation + 1, *request.weights, request.value);
            }
        }
        tell(tasks, requests);
        done_before += requests.size();
    }
    return total;
}

}  // namespace batfill
