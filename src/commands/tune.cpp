#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "command.hpp"
#include "inputs.hpp"
#include "parsers.hpp"
#include "src/choice/named_scheduler.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"
#include "src/support/progress.hpp"
#include "src/support/split.hpp"

namespace batfill::commands {

namespace {

constexpr std::size_t max_evaluations = 10'000'000;
constexpr std::size_t max_points = 2001;

constexpr std::array<const char*, 6> feature_names{"q", "p", "wait", "ratio", "expansion", "area"};

// What the options say beside the fields of the request.
struct TuneOptions {
    std::string algorithm;
    std::vector<std::string> parameters;
    std::map<std::size_t, double> scales;  // by the place of the feature
    std::string metric;
};

Value feature_scales(std::map<std::size_t, double>& scales) {
    return Value("FEATURE=NUMBER",
                 [&scales](const std::string& text) {
                     const auto [name, number] = cut(text, '=');
                     const auto place =
                         static_cast<std::size_t>(std::ranges::find(feature_names, name) - feature_names.begin());
                     const auto scale = number_in<double>(number);
                     if (place == feature_names.size() || !scale || !std::isfinite(*scale)) {
                         throw UsageError("expected FEATURE=NUMBER with a feature of " +
                                          list_of({feature_names.begin(), feature_names.end()}) + ", found '" + text +
                                          "'");
                     }
                     const bool is_new = scales.emplace(place, *scale).second;
                     refuse_if(!is_new, "expected one scale of " + std::string(name) + ", found two");
                 })
        .repeatable();
}

// The scales of all features; 1 for those without an option.
MixedScales scales_of(const TuneOptions& options, MixedFeatures features) {
    const std::size_t count = features == MixedFeatures::three ? 3 : feature_names.size();
    MixedScales scales{1, 1, 1, 1, 1, 1};
    for (const auto& [place, scale] : options.scales) {
        refuse_if(place >= count, std::string("--scale ") + feature_names.at(place) + " is for --features 6");
        scales.at(place) = scale;
    }
    return scales;
}

WrittenScheduler policy_of(const TuneOptions& options, MixedFeatures features) {
    const WrittenScheduler given = read_choice(options.algorithm, options.parameters);
    WrittenScheduler policy{given.algorithm, {{"order", "mixed"}}};
    if (policy.algorithm == "easy") {
        policy.parameters.emplace_back("backfill-order", "spf");
        policy.parameters.emplace_back("threshold", "200000");
    }
    for (const auto& [name, value] : given.parameters) {
        refuse_if(name == "order" || name == "weights",
                  "parameter " + name + " is what tune looks for, it cannot be given");
        refuse_if(name == "period", "parameter period searches for weights in each replay, tune does so once for all");
        refuse_if(name == "scales", "parameter scales: expected --scale FEATURE=NUMBER instead");
        const auto known = std::find_if(policy.parameters.begin(), policy.parameters.end(),
                                        [&key = name](const auto& parameter) { return parameter.first == key; });
        if (known != policy.parameters.end()) {
            known->second = value;
        } else {
            policy.parameters.emplace_back(name, value);
        }
    }
    if (!options.scales.empty()) {
        policy.parameters.emplace_back("scales", numbers_text(scales_of(options, features)));
    }
    return policy;
}

void add_tune_options(Options& options, TuneRequest& request, TuneOptions& read) {
    SearchRequest& search = request.search;
    options.group("Input");
    options.add("platform,p", text(request.platform, platform_value).required(), platform_help);
    options.add(
        "workload,w", text(request.workloads, "FILE...").required().multitoken(),
        "workloads (Batsim's JSON, or logs .swf; also gzipped), each replayed on its own; all arguments up to the next option");
    add_master_host_option(options, request.master_host);
    options.group("Scheduler");
    options.add("algorithm,a", text(read.algorithm, "NAME").otherwise("easy"),
                "algorithm with order=mixed, also with parameters: easy,threshold=3600");
    options.add(
        "parameter,P", text(read.parameters, "KEY=VALUE"),
        "another parameter of the algorithm; repeatable; easy has backfill-order=spf and threshold=200000 by default");
    add_plugin_option(options, &request.plugins);
    options.group("Search");
    options.add("over", word(request.sum, "each|sum", {{"each", false}, {"sum", true}}).otherwise("each"),
                "the best weights for each workload, or those with the smallest sum over all");
    options.add("method", word(search.xnes, "xnes|cover", {{"xnes", true}, {"cover", false}}).otherwise("xnes"),
                "natural evolution, or even cover of all weights");
    options.add("features",
                word(search.features, "3|6", {{"3", MixedFeatures::three}, {"6", MixedFeatures::six}}).otherwise("3"),
                "which have weights: q, p, wait; or also ratio, expansion, area");
    options.add("scale", feature_scales(read.scales),
                "divides a feature before it is weighted (default 1); a negative number turns its sign; repeatable");
    options.add("metric", text(read.metric, "NAME").otherwise("mean_bounded_slowdown"),
                "metric to minimise: " + metric_names_help());
    add_tau_option(options, request.tau);
    options.add("evaluations", number(search.evaluations, "N", 1, max_evaluations),
                "number of weights to try (default 5000; with --method cover --features 6, 10000)");
    options.add("points", number(search.points, "N", 3, max_points),
                "with --method cover --features 3: points per dimension (default 100)");
    const auto positive = [](const std::string& text) {
        const auto number = number_in<double>(text);
        return number && *number > 0 && std::isfinite(*number) ? number : std::nullopt;
    };
    options.add("lambda", value(search.lambda, "L", positive, "a number above 0").otherwise("1"),
                "of xnes: keeps the norm of the weights near 1");
    options.add("seed", number(search.seed, "S").otherwise("1"), "seed of the search");
    options.group("Output");
    options.add("output,o", text(request.prefix, "PREFIX").required(), "prefix of the output files");
    options.add("values", text(request.values_file, "FILE"),
                "also write the value of all weights tried as csv, gzipped if it ends in .gz");
    options.group("Speed");
    add_threads_option(options, request.threads);
}

void complete(const Options& options, SearchRequest& search) {
    const bool grid = !search.xnes && search.features == MixedFeatures::three;
    refuse_if(options.given("points") && !grid, "--points is for --method cover with --features 3");
    refuse_if(options.given("evaluations") && grid,
              "--evaluations: with --method cover and --features 3, --points says how many there are");
    refuse_if(options.given("lambda") && !search.xnes, "--lambda is for --method xnes");
    if (!options.given("evaluations")) {
        search.evaluations = search.xnes ? 5000 : 10'000;
    }
}

// `parameters` are those of the options: some may be files.
void require_separate_files(const TuneRequest& request, const std::vector<std::string>& parameters) {
    const TuneFiles files(request);
    std::vector<std::string> written = files.policies;
    written.insert(written.end(), {files.checkpoint, files.convergence, files.results});
    std::vector<std::string> inputs = parameters;
    inputs.insert(inputs.end(), request.workloads.begin(), request.workloads.end());
    inputs.push_back(request.platform);
    require_no_input("values", request.values_file, inputs);
    for (const std::string& path : written) {
        require_no_input("output", path, inputs);
        require_other_file("values", request.values_file, "output", path);
    }
}

}  // namespace

std::optional<TuneRequest> parse_tune_options(const Arguments& arguments, OptionsFrom origin) {
    TuneRequest request;
    request.search.points = 100;
    TuneOptions read;
    Options options;
    add_tune_options(options, request, read);
    if (!options.parse(
            arguments, "batfill tune -p PLATFORM.xml -w WORKLOAD.json... -o PREFIX [OPTION]...",
            "Searches for the weights of a mixed policy that minimise a metric of replays. Writes policy files for\n"
            "--sched-cfg (PREFIX_WORKLOAD.json, or PREFIX.json with --over sum), PREFIX_results.csv and PREFIX_convergence.csv.\n"
            "Repeat the command to resume a run that was killed.",
            {"tune -p sdsc-sp2 -w weeks/*.json -o weights",
             "tune -p 128 -w sp2.json -o weights --features 6 --evaluations 1000"},
            origin)) {
        return std::nullopt;
    }
    complete(options, request.search);
    request.metric = ReplayMetric(read.metric, request.tau);
    request.policy = policy_of(read, request.search.features);
    request.note = note;
    with_weights(request.policy, {1, 0, 0, 0, 0, 0});  // refuses what is no policy
    require_writable_folder(request.prefix);
    require_separate_files(request, read.parameters);
    return request;
}

int tune(const Arguments& arguments) {
    const std::optional<TuneRequest> parsed = parse_tune_options(arguments, OptionsFrom::command_line);
    if (!parsed) {
        return 0;
    }
    const TuneRequest& request = *parsed;
    const TuneOutcome outcome = batfill::tune(request, show_progress("replays"));
    std::printf("%zu workloads, %s: %zu replays, %zu of them done before, in %.1f s; wrote %s\n",
                request.workloads.size(), request.search.text().c_str(), outcome.replays, outcome.done_before,
                outcome.seconds, one_line(enumeration(outcome.written)).c_str());
    return 0;
}

}  // namespace batfill::commands
