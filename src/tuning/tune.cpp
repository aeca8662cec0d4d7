#include "src/tuning/tune.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <set>
#include <utility>

#include <zlib.h>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/version.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/names.hpp"
#include "src/tuning/checkpoint.hpp"
#include "src/tuning/tuning_run.hpp"
#include "src/workloads/any_workload.hpp"

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
        const std::string text = any_workload_text(path, options.note);
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

constexpr const char* weight_columns = "w_q,w_p,w_wait,w_ratio,w_expansion,w_area";

// The text of a file for --sched-cfg.
std::string policy_file_text(const SchedulerChoice& policy, const MixedWeights& weights) {
    CompactJson json;
    json.open_object();
    json.key("algorithm").text(policy.algorithm);
    json.key("params").open_object();
    const SchedulerChoice tuned = with_weights(policy, weights);
    for (const auto& [name, value] : tuned.parameters) {
        json.key(name.c_str());
        if (name == "weights" || name == "scales") {
            json.raw('[' + value + ']', rapidjson::kArrayType);
        } else {
            json.text(value);
        }
    }
    json.close_object();
    json.close_object();
    return std::string(json.view()) + '\n';
}

// The files that `batfill tune` writes: all of them or none.
// Throws: all members throw InputError if a file cannot be written.
class TuneResults {
 public:
    // `workloads` are the names of the workloads in the files.
    // Requires: `request` outlives the results.
    TuneResults(const TuneRequest& request, std::vector<std::string> workloads);

    // Adds a line to the file of all values, if the user wants one.
    void add_value(std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value);

    // Writes the results of the searches.
    // Requires: the searches are over.
    std::vector<std::string> write(const std::vector<TuningTask>& tasks);
    // Requires: as above.
    std::vector<TunedWeights> best(const std::vector<TuningTask>& tasks) const;

 private:
    const std::string& subject(const TuningTask& task) const;
    void write_convergence(const std::vector<TuningTask>& tasks);
    void write_best(const std::vector<TuningTask>& tasks);
    void write_policies(const std::vector<TuningTask>& tasks);

    const TuneRequest& request_;
    std::vector<std::string> workloads_;
    OutputFiles files_;
    OutputFile* values_ = nullptr;  // file of all values; null if the user wants none
};

TuneResults::TuneResults(const TuneRequest& request, std::vector<std::string> workloads)
    : request_(request), workloads_(std::move(workloads)) {
    if (request.values_file) {
        values_ = &files_.add(*request.values_file);
        values_->write(std::string("workload,evaluation,value,") + weight_columns + '\n');
    }
}

void TuneResults::add_value(std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value) {
    if (values_ != nullptr) {
        values_->write(csv_text(workloads_[workload]) + ',' + std::to_string(evaluation) + ',' + exact(value) + ',' +
                       numbers_text(weights) + '\n');
    }
}

std::vector<std::string> TuneResults::write(const std::vector<TuningTask>& tasks) {
    write_convergence(tasks);
    write_best(tasks);
    write_policies(tasks);
    return files_.commit();
}

// What the results of a task are about: a workload, or the sum over all.
const std::string& TuneResults::subject(const TuningTask& task) const {
    static const std::string all = "sum";
    return request_.sum ? all : workloads_[task.workloads.front()];
}

std::vector<TunedWeights> TuneResults::best(const std::vector<TuningTask>& tasks) const {
    std::vector<TunedWeights> result;
    for (const TuningTask& task : tasks) {
        const WeightSearch::Improvement& best = task.search->best();
        result.push_back({subject(task), best.value, best.weights, best.evaluation, task.search->evaluations()});
    }
    return result;
}

void TuneResults::write_convergence(const std::vector<TuningTask>& tasks) {
    OutputFile& file = files_.add(request_.prefix + "_convergence.csv");
    file.write(std::string("workload,evaluation,start,value,objective,") + weight_columns + '\n');
    for (const TuningTask& task : tasks) {
        for (const WeightSearch::Improvement& improvement : task.search->improvements()) {
            file.write(csv_text(subject(task)) + ',' + std::to_string(improvement.evaluation) + ',' +
                       std::to_string(improvement.start) + ',' + exact(improvement.value) + ',' +
                       exact(improvement.objective) + ',' + numbers_text(improvement.weights) + '\n');
        }
    }
}

void TuneResults::write_best(const std::vector<TuningTask>& tasks) {
    OutputFile& file = files_.add(request_.prefix + "_results.csv");
    file.write(std::string("workload,metric,value,") + weight_columns + ",found_at,evaluations\n");
    for (const TunedWeights& one : best(tasks)) {
        file.write(csv_text(one.workload) + ',' + request_.metric.name() + ',' + exact(one.value) + ',' +
                   numbers_text(one.weights) + ',' + std::to_string(one.found_at) + ',' +
                   std::to_string(one.evaluations) + '\n');
    }
}

void TuneResults::write_policies(const std::vector<TuningTask>& tasks) {
    for (const TuningTask& task : tasks) {
        const std::string suffix = request_.sum ? "" : "_" + workloads_[task.workloads.front()];
        OutputFile& file = files_.add(request_.prefix + suffix + ".json");
        file.write(policy_file_text(request_.policy, task.search->best().weights));
    }
}

// Runs the searches to their ends. Returns how many replays that takes in all.
std::size_t run_all(std::vector<TuningTask>& tasks, const TuneRequest& options, const Inputs& inputs,
                    TuneResults& results, Checkpoint& checkpoint,
                    const std::function<void(std::size_t, std::size_t)>& progress) {
    std::size_t replays = 0;
    TuningHooks hooks;
    hooks.measure = [&](std::size_t workload, const MixedWeights& weights) {
        if (options.before_replay) {
            options.before_replay();
        }
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
    outcome.best = results.best(tasks);
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
