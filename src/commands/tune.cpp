#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <zlib.h>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/replay.hpp>
#include <batfill/tuning.hpp>
#include <batfill/version.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "progress.hpp"
#include "src/core/csv_text.hpp"
#include "src/core/files.hpp"
#include "src/tune/checkpoint.hpp"
#include "src/tune/tuning_run.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

constexpr std::size_t most_evaluations = 10'000'000;
constexpr std::size_t most_points = 2001;
constexpr std::size_t largest_platform = std::size_t{64} << 20;
constexpr const char* weight_columns = "w_q,w_p,w_wait,w_ratio,w_expansion,w_area";

// One of a few words.
std::string word_option(const po::variables_map& values, const std::string& name,
                        const std::vector<std::string>& known) {
    const auto& word = values[name].as<std::string>();
    if (std::find(known.begin(), known.end(), word) == known.end()) {
        throw UsageError("--" + name + ": unknown value '" + word + "', known: " + list_of(known));
    }
    return word;
}

std::size_t number_option(const po::variables_map& values, const std::string& name, std::size_t least, std::size_t most,
                          std::size_t default_value) {
    const std::size_t number = values.count(name) != 0 ? values[name].as<std::size_t>() : default_value;
    if (number < least || number > most) {
        throw UsageError("--" + name + ": expected " + std::to_string(least) + " to " + std::to_string(most) +
                         ", found " + std::to_string(number));
    }
    return number;
}

// How weights are searched for: by which method, with its options.
class SearchOptions {
 public:
    explicit SearchOptions(const po::variables_map& values)
        : xnes_(word_option(values, "method", {"xnes", "cover"}) == "xnes"),
          features_(word_option(values, "features", {"3", "6"}) == "3" ? MixedFeatures::three : MixedFeatures::six),
          seed_(values["seed"].as<std::uint64_t>()),
          evaluations_(number_option(values, "evaluations", 1, most_evaluations, xnes_ ? 5000 : 10'000)),
          points_(number_option(values, "points", 3, most_points, 100)),
          lambda_(values["lambda"].as<double>()) {
        const bool grid = !xnes_ && features_ == MixedFeatures::three;
        if (values.count("points") != 0 && !grid) {
            throw UsageError("--points is for --method cover with --features 3");
        }
        if (values.count("evaluations") != 0 && grid) {
            throw UsageError("--evaluations: with --method cover and --features 3, --points says how many there are");
        }
        if (!values["lambda"].defaulted() && !xnes_) {
            throw UsageError("--lambda is for --method xnes");
        }
        if (!(lambda_ > 0) || std::isinf(lambda_)) {
            throw UsageError("--lambda: expected a number above 0, found " + exact(lambda_));
        }
    }

    std::unique_ptr<WeightSearch> make() const {
        if (xnes_) {
            return xnes_search(features_, evaluations_, lambda_, seed_);
        }
        return features_ == MixedFeatures::three ? grid_search(points_) : uniform_search(evaluations_, seed_);
    }

    // All of them in a few words.
    std::string text() const {
        const std::string features = std::to_string(static_cast<std::size_t>(features_)) + " features";
        if (xnes_) {
            return "xnes, " + features + ", " + std::to_string(evaluations_) + " evaluations, lambda " +
                   exact(lambda_) + ", seed " + std::to_string(seed_);
        }
        if (features_ == MixedFeatures::three) {
            return "cover, " + features + ", " + std::to_string(points_) + " points";
        }
        return "cover, " + features + ", " + std::to_string(evaluations_) + " evaluations, seed " +
               std::to_string(seed_);
    }

 private:
    bool xnes_;
    MixedFeatures features_;
    std::uint64_t seed_;
    std::size_t evaluations_;
    std::size_t points_;
    double lambda_;
};

std::string weights_text(const MixedWeights& weights) {
    std::string text;
    for (const double weight : weights) {
        text += (text.empty() ? "" : ",") + exact(weight);
    }
    return text;
}

// The scheduler whose weights are tuned, without them.
SchedulerChoice read_policy(const po::variables_map& values) {
    SchedulerChoice policy{values["algorithm"].as<std::string>(), {{"order", "mixed"}}};
    if (policy.algorithm == "easy") {
        policy.parameters.emplace_back("backfill-order", "spf");
        policy.parameters.emplace_back("threshold", "200000");
    }
    for (const std::string& assignment : values["parameter"].as<std::vector<std::string>>()) {
        const auto [name, value] = parse_assignment(assignment);
        if (name == "order" || name == "weights") {
            throw UsageError("parameter " + name + " is what tune looks for, it cannot be given");
        }
        const auto given = std::find_if(policy.parameters.begin(), policy.parameters.end(),
                                        [&key = name](const auto& parameter) { return parameter.first == key; });
        if (given != policy.parameters.end()) {
            given->second = value;
        } else {
            policy.parameters.emplace_back(name, value);
        }
    }
    return policy;
}

SchedulerChoice with_weights(SchedulerChoice policy, const MixedWeights& weights) {
    policy.parameters.emplace_back("weights", weights_text(weights));
    return policy;
}

// Throws UsageError if there is no such algorithm, or it has no such parameters.
void require_known(const SchedulerChoice& policy) {
    const SchedulerChoice scheduler = with_weights(policy, {1, 0, 0, 0, 0, 0});
    const Engine engine(scheduler.algorithm, scheduler.parameters);
}

// What --sched-cfg takes.
std::string policy_file_text(const SchedulerChoice& policy, const MixedWeights& weights) {
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    writer.StartObject();
    writer.Key("algorithm");
    writer.String(policy.algorithm);
    writer.Key("params");
    writer.StartObject();
    for (const auto& [name, value] : policy.parameters) {
        writer.Key(name.c_str());
        writer.String(value);
    }
    writer.Key("weights");
    writer.StartArray();
    for (const double weight : weights) {
        const std::string number = exact(weight);
        writer.RawValue(number.c_str(), number.size(), rapidjson::kNumberType);
    }
    writer.EndArray();
    writer.EndObject();
    writer.EndObject();
    return buffer.GetString() + std::string("\n");
}

// What is replayed.
struct Inputs {
    std::vector<std::string> names;  // of the workloads
    std::vector<Replay> replays;
    std::string digest;  // of the files' contents, one line
};

std::string digest_of(const std::string& text) {
    const auto* const bytes = reinterpret_cast<const Bytef*>(text.data());
    return std::to_string(text.size()) + ':' + std::to_string(crc32_z(0, bytes, text.size()));
}

Inputs read_inputs(const po::variables_map& values) {
    Inputs inputs;
    const auto& paths = values["workload"].as<std::vector<std::string>>();
    std::transform(paths.begin(), paths.end(), std::back_inserter(inputs.names), workload_name);
    std::set<std::string> distinct;
    for (const std::string& name : inputs.names) {
        if (!distinct.insert(name).second) {
            throw UsageError("two workloads are called '" + name + "', expected names that tell them apart");
        }
    }
    const std::string platform_path = values["platform"].as<std::string>();
    const std::string platform_text = InputFile(platform_path).read_all(largest_platform);
    const Platform platform = parse_platform(platform_text, platform_path, values["master-host"].as<std::string>());
    inputs.digest = "platform " + digest_of(platform_text) + ", " + std::to_string(platform.hosts.size()) + " hosts";
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
    } catch (const std::exception& problem) {
        throw InputError(replay.workload().path + ": " + problem.what());
    }
    if (!value) {
        throw InputError(replay.workload().path + ": expected a job that counts for " + metric.name());
    }
    return *value;
}

// All options that the values and their order depend on, in one line.
std::string description_of(const SearchOptions& search, bool sum, const ReplayMetric& metric, Duration tau,
                           const SchedulerChoice& policy) {
    std::string text = std::string("batfill tune ") + version + ": " + search.text() + ", over " +
                       (sum ? "sum" : "each") + ", " + metric.name() + ", tau " + tau.to_string() + ", " +
                       policy.algorithm;
    for (const auto& [name, value] : policy.parameters) {
        text.append(" ").append(name).append("=").append(value);
    }
    return text;
}

// What is tuned on its own: a workload, or all together.
std::vector<TuningTask> make_tasks(const SearchOptions& search, bool sum, std::size_t workloads) {
    std::vector<TuningTask> tasks;
    for (std::size_t workload = 0; workload < workloads; ++workload) {
        if (tasks.empty() || !sum) {
            tasks.push_back({search.make(), {}});
        }
        tasks.back().workloads.push_back(workload);
    }
    return tasks;
}

// Whom the results of a task are about, in quotes.
std::string subject(const TuningTask& task, bool sum, const Inputs& inputs) {
    return csv_text(sum ? "sum" : inputs.names[task.workloads.front()]);
}

void write_convergence(const std::string& path, const std::vector<TuningTask>& tasks, bool sum, const Inputs& inputs) {
    OutputFile file(path);
    file.write(std::string("workload,evaluation,start,value,objective,") + weight_columns + '\n');
    for (const TuningTask& task : tasks) {
        for (const WeightSearch::Improvement& improvement : task.search->improvements()) {
            file.write(subject(task, sum, inputs) + ',' + std::to_string(improvement.evaluation) + ',' +
                       std::to_string(improvement.start) + ',' + exact(improvement.value) + ',' +
                       exact(improvement.objective) + ',' + weights_text(improvement.weights) + '\n');
        }
    }
    file.commit();
}

void write_results(const std::string& path, const std::vector<TuningTask>& tasks, bool sum, const Inputs& inputs,
                   const ReplayMetric& metric) {
    OutputFile file(path);
    file.write(std::string("workload,metric,value,") + weight_columns + ",found_at,evaluations\n");
    for (const TuningTask& task : tasks) {
        const WeightSearch::Improvement& best = task.search->best();
        file.write(subject(task, sum, inputs) + ',' + metric.name() + ',' + exact(best.value) + ',' +
                   weights_text(best.weights) + ',' + std::to_string(best.evaluation) + ',' +
                   std::to_string(task.search->evaluations()) + '\n');
    }
    file.commit();
}

void write_policies(const std::string& prefix, const std::vector<TuningTask>& tasks, bool sum, const Inputs& inputs,
                    const SchedulerChoice& policy) {
    for (const TuningTask& task : tasks) {
        OutputFile file(prefix + (sum ? "" : "_" + inputs.names[task.workloads.front()]) + ".json");
        file.write(policy_file_text(policy, task.search->best().weights));
        file.commit();
    }
}

void add_options(po::options_description& options) {
    auto add = options.add_options();
    add("platform,p", po::value<std::string>()->required()->value_name("FILE"), "SimGrid platform file");
    add("workload,w",
        po::value<std::vector<std::string>>()->required()->multitoken()->composing()->value_name("FILE..."),
        "Batsim workloads (JSON, also gzipped), each replayed on its own; all arguments up to the next option");
    add("output,o", po::value<std::string>()->required()->value_name("PREFIX"), "of the files that are written");
    add("over", po::value<std::string>()->default_value("each")->value_name("each|sum"),
        "the best weights for each workload, or those with the smallest sum over all");
    add("method", po::value<std::string>()->default_value("xnes")->value_name("xnes|cover"),
        "natural evolution, or even cover of all weights");
    add("features", po::value<std::string>()->default_value("3")->value_name("3|6"),
        "which have weights: q, p, wait; or also ratio, expansion, area");
    add("metric", po::value<std::string>()->default_value("mean_bounded_slowdown")->value_name("NAME"),
        ("what becomes small: " + list_of(ReplayMetric::known_names())).c_str());
    add("tau", po::value<std::string>()->default_value("10")->value_name("SECONDS"), "bound of the bounded slowdown");
    add("evaluations", po::value<std::size_t>()->value_name("N"),
        "how many weights are tried; 5000, or with --method cover --features 6 10000");
    add("points", po::value<std::size_t>()->value_name("N"),
        "with --method cover --features 3: points per dimension, 100");
    add("lambda", po::value<double>()->default_value(1, "1")->value_name("L"),
        "of xnes: keeps the norm of the weights near 1");
    add("seed", po::value<std::uint64_t>()->default_value(1)->value_name("S"), "of the draws");
    add("threads", po::value<unsigned>()->value_name("N"), "replays at a time; by default as many as there are cores");
    add("algorithm,a", po::value<std::string>()->default_value("easy")->value_name("NAME"), "one that has order=mixed");
    add("parameter,P", po::value<std::vector<std::string>>()->default_value({}, "")->value_name("KEY=VALUE"),
        "another parameter of it; repeatable; easy has backfill-order=spf and threshold=200000 unless told otherwise");
    add("master-host,m", po::value<std::string>()->default_value("master_host")->value_name("NAME"),
        "host of the platform that does not compute");
    add("values", po::value<std::string>()->value_name("FILE"),
        "also write the value of all weights tried as csv, gzipped if it ends in .gz");
}

}  // namespace

int tune(const Arguments& arguments) {
    po::options_description options;
    add_options(options);
    po::variables_map values;
    if (!parse(arguments, "batfill tune -p PLATFORM.xml -w WORKLOAD.json... -o PREFIX [OPTION]...",
               "Searches for the weights of a mixed policy under which a metric of replays is smallest. Writes policy "
               "files for\n--sched-cfg (PREFIX_WORKLOAD.json, or PREFIX.json with --over sum), PREFIX_results.csv and "
               "PREFIX_convergence.csv.\nThe same command continues a run that was killed.",
               options, {}, values)) {
        return 0;
    }
    const SearchOptions search(values);
    const bool sum = word_option(values, "over", {"each", "sum"}) == "sum";
    const Duration tau = seconds_option("--tau", values["tau"].as<std::string>(), Duration::microseconds(1));
    const ReplayMetric metric(values["metric"].as<std::string>(), tau);
    const unsigned threads = threads_option(values);
    const SchedulerChoice policy = read_policy(values);
    require_known(policy);
    const std::string prefix = values["output"].as<std::string>();
    require_writable_folder(prefix);
    const Inputs inputs = read_inputs(values);

    const auto begin = std::chrono::steady_clock::now();
    std::vector<TuningTask> tasks = make_tasks(search, sum, inputs.replays.size());
    const std::string description = description_of(search, sum, metric, tau, policy) + ", " + inputs.digest;
    Checkpoint checkpoint(prefix + "_checkpoint.csv", description, inputs.replays.size(),
                          tasks.front().search->evaluations());
    std::optional<OutputFile> all_values;
    TuningHooks hooks;
    hooks.measure = [&](std::size_t workload, const MixedWeights& weights) {
        return measure(inputs.replays[workload], with_weights(policy, weights), metric);
    };
    if (values.count("values") != 0) {
        all_values.emplace(values["values"].as<std::string>());
        all_values->write(std::string("workload,evaluation,value,") + weight_columns + '\n');
        hooks.evaluated = [&](std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value) {
            all_values->write(csv_text(inputs.names[workload]) + ',' + std::to_string(evaluation) + ',' + exact(value) +
                              ',' + weights_text(weights) + '\n');
        };
    }
    std::size_t replays = 0;
    {
        std::optional<ProgressBar> bar;
        hooks.progress = [&](std::size_t done, std::size_t total) {
            if (!bar) {
                bar.emplace(total);
            }
            replays = total;
            bar->show(done, std::to_string(done) + " of " + std::to_string(total) + " replays");
        };
        run_searches(tasks, hooks, checkpoint, threads);
    }
    write_convergence(prefix + "_convergence.csv", tasks, sum, inputs);
    write_results(prefix + "_results.csv", tasks, sum, inputs, metric);
    write_policies(prefix, tasks, sum, inputs, policy);
    if (all_values) {
        all_values->commit();
    }
    checkpoint.finish();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%zu workloads, %s: %zu replays, %zu of them done before, in %.1f s; wrote %s_results.csv\n",
                inputs.replays.size(), search.text().c_str(), replays, checkpoint.found(), seconds, prefix.c_str());
    return 0;
}

}  // namespace batfill::commands
