#include "tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"
#include "src/support/progress.hpp"

namespace batfill::commands {

namespace {

constexpr std::size_t max_evaluations = 10'000'000;
constexpr std::size_t max_points = 2001;

constexpr std::array<const char*, 6> feature_names{"q", "p", "wait", "ratio", "expansion", "area"};

// The scales of all features; 1 for those without an option. None if there is no such option.
std::optional<MixedScales> read_scales(const Options& options) {
    if (!options.given("scale")) {
        return std::nullopt;
    }
    const std::size_t features = options.get<std::string>("features") == "3" ? 3 : feature_names.size();
    MixedScales scales{1, 1, 1, 1, 1, 1};
    std::set<std::string> seen;
    for (const std::string& assignment : options.get<std::vector<std::string>>("scale")) {
        const std::size_t equals = std::min(assignment.find('='), assignment.size());
        const std::string name = assignment.substr(0, equals);
        const auto* const feature = std::find(feature_names.begin(), feature_names.end(), name);
        const auto scale = number_in<double>(assignment.substr(std::min(equals + 1, assignment.size())));
        if (feature == feature_names.end() || !scale || !std::isfinite(*scale)) {
            throw UsageError("--scale: expected FEATURE=NUMBER with a feature of " +
                             list_of({feature_names.begin(), feature_names.end()}) + ", found '" + assignment + "'");
        }
        const auto place = static_cast<std::size_t>(feature - feature_names.begin());
        if (place >= features) {
            throw UsageError("--scale " + name + " is for --features 6");
        }
        if (!seen.insert(name).second) {
            throw UsageError("--scale: expected one scale of " + name + ", found two");
        }
        scales.at(place) = *scale;
    }
    return scales;
}

SchedulerChoice read_policy(const Options& options) {
    const SchedulerChoice given =
        read_choice(options.get<std::string>("algorithm"), options.get<std::vector<std::string>>("parameter"));
    SchedulerChoice policy{given.algorithm, {{"order", "mixed"}}};
    if (policy.algorithm == "easy") {
        policy.parameters.emplace_back("backfill-order", "spf");
        policy.parameters.emplace_back("threshold", "200000");
    }
    for (const auto& [name, value] : given.parameters) {
        if (name == "order" || name == "weights") {
            throw UsageError("parameter " + name + " is what tune looks for, it cannot be given");
        }
        if (name == "scales") {
            throw UsageError("parameter scales: expected --scale FEATURE=NUMBER instead");
        }
        const auto known = std::find_if(policy.parameters.begin(), policy.parameters.end(),
                                        [&key = name](const auto& parameter) { return parameter.first == key; });
        if (known != policy.parameters.end()) {
            known->second = value;
        } else {
            policy.parameters.emplace_back(name, value);
        }
    }
    if (const std::optional<MixedScales> scales = read_scales(options)) {
        policy.parameters.emplace_back("scales", numbers_text(*scales));
    }
    return policy;
}

void add_tune_options(Options& options) {
    options.group("Input");
    add_replayed_options(options);
    add_master_host_option(options);
    options.group("Scheduler");
    options.add("algorithm,a", Value<std::string>("NAME").otherwise("easy"),
                "algorithm with order=mixed, also with parameters: easy,threshold=3600");
    options.add(
        "parameter,P", Value<std::vector<std::string>>("KEY=VALUE"),
        "another parameter of the algorithm; repeatable; easy has backfill-order=spf and threshold=200000 by default");
    add_plugin_option(options);
    options.group("Search");
    options.add("over", Value<std::string>("each|sum").otherwise("each"),
                "the best weights for each workload, or those with the smallest sum over all");
    options.add("method", Value<std::string>("xnes|cover").otherwise("xnes"),
                "natural evolution, or even cover of all weights");
    options.add("features", Value<std::string>("3|6").otherwise("3"),
                "which have weights: q, p, wait; or also ratio, expansion, area");
    options.add("scale", Value<std::vector<std::string>>("FEATURE=NUMBER"),
                "divides a feature before it is weighted (default 1); a negative number turns its sign; repeatable");
    options.add("metric", Value<std::string>("NAME").otherwise("mean_bounded_slowdown"),
                "metric to minimise: " + metric_names_help());
    add_tau_option(options);
    options.add("evaluations", Value<std::uint64_t>("N"),
                "number of weights to try (default 5000; with --method cover --features 6, 10000)");
    options.add("points", Value<std::uint64_t>("N"),
                "with --method cover --features 3: points per dimension (default 100)");
    options.add("lambda", Value<double>("L").otherwise(1), "of xnes: keeps the norm of the weights near 1");
    options.add("seed", Value<std::uint64_t>("S").otherwise(1), "seed of the search");
    options.group("Output");
    options.add("output,o", Value<std::string>("PREFIX").required(), "prefix of the output files");
    options.add("values", Value<std::string>("FILE"),
                "also write the value of all weights tried as csv, gzipped if it ends in .gz");
    options.group("Speed");
    add_threads_option(options);
}

SearchRequest search_of(const Options& options) {
    SearchRequest search;
    search.xnes = word_option(options, "method", {"xnes", "cover"}) == "xnes";
    search.features = word_option(options, "features", {"3", "6"}) == "3" ? MixedFeatures::three : MixedFeatures::six;
    search.seed = options.get<std::uint64_t>("seed");
    search.evaluations = whole_option(options, "evaluations", 1, max_evaluations, search.xnes ? 5000 : 10'000);
    search.points = whole_option(options, "points", 3, max_points, 100);
    search.lambda = options.get<double>("lambda");
    const bool grid = !search.xnes && search.features == MixedFeatures::three;
    if (options.given("points") && !grid) {
        throw UsageError("--points is for --method cover with --features 3");
    }
    if (options.given("evaluations") && grid) {
        throw UsageError("--evaluations: with --method cover and --features 3, --points says how many there are");
    }
    if (options.given("lambda") && !search.xnes) {
        throw UsageError("--lambda is for --method xnes");
    }
    if (!(search.lambda > 0) || std::isinf(search.lambda)) {
        throw UsageError("--lambda: expected a number above 0, found " + exact(search.lambda));
    }
    return search;
}

TuneRequest read_tune_options(const Options& options) {
    const SearchRequest search = search_of(options);
    const bool sum = word_option(options, "over", {"each", "sum"}) == "sum";
    const Duration tau = tau_option(options);
    TuneRequest read{search,
                     sum,
                     tau,
                     ReplayMetric(options.get<std::string>("metric"), tau),
                     threads_option(options),
                     read_policy(options),
                     options.get<std::vector<std::string>>("workload"),
                     options.get<std::string>("platform"),
                     options.get<std::string>("master-host"),
                     options.get<std::string>("output"),
                     note,
                     optional_text(options, "values")};
    require_usable(with_weights(read.policy, {1, 0, 0, 0, 0, 0}));
    require_writable_folder(read.prefix);
    return read;
}

}  // namespace

std::optional<TuneRequest> parse_tune_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    add_tune_options(options);
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
    load_plugins(options);
    return read_tune_options(options);
}

int tune(const Arguments& arguments) {
    const std::optional<TuneRequest> parsed = parse_tune_options(arguments);
    if (!parsed) {
        return 0;
    }
    const TuneRequest& request = *parsed;
    const TuneOutcome outcome = batfill::tune(request, show_progress("replays"));
    std::printf("%zu workloads, %s: %zu replays, %zu of them done before, in %.1f s; wrote %s\n",
                request.workloads.size(), request.search.text().c_str(), outcome.replays, outcome.done_before,
                outcome.seconds, enumeration(outcome.written).c_str());
    return 0;
}

}  // namespace batfill::commands
