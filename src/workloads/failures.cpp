#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

#include <boost/math/special_functions/gamma.hpp>

#include <batfill/workloads/models.hpp>

#include "src/workloads/draws.hpp"

namespace batfill {

namespace {

// Draws a duration in whole seconds.
Duration length(Draws& draws, const FailureModel::Lengths& lengths) {
    const double shape = lengths.weibull_shape;
    const double scale = lengths.mean.to_seconds() / boost::math::tgamma(1 + 1 / shape);
    const double seconds = scale * std::pow(draws.exponential(), 1 / shape);
    constexpr double longest = 1e15;
    return Duration::seconds(std::max(1LL, std::llround(std::min(seconds, longest))));
}

}  // namespace

std::vector<MachineEvent> generate_failures(const FailureModel& model) {
    assert(model.processors > 0 && model.processors_per_node > 0);
    std::map<std::pair<Time, bool>, ResourceSet> events;  // by time; at the same time returns precede losses
    std::uint32_t node = 0;
    for (int first = 0; first < model.processors; ++node) {
        const int count = std::min(model.processors_per_node, model.processors - first);
        const ResourceSet processors = ResourceSet::range(first, first + count - 1);
        Draws draws(model.seed, node);
        for (Time failure = Time() + length(draws, model.time_to_failure); failure < model.until;) {
            const Time repair = failure + length(draws, model.time_to_repair);
            events[{failure, true}].insert(processors);
            events[{repair, false}].insert(processors);
            failure = repair + length(draws, model.time_to_failure);
        }
        first += count;
    }
    std::vector<MachineEvent> result;
    result.reserve(events.size());
    for (auto& [when, processors] : events) {
        result.push_back({when.first, !when.second, std::move(processors)});
    }
    return result;
}

}  // namespace batfill
