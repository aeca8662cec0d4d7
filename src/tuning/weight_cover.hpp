#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "src/tuning/weight_search.hpp"

namespace batfill {

// Returns a grid over the surface where the absolute values of the weights of q, p and wait sum to 1. The weights of p
// and of wait take the values -1 + 2i/(points - 1). The weight of q is the rest with either sign, the negative one
// first. The grid is ordered by p, then wait.
// Requires: points >= 2.
std::vector<MixedWeights> weight_grid(std::size_t points);

// Draws a point uniformly from that surface for all six weights. The weights are multiples of 2^-53 whose absolute
// values sum to 1 exactly.
MixedWeights draw_weights(std::mt19937_64& random);

}  // namespace batfill
