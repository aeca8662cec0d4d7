#include "src/tuning/weight_cover.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace batfill {

std::vector<MixedWeights> weight_grid(std::size_t points) {
    // In units of 1/(points - 1), the weights are integers.
    const auto one = static_cast<std::int64_t>(points) - 1;
    const auto weight = [&](std::int64_t units) { return static_cast<double>(units) / static_cast<double>(one); };
    std::vector<MixedWeights> grid;
    for (std::int64_t p = -one; p <= one; p += 2) {
        for (std::int64_t wait = -one; wait <= one; wait += 2) {
            const std::int64_t q = one - std::abs(p) - std::abs(wait);
            if (q > 0) {
                grid.push_back({weight(-q), weight(p), weight(wait), 0, 0, 0});
            }
            if (q >= 0) {
                grid.push_back({weight(q), weight(p), weight(wait), 0, 0, 0});
            }
        }
    }
    return grid;
}

MixedWeights draw_weights(std::mt19937_64& random) {
    // The gaps between sorted uniform points of an interval are uniformly distributed among all gaps with this sum. The
    // points are integers, so nothing is rounded.
    constexpr int bits = 53;
    MixedWeights weights{};
    std::array<std::uint64_t, std::tuple_size_v<MixedWeights>> ends{};
    std::generate(ends.begin(), ends.end() - 1, [&] { return random() >> (64 - bits); });
    ends.back() = std::uint64_t{1} << bits;
    std::sort(ends.begin(), ends.end());
    std::uint64_t signs = random();
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double size = std::ldexp(static_cast<double>(ends[i] - begin), -bits);
        weights[i] = (signs & 1U) != 0 ? -size : size;
        begin = ends[i];
        signs >>= 1U;
    }
    return weights;
}

}  // namespace batfill
