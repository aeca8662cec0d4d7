#include "src/tuning/tune.hpp"

#include <algorithm>
#include <chrono>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/mapped.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/tuning/checkpoint.hpp"
#include "src/tuning/tuning_run.hpp"

namespace batfill {

namespace {

double measure(const Replay& replay, const SchedulerChoice& scheduler, const ReplayMetric& metric) {
    const auto run = [&] {
        if (const std::optional<double> value = replay.measure(scheduler, metric)) {
            return *value;
        }
        throw InputError("expected a job that counts for " + metric.name());
    };
    return with_place_in_errors(replay.scenario().workloads.front().path, run, UsageErrors::stay);
}

std::unique_ptr<WeightSearch> search_of(const SearchRequest& request) {
    if (request.xnes) {
        return xnes_search(request.features, request.evaluations, request.lambda, request.seed);
    }
    return request.features == MixedFeatures::three ? grid_search(request.points)
                                                    : uniform_search(request.evaluations, request.seed);
}

// One task for each workload, or one for all of them together.
std::vector<TuningTask> make_tasks(const TuneRequest& options, std::size_t workloads) {
    std::vector<TuningTask> tasks;
    for (std::size_t workload = 0; workload < workloads; ++workload) {
        if (tasks.empty() || !options.sum) {
            tasks.push_back({search_of(options.search), {}});
        }
        tasks.back().workloads.push_back(workload);
    }
    return tasks;
}

constexpr const char* weight_columns = "w_q,w_p,w_wait,w_ratio,w_expansion,w_area";

// The text of a file for --sched-cfg.
std::string policy_file_text(const WrittenScheduler& policy, const MixedWeights& weights) {
    JsonWriter json;
    json.open_object();
    json.key("algorithm").text(policy.algorithm);
    json.key("params").open_object();
    const SchedulerChoice tuned = with_weights(policy, weights);
    for (const auto& [name, value] : tuned.parameters().given()) {
        json.key(name);
        if (name == "weights" || name == "scales") {
            json.raw('[' + value + ']');
        } else {
            json.text(value);
        }
    }
    json.close_object();
    json.close_object();
    return json.written() + '\n';
}

std::vector<TunedWeights> best_of(const std::vector<TuningTask>& tasks, const std::vector<std::string>& subjects) {
    std::vector<TunedWeights> result;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const WeightSearch& search = *tasks[i].search;
        const WeightSearch::Improvement& best = search.best();
        result.push_back({subjects[i], best.value, best.weights, best.evaluation, search.evaluations()});
    }
    return result;
}

void write_convergence(const std::vector<TuningTask>& tasks, const std::vector<std::string>& subjects,
                       OutputFile& file) {
    file.write(std::string("workload,evaluation,start,value,objective,") + weight_columns + '\n');
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        for (const WeightSearch::Improvement& improvement : tasks[i].search->improvements()) {
            file.write(csv_text(subjects[i]) + ',' + std::to_string(improvement.evaluation) + ',' +
                       std::to_string(improvement.start) + ',' + exact(improvement.value) + ',' +
                       exact(improvement.objective) + ',' + numbers_text(improvement.weights) + '\n');
        }
    }
}

void write_best(const std::vector<TunedWeights>& best, const std::string& metric, OutputFile& file) {
    file.write(std::string("workload,metric,value,") + weight_columns + ",found_at,evaluations\n");
    for (const TunedWeights& one : best) {
        file.write(csv_text(one.workload) + ',' + metric + ',' + exact(one.value) + ',' + numbers_text(one.weights) +
                   ',' + std::to_string(one.found_at) + ',' + std::to_string(one.evaluations) + '\n');
    }
}

// How to measure weights, and a line in the file of all values, if there is one, for each.
TuningHooks hooks_of(const TuneRequest& request, const TuneInputs& inputs, OutputFile* values,
                     const std::function<void(std::size_t, std::size_t)>& progress) {
    TuningHooks hooks;
    hooks.measure = [&](std::size_t workload, const MixedWeights& weights) {
        if (request.before_replay) {
            request.before_replay();
        }
        return measure(inputs.replays()[workload], with_weights(request.policy, weights), request.metric);
    };
    if (values != nullptr) {
        values->write(std::string("workload,evaluation,value,") + weight_columns + '\n');
        hooks.evaluated = [&inputs, values](std::size_t workload, std::size_t evaluation, const MixedWeights& weights,
                                            double value) {
            values->write(csv_text(inputs.names()[workload]) + ',' + std::to_string(evaluation) + ',' + exact(value) +
                          ',' + numbers_text(weights) + '\n');
        };
    }
    hooks.progress = progress;
    return hooks;
}

// Describes, in one line, the program and all options that the values and their order depend on.
std::string description_of(const TuneRequest& request) {
    const WrittenScheduler& policy = request.policy;
    std::string text = "batfill tune " + hash_of_program(request.plugins) + ": " + request.search.text() + ", over " +
                       (request.sum ? "sum" : "each") + ", " + request.metric.name() + ", tau " +
                       request.tau.to_string() + ", " + policy.algorithm;
    for (const auto& [name, value] : policy.parameters) {
        text.append(" ").append(name).append("=").append(value);
    }
    return text;
}

}  // namespace

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

TuneInputs::TuneInputs(const std::string& platform, const MachineDetails& machine) {
    if (const std::optional<int> hosts = number_of_hosts(platform)) {
        platform_ = homogeneous_platform(*hosts);
        digest_ = "platform of " + std::to_string(*hosts) + " hosts";
    } else {
        const std::string path = platform_file(platform);
        const std::string text = read_platform_text(path);
        platform_ = parse_platform(text, path, machine.master_host);
        digest_ = "platform " + sha256(text) + " without " + machine.master_host;
    }
    add_details(platform_, machine);
    for (const auto& [name, total] : machine.pools) {
        digest_ += ", pool " + name + "=" + std::to_string(total);
    }
    digest_ += machine.capacity ? ", capacity " + *machine.capacity : "";
    if (!platform_.windows.empty()) {
        const std::string hash = machine.windows_text ? sha256(*machine.windows_text) : sha256_of_file(machine.windows);
        digest_ += ", windows " + hash;
    }
    if (!platform_.limits.empty()) {
        const std::string hash = machine.limits_text ? sha256(*machine.limits_text) : sha256_of_file(machine.limits);
        digest_ += ", limits " + hash;
    }
}

void TuneInputs::add(const std::string& name, Workload workload, const std::string& hash) {
    refuse_if(std::ranges::find(names_, name) != names_.end(), "two workloads are called '", name,
              "', expected names that tell them apart");
    names_.push_back(name);
    replays_.emplace_back(platform_, std::move(workload));
    digest_ += ", workload " + hash;
}

void TuneInputs::add_file(const std::string& path, const Note& note) {
    const std::string text = named_workload_text(path, note);
    add(workload_name(path), parse_workload(text, path, "w0"), sha256(text));
}

TuneFiles::TuneFiles(const std::string& prefix, bool sum, const std::vector<std::string>& names)
    : checkpoint(prefix + "_checkpoint.csv"),
      convergence(prefix + "_convergence.csv"),
      results(prefix + "_results.csv") {
    if (sum) {
        policies.push_back(prefix + ".json");
    } else {
        policies = mapped(names, [&](const auto& name) { return prefix + '_' + name + ".json"; });
    }
}

TuneOutcome tune(const TuneRequest& request, const TuneInputs& inputs,
                 const std::function<void(std::size_t, std::size_t)>& progress) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<TuningTask> tasks = make_tasks(request, inputs.replays().size());
    const TuneFiles names(request.prefix.value_or(""), request.sum, inputs.names());
    const bool writes = request.prefix.has_value();
    std::optional<Checkpoint> checkpoint;
    if (writes) {
        checkpoint.emplace(names.checkpoint, description_of(request) + ", " + inputs.digest(), inputs.replays().size(),
                           tasks.front().search->evaluations());
    }
    OutputFiles files;
    OutputFile* const values = request.values_file ? &files.add(*request.values_file) : nullptr;
    TuneOutcome outcome;
    outcome.replays = run_searches(tasks, hooks_of(request, inputs, values, progress),
                                   checkpoint ? &*checkpoint : nullptr, request.threads);
    const std::vector<std::string> subjects = request.sum ? std::vector<std::string>{"sum"} : inputs.names();
    outcome.best = best_of(tasks, subjects);
    if (writes) {
        write_convergence(tasks, subjects, files.add(names.convergence));
        write_best(outcome.best, request.metric.name(), files.add(names.results));
        for (std::size_t i = 0; i < names.policies.size(); ++i) {
            files.add(names.policies[i]).write(policy_file_text(request.policy, outcome.best[i].weights));
        }
    }
    outcome.written = files.commit();
    if (checkpoint) {
        checkpoint->finish();
        outcome.done_before = checkpoint->found();
    }
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return outcome;
}

std::string numbers_text(const std::array<double, 6>& numbers) {
    return list_of(mapped(numbers, exact), ",");
}

SchedulerChoice with_weights(WrittenScheduler policy, const MixedWeights& weights) {
    policy.parameters.emplace_back("weights", numbers_text(weights));
    return choice_of(policy);
}

}  // namespace batfill
