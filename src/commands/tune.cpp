#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <new>
#include <optional>
#include <set>

#include <zlib.h>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/replay/replay.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/tuning/checkpoint.hpp"
#include "src/tuning/tuning_run.hpp"
#include "tune_options.hpp"
#include "tune_results.hpp"

namespace batfill::commands {

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

Inputs read_inputs(const TuneOptions& options) {
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
std::vector<TuningTask> make_tasks(const TuneOptions& options, std::size_t workloads) {
    std::vector<TuningTask> tasks;
    for (std::size_t workload = 0; workload < workloads; ++workload) {
        if (tasks.empty() || !options.sum) {
            tasks.push_back({options.search.make(), {}});
        }
        tasks.back().workloads.push_back(workload);
    }
    return tasks;
}

// Runs the searches to their ends under a progress bar. Returns how many replays that takes in all.
std::size_t run(std::vector<TuningTask>& tasks, const TuneOptions& options, const Inputs& inputs, TuneResults& results,
                Checkpoint& checkpoint) {
    std::size_t replays = 0;
    std::optional<Progress> progress;
    TuningHooks hooks;
    hooks.measure = [&](std::size_t workload, const MixedWeights& weights) {
        return measure(inputs.replays[workload], with_weights(options.policy, weights), options.metric);
    };
    hooks.evaluated = [&](std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value) {
        results.add_value(workload, evaluation, weights, value);
    };
    hooks.progress = [&](std::size_t done, std::size_t total) {
        if (!progress) {
            progress.emplace(total);
        }
        replays = total;
        progress->show(done, std::to_string(done) + " of " + std::to_string(total) + " replays");
    };
    run_searches(tasks, hooks, checkpoint, options.threads);
    return replays;
}

}  // namespace

int tune(const Arguments& arguments) {
    Options command_options;
    add_tune_options(command_options);
    add_plugin_option(command_options);
    if (!command_options.parse(
            arguments, "batfill tune -p PLATFORM.xml -w WORKLOAD.json... -o PREFIX [OPTION]...",
            "Searches for the weights of a mixed policy under which a metric of replays is smallest. Writes policy "
            "files for\n--sched-cfg (PREFIX_WORKLOAD.json, or PREFIX.json with --over sum), PREFIX_results.csv and "
            "PREFIX_convergence.csv.\nThe same command continues a run that was killed.")) {
        return 0;
    }
    load_plugins(command_options);
    const TuneOptions options(command_options);
    require_writable_folder(options.prefix);
    const Inputs inputs = read_inputs(options);

    const auto begin = std::chrono::steady_clock::now();
    std::vector<TuningTask> tasks = make_tasks(options, inputs.replays.size());
    Checkpoint checkpoint(options.prefix + "_checkpoint.csv", options.description() + ", " + inputs.digest,
                          inputs.replays.size(), tasks.front().search->evaluations());
    TuneResults results(options, inputs.names);
    const std::size_t replays = run(tasks, options, inputs, results, checkpoint);
    const std::vector<std::string> written = results.write(tasks);
    checkpoint.finish();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%zu workloads, %s: %zu replays, %zu of them done before, in %.1f s; wrote %s\n", inputs.replays.size(),
                options.search.text().c_str(), replays, checkpoint.found(), seconds, enumeration(written).c_str());
    return 0;
}

}  // namespace batfill::commands
