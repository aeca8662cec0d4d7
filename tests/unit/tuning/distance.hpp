#pragma once

#include <cmath>
#include <cstddef>
#include <functional>

#include "src/tuning/weight_search.hpp"

namespace batfill::tests {

// A function with its minimum at the weights `best`.
inline std::function<double(const MixedWeights&)> distance_to(const MixedWeights& best) {
    return [best](const MixedWeights& weights) {
        double sum = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            sum += std::abs(weights[i] - best[i]);
        }
        return sum;
    };
}

}  // namespace batfill::tests
