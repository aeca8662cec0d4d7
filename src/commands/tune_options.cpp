#include "tune_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/version.hpp>

#include "inputs.hpp"
#include "platform_option.hpp"
#include "src/core/csv_text.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

constexpr std::size_t max_evaluations = 10'000'000;
constexpr std::size_t max_points = 2001;

std::size_t number_option(const po::variables_map& values, const std::string& name, std::size_t min, std::size_t max,
                          std::size_t default_value) {
    const std::size_t number = values.count(name) != 0 ? values[name].as<std::size_t>() : default_value;
    if (number < min || number > max) {
        throw UsageError("--" + name + ": expected " + std::to_string(min) + " to " + std::to_string(max) + ", found " +
                         std::to_string(number));
    }
    return number;
}

constexpr std::array<const char*, 6> feature_names{"q", "p", "wait", "ratio", "expansion", "area"};

// The scales of all features; 1 for those without an option. None if there is no such option.
std::optional<MixedScales> read_scales(const po::variables_map& values) {
    if (values.count("scale") == 0) {
        return std::nullopt;
    }
    const std::size_t features = values["features"].as<std::string>() == "3" ? 3 : feature_names.size();
    MixedScales scales{1, 1, 1, 1, 1, 1};
    std::set<std::string> seen;
    for (const std::string& assignment : values["scale"].as<std::vector<std::string>>()) {
        const std::size_t equals = std::min(assignment.find('='), assignment.size());
        const std::string name = assignment.substr(0, equals);
        const auto* const feature = std::find(feature_names.begin(), feature_names.end(), name);
        double scale = 0;
        const char* const end = assignment.data() + assignment.size();
        const char* const begin = std::min(assignment.data() + equals + 1, end);
        const auto [rest, error] = std::from_chars(begin, end, scale);
        if (feature == feature_names.end() || error != std::errc() || rest != end || !std::isfinite(scale)) {
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
        scales.at(place) = scale;
    }
    return scales;
}

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
        if (name == "scales") {
            throw UsageError("parameter scales: expected --scale FEATURE=NUMBER instead");
        }
        const auto given = std::find_if(policy.parameters.begin(), policy.parameters.end(),
                                        [&key = name](const auto& parameter) { return parameter.first == key; });
        if (given != policy.parameters.end()) {
            given->second = value;
        } else {
            policy.parameters.emplace_back(name, value);
        }
    }
    if (const std::optional<MixedScales> scales = read_scales(values)) {
        policy.parameters.emplace_back("scales", numbers_text(*scales));
    }
    return policy;
}

// Throws UsageError if there is no such algorithm, or it has no such parameters.
void require_known(const SchedulerChoice& policy) {
    const SchedulerChoice scheduler = with_weights(policy, {1, 0, 0, 0, 0, 0});
    const Engine engine(scheduler.algorithm, scheduler.parameters);
}

}  // namespace

SearchOptions::SearchOptions(const po::variables_map& values)
    : xnes_(word_option(values, "method", {"xnes", "cover"}) == "xnes"),
      features_(word_option(values, "features", {"3", "6"}) == "3" ? MixedFeatures::three : MixedFeatures::six),
      seed_(values["seed"].as<std::uint64_t>()),
      evaluations_(number_option(values, "evaluations", 1, max_evaluations, xnes_ ? 5000 : 10'000)),
      points_(number_option(values, "points", 3, max_points, 100)),
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

std::unique_ptr<WeightSearch> SearchOptions::make() const {
    if (xnes_) {
        return xnes_search(features_, evaluations_, lambda_, seed_);
    }
    return features_ == MixedFeatures::three ? grid_search(points_) : uniform_search(evaluations_, seed_);
}

std::string SearchOptions::text() const {
    const std::string features = std::to_string(static_cast<std::size_t>(features_)) + " features";
    if (xnes_) {
        return "xnes, " + features + ", " + std::to_string(evaluations_) + " evaluations, lambda " + exact(lambda_) +
               ", seed " + std::to_string(seed_);
    }
    if (features_ == MixedFeatures::three) {
        return "cover, " + features + ", " + std::to_string(points_) + " points";
    }
    return "cover, " + features + ", " + std::to_string(evaluations_) + " evaluations, seed " + std::to_string(seed_);
}

TuneOptions::TuneOptions(const po::variables_map& values)
    : search(values),
      sum(word_option(values, "over", {"each", "sum"}) == "sum"),
      tau(seconds_option("--tau", values["tau"].as<std::string>(), Duration::microseconds(1))),
      metric(values["metric"].as<std::string>(), tau),
      threads(threads_option(values)),
      policy(read_policy(values)),
      workloads(values["workload"].as<std::vector<std::string>>()),
      platform(values["platform"].as<std::string>()),
      master_host(values["master-host"].as<std::string>()),
      prefix(values["output"].as<std::string>()) {
    require_known(policy);
    if (values.count("values") != 0) {
        values_file = values["values"].as<std::string>();
    }
}

std::string TuneOptions::description() const {
    std::string text = std::string("batfill tune ") + version + ": " + search.text() + ", over " +
                       (sum ? "sum" : "each") + ", " + metric.name() + ", tau " + tau.to_string() + ", " +
                       policy.algorithm;
    for (const auto& [name, value] : policy.parameters) {
        text.append(" ").append(name).append("=").append(value);
    }
    return text;
}

void add_tune_options(po::options_description& options) {
    auto add = options.add_options();
    add("platform,p", po::value<std::string>()->required()->value_name(platform_value), platform_help);
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
    add("scale", po::value<std::vector<std::string>>()->value_name("FEATURE=NUMBER"),
        "divides a feature before it is weighed, 1 unless told otherwise; a negative one turns its sign; repeatable");
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

}  // namespace batfill::commands
