#include <algorithm>
#include <array>
#include <cmath>

#include "src/analysis/measure_options.hpp"
#include "src/choice/named_scheduler.hpp"
#include "src/tuning/tune.hpp"

namespace batfill {

using namespace options;  // NOLINT(google-build-using-namespace): this file declares options

namespace {

constexpr std::size_t max_evaluations = 10'000'000;
constexpr std::size_t max_points = 2001;

constexpr std::array<const char*, 6> feature_names{"q", "p", "wait", "ratio", "expansion", "area"};

Value feature_scales(std::map<std::size_t, double>& scales) {
    const std::string expected =
        "FEATURE=NUMBER with a feature of " + list_of({feature_names.begin(), feature_names.end()});
    const auto add = [&scales, expected](const std::string& name, const std::string& number) {
        const auto place = static_cast<std::size_t>(std::ranges::find(feature_names, name) - feature_names.begin());
        const auto scale = number_in<double>(number);
        refuse_if(place == feature_names.size() || !scale || !std::isfinite(*scale),
                  "expected " + expected + ", found '" + name + "=" + number + "'");
        refuse_if(!scales.emplace(place, *scale).second, "expected one scale of " + name + ", found two");
    };
    return entries("FEATURE=NUMBER", expected, add, {Type::Scalar::number, {}, Type::Scalar::text});
}

// The scales of all features; 1 for those without an option.
MixedScales scales_of(const Options& options, const TuneOptions& read) {
    const MixedFeatures features = read.request.search.features;
    const std::size_t count = features == MixedFeatures::three ? 3 : feature_names.size();
    MixedScales scales{1, 1, 1, 1, 1, 1};
    for (const auto& [place, scale] : read.scales) {
        refuse_if(place >= count, options.written("scale") + " " + feature_names.at(place) + " is for " +
                                      options.written("features") + " 6");
        scales.at(place) = scale;
    }
    return scales;
}

WrittenScheduler policy_of(const Options& options, const TuneOptions& read) {
    const WrittenScheduler given = read_choice(read.algorithm, read.parameters);
    WrittenScheduler policy{given.algorithm, {{"order", "mixed"}}};
    if (policy.algorithm == "easy") {
        policy.parameters.emplace_back("backfill-order", "spf");
        policy.parameters.emplace_back("threshold", "200000");
    }
    for (const auto& [name, value] : given.parameters) {
        refuse_if(name == "order" || name == "weights",
                  "parameter " + name + " is what tune looks for, it cannot be given");
        refuse_if(name == "period", "parameter period searches for weights in each replay, tune does so once for all");
        refuse_if(name == "scales",
                  "parameter scales: expected " + options.written("scale") + " FEATURE=NUMBER instead");
        const auto known = std::ranges::find(policy.parameters, name, &Parameters::Given::value_type::first);
        if (known != policy.parameters.end()) {
            known->second = value;
        } else {
            policy.parameters.emplace_back(name, value);
        }
    }
    if (!read.scales.empty()) {
        policy.parameters.emplace_back("scales", numbers_text(scales_of(options, read)));
    }
    return policy;
}

void complete(const Options& options, TuneOptions& read) {
    TuneRequest& request = read.request;
    SearchRequest& search = request.search;
    const bool grid = !search.xnes && search.features == MixedFeatures::three;
    refuse_if(options.given("points") && !grid, options.written("points") + " is for " + options.written("method") +
                                                    " cover with " + options.written("features") + " 3");
    refuse_if(options.given("evaluations") && grid,
              options.written("evaluations") + ": with " + options.written("method") + " cover and " +
                  options.written("features") + " 3, " + options.written("points") + " says how many there are");
    refuse_if(options.given("lambda") && !search.xnes,
              options.written("lambda") + " is for " + options.written("method") + " xnes");
    if (!options.given("evaluations")) {
        search.evaluations = search.xnes ? 5000 : 10'000;
    }
    request.metric = ReplayMetric(read.metric, request.tau);
    request.policy = policy_of(options, read);
    with_weights(request.policy, {1, 0, 0, 0, 0, 0});  // refuses what is no policy
}

}  // namespace

void add_tune_options(Options& options, TuneOptions& read) {
    TuneRequest& request = read.request;
    SearchRequest& search = request.search;
    options.group("Scheduler");
    options.add("algorithm,a", text(read.algorithm, "NAME").otherwise_as_declared(),
                "algorithm with order=mixed, also with parameters: easy,threshold=3600");
    options.add(
        "parameter,P", text(read.parameters, "KEY=VALUE"),
        "another parameter of the algorithm; repeatable; easy has backfill-order=spf and threshold=200000 by default");
    options.group("Search");
    options.add("over", word(request.sum, "each|sum", {{"each", false}, {"sum", true}}).otherwise_as_declared(),
                "the best weights for each workload, or those with the smallest sum over all");
    options.add("method", word(search.xnes, "xnes|cover", {{"xnes", true}, {"cover", false}}).otherwise_as_declared(),
                "natural evolution, or even cover of all weights");
    options.add(
        "features",
        word(search.features, "3|6", {{"3", MixedFeatures::three}, {"6", MixedFeatures::six}}).otherwise_as_declared(),
        "which have weights: q, p, wait; or also ratio, expansion, area");
    options.add("scale", feature_scales(read.scales),
                "divides a feature before it is weighted (default 1); a negative number turns its sign; repeatable");
    options.add("metric", text(read.metric, "NAME").otherwise_as_declared(),
                "metric to minimise: \n" + list_of(ReplayMetric::known_names(), ",\n"));
    add_tau_option(options, request.tau);
    options.add("evaluations", number(search.evaluations, "N", 1, max_evaluations),
                "number of weights to try (default 5000; with --method cover --features 6, 10000)");
    options.add("points", number(search.points, "N", 3, max_points).otherwise_as_declared(),
                "with --method cover --features 3: points per dimension");
    const auto positive = [](const std::string& text) {
        const auto number = number_in<double>(text);
        return number && *number > 0 && std::isfinite(*number) ? number : std::nullopt;
    };
    Value lambda = value(search.lambda, "L", positive, "a number above 0", {Type::Scalar::number});
    lambda.shown_by([&search] { return text_of(search.lambda); });
    options.add("lambda", lambda.otherwise_as_declared(), "of xnes: keeps the norm of the weights near 1")
        .called("lambda_");
    options.add("seed", number(search.seed, "S").otherwise_as_declared(), "seed of the search");
    options.add_rule([&options, &read] { complete(options, read); });
}

}  // namespace batfill
