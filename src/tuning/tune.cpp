#include "src/tuning/tune.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <set>

#include <zlib.h>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/version.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/names.hpp"
#include "src/tuning/checkpoint.hpp"
#include "src/tuning/tune_results.hpp"
#include "src/tuning/tuning_run.hpp"

namespace batfill {

namespace {

// All that is replayed.
struct Inputs {
    std::vector<std::string> names;  // of the workloads
    std::vector<Replay> replays;
    std::string digest;  // a line that tells the contents of the files apart from others
};

std::string digest_of(const std::string& text) {
    const auto* const bytes = reinterpret_cast<const Bytef*>(text.data());
    return std::to_string(text.size()) + ':' + std::to_string(crc32_z(0, bytes, text.size()));
}

Inputs read_inputs(const TuneRequest& options) {
    Inputs inputs;
    const auto& paths = options.workloads;
    std::transform(paths.begin(), paths.end(), std::back_inserter(inputs.names), workload_name);
    std::set<std::string> distinct;
    for (const std::string& name : inputs.names) {
        if (!distinct.insert(name).second) {
            throw UsageError("two workloads are called '" + name + "', expected names that tell them apart");
        }
    }
    Platform platform;
    if (const std::optional<int> hosts = number_of_hosts(options.platform)) {
        platform = homogeneous_platform(*hosts);
        inputs.digest = "platform of " + std::to_string(*hosts) + " hosts";
    } else {
        const std::string path = platform_file(options.platform);
        const std::string text = read_platform_text(path);
        platform = parse_platform(text, path, options.master_host);
        inputs.digest = "platform " + digest_of(text) + ", " + std::to_string(platform.hosts.size()) + " hosts";
    }
    for (const std::string& path : paths) {
        const std::string text = read_workload_text(path);
        inputs.replays.emplace_back(platform, parse_workload(text, path, "w0"));
        inputs.digest += ", workload " + digest_of(text);
    }
    return inputs;
}

double measure(const Replay& replay, const SchedulerChoice& scheduler, const ReplayMetric& metric) {
    std::optional<double> value;
    try {
        value = replay.measure(scheduler, metric);
    } catch (const std::bad_alloc&) {
        throw;  // is no fault of what was replayed
    } catch (const std::exception& problem) {
        throw InputError(replay.scenario().workloads.front().path + ": " + problem.what());
    }
    if (!value) {
        throw InputError(replay.scenario().workloads.front().path + ": expected a job that counts for " +
                         metric.name());
    }
    return *value;
}

// One task for each workload, or one for all of them together.
std::vector<TuningTask> make_tasks(const TuneRequest& options, std::size_t workloads) {
    std::vector<TuningTask> tasks;
    for (std::size_t workload = 0; workload < workloads; ++workload) {
        if (tasks.empty() || !options.sum) {
            tasks.push_back({options.search.make(), {}});
        }
        tasks.back().workloads.push_back(workload);
    }
    return tasks;
}

// Runs the searches to their ends. Returns how many replays that takes in all.
std::size_t run_all(std::vector<TuningTask>& tasks, const TuneRequest& options, const Inputs& inputs,
                    TuneResults& results, Checkpoint& checkpoint,
                    const std::function<void(std::size_t, std::size_t)>& progress) {
    std::size_t replays = 0;
    TuningHooks hooks;
    hooks.measure = [&](std::size_t workload, const MixedWeights& weights) {
        return measure(inputs.replays[workload], with_weights(options.policy, weights), options.metric);
    };
    hooks.evaluated = [&](std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value) {
        results.add_value(workload, evaluation, weights, value);
    };
    hooks.progress = [&](std::size_t done, std::size_t total) {
        replays = total;
        progress(done, total);
    };
    run_searches(tasks, hooks, checkpoint, options.threads);
    return replays;
}

}  // namespace

std::unique_ptr<WeightSearch> SearchRequest::make() const {
    if (xnes) {
        return xnes_search(features, evaluations, lambda, seed);
    }
    return features == MixedFeatures::three ? grid_search(points) : uniform_search(evaluations, seed);
}

std::string SearchRequest::text() const {
    const std::string weighed = std::to_string(static_cast<std::size_t>(features)) + " features";
    if (xnes) {
        return "xnes, " + weighed + ", " + std::to_string(evaluations) + " evaluations, lambda " + exact(lambda) +
               ", seed " + std::to_string(seed);
    }
    if (features == MixedFeatures::three) {
        return "cover, " + weighed + ", " + std::to_string(points) + " points";
    }
    return "cover, " + weighed + ", " + std::to_string(evaluations) + " evaluations, seed " + std::to_string(seed);
}

std::string TuneRequest::description() const {
    std::string text = std::string("batfill tune ") + version + ": " + search.text() + ", over " +
                       (sum ? "sum" : "each") + ", " + metric.name() + ", tau " + tau.to_string() + ", " +
                       policy.algorithm;
    for (const auto& [name, value] : policy.parameters) {
        text.append(" ").append(name).append("=").append(value);
    }
    return text;
}

TuneOutcome tune(const TuneRequest& request, const std::function<void(std::size_t, std::size_t)>& progress) {
    const Inputs inputs = read_inputs(request);
    const auto begin = std::chrono::steady_clock::now();
    std::vector<TuningTask> tasks = make_tasks(request, inputs.replays.size());
    Checkpoint checkpoint(request.prefix + "_checkpoint.csv", request.description() + ", " + inputs.digest,
                          inputs.replays.size(), tasks.front().search->evaluations());
    TuneResults results(request, inputs.names);
    TuneOutcome outcome;
    outcome.replays = run_all(tasks, request, inputs, results, checkpoint, progress);
    outcome.written = results.write(tasks);
    checkpoint.finish();
    outcome.done_before = checkpoint.found();
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
}

std::string numbers_text(const std::array<double, 6>& numbers) {
    std::string text;
    for (const double number : numbers) {
        text += (text.empty() ? "" : ",") + exact(number);
    }
    return text;
}

SchedulerChoice with_weights(SchedulerChoice policy, const MixedWeights& weights) {
    policy.parameters.emplace_back("weights", numbers_text(weights));
    return policy;
}

}  // namespace batfill
