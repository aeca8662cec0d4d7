#include "src/planning/weight_tuner.hpp"

#include <algorithm>
#include <utility>

#include <batfill/core/error.hpp>

namespace batfill {

namespace {

// Null until a maker is registered. A local static exists in any order of initialisation.
WeightTunerRegistration::Maker& registered_maker() {
    static WeightTunerRegistration::Maker maker = nullptr;
    return maker;
}

// Users can configure a daemon through Batsim. They must not be able to keep it busy forever.
constexpr std::uint64_t max_evaluations = 100'000;

}  // namespace

WeightTunerRegistration::WeightTunerRegistration(Maker maker) {
    registered_maker() = maker;
}

std::vector<Parameter> WeightTuner::parameters() {
    std::vector<Parameter> parameters{
        Parameter::seconds("period", "", "how often to tune the weights of order mixed; they begin as given"),
        Parameter::seconds("history", "", "with period: tune with the jobs of this time (four weeks if not given)"),
        Parameter::whole_number("evaluations", "", "with period: number of weights to try (200 if not given)"),
        Parameter::choice("features", {"3", "6"}, "3", "with period: number of weights to tune, from the first on"),
        Parameter::whole_number("seed", "", "with period: seed of the tried weights (1 if not given)"),
    };
    for (Parameter& parameter : parameters) {
        parameter.only_with = {{"period"}};
    }
    parameters.front().only_with = {{"order=mixed", "backfill-order=mixed"}};
    return parameters;
}

std::unique_ptr<WeightTuner> WeightTuner::from(const std::string& algorithm, const Parameters& parameters) {
    const std::optional<Duration> period = parameters.seconds("period");
    const std::optional<Duration> history = parameters.seconds("history");
    const std::optional<std::uint64_t> evaluations = parameters.whole_number("evaluations");
    const std::optional<std::uint64_t> seed = parameters.whole_number("seed");
    const std::size_t features = parameters.choice("features") == "3" ? 3 : 6;
    if (!period) {
        return nullptr;
    }
    refuse_if(*period == Duration() || history == Duration() || evaluations == 0,
              "parameters period, history and evaluations must be more than 0");
    refuse_if(evaluations > max_evaluations, "parameter evaluations: expected at most ",
              std::to_string(max_evaluations));
    const std::vector<double> weights = parameters.numbers("weights");
    refuse_if(registered_maker() == nullptr, "parameter period: this program was built without the tuner");
    // With the tuner's parameters, the algorithm would tune itself in every replay.
    WeightTuning tuning{{algorithm, parameters.values_without(WeightTuner::parameters())},
                        {},
                        *period,
                        history.value_or(Duration::days(28)),
                        evaluations.value_or(200),
                        features,
                        seed.value_or(1)};
    std::copy(weights.begin(), weights.end(), tuning.weights.begin());
    return registered_maker()(std::move(tuning));
}

}  // namespace batfill
