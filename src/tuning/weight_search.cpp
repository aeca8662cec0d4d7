#include "src/tuning/weight_search.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

#include "src/support/mapped.hpp"
#include "src/tuning/xnes.hpp"

namespace batfill {

const std::vector<MixedWeights>& WeightSearch::ask() {
    if (asked_.empty() && evaluated_ < evaluations_) {
        asked_ = next(evaluations_ - evaluated_);
    }
    return asked_;
}

void WeightSearch::tell(std::span<const double> values) {
    if (values.size() != asked_.size() || std::any_of(values.begin(), values.end(), [](double v) { return v != v; })) {
        throw std::logic_error("a search for weights was not told a number for each candidate");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        ++evaluated_;
        if (improvements_.empty() || values[i] < best().value) {
            improvements_.push_back({asked_[i], values[i], objective(i, values[i]), evaluated_, start()});
        }
    }
    learn(values);
    asked_.clear();
}

namespace {

// Every start begins at 0, which prefers no direction. The sampled norms are about 1.
Xnes fresh_xnes(MixedFeatures features) {
    const auto d = static_cast<Eigen::Index>(features);
    return {Eigen::VectorXd::Zero(d), 1 / static_cast<double>(d)};
}

class XnesSearch : public WeightSearch {
 public:
    XnesSearch(MixedFeatures features, std::size_t evaluations, double lambda, std::uint64_t seed)
        : WeightSearch(evaluations),
          features_(features),
          lambda_(lambda),
          random_(seed),
          xnes_(fresh_xnes(features)),
          // The CMA evolution strategy uses this limit to detect a stagnating objective.
          patience_(10 + (30 * static_cast<std::size_t>(features) + xnes_.population() - 1) / xnes_.population()) {}

 private:
    std::vector<MixedWeights> next(std::size_t max_count) override {
        std::vector<MixedWeights> candidates;
        norms_.clear();
        for (const Eigen::VectorXd& point : xnes_.ask(random_)) {
            norms_.push_back(point.lpNorm<1>());
            MixedWeights weights{};
            std::transform(point.begin(), point.end(), weights.begin(),
                           [&](double weight) { return weight / norms_.back(); });
            candidates.push_back(weights);
        }
        candidates.resize(std::min(candidates.size(), max_count));
        return candidates;
    }

    void learn(std::span<const double> values) override {
        if (values.size() < xnes_.population()) {
            return;  // no evaluations are left
        }
        std::vector<double> objectives;
        for (const double value : values) {
            objectives.push_back(objective(objectives.size(), value));
        }
        xnes_.tell(objectives);

        const double best_of_generation = *std::min_element(values.begin(), values.end());
        ++generations_without_improvement_;
        if (best_of_generation < best_of_start_) {
            best_of_start_ = best_of_generation;
            generations_without_improvement_ = 0;
        }
        if (generations_without_improvement_ == patience_) {
            xnes_ = fresh_xnes(features_);
            best_of_start_ = std::numeric_limits<double>::infinity();
            generations_without_improvement_ = 0;
            ++start_;
        }
    }

    double objective(std::size_t index, double value) const override {
        return value + lambda_ * (norms_[index] + 1 / norms_[index]);
    }
    std::size_t start() const override { return start_; }

    MixedFeatures features_;
    double lambda_;
    std::mt19937_64 random_;
    Xnes xnes_;
    std::size_t patience_;  // in generations without improvement
    std::size_t start_ = 1;
    double best_of_start_ = std::numeric_limits<double>::infinity();
    std::size_t generations_without_improvement_ = 0;
    std::vector<double> norms_;  // of the candidates
};

// Evaluates the weights that `take` returns one after the other.
class CoverSearch : public WeightSearch {
 public:
    CoverSearch(std::size_t evaluations, std::function<MixedWeights()> take)
        : WeightSearch(evaluations), take_(std::move(take)) {}

 private:
    std::vector<MixedWeights> next(std::size_t max_count) override {
        constexpr std::size_t batch = 32;  // does not affect the result
        std::vector<MixedWeights> candidates(std::min(batch, max_count));
        std::generate(candidates.begin(), candidates.end(), std::ref(take_));
        return candidates;
    }

    std::function<MixedWeights()> take_;
};

}  // namespace

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

std::unique_ptr<WeightSearch> xnes_search(MixedFeatures features, std::size_t evaluations, double lambda,
                                          std::uint64_t seed) {
    assert(evaluations > 0 && lambda > 0);
    return std::make_unique<XnesSearch>(features, evaluations, lambda, seed);
}

std::unique_ptr<WeightSearch> grid_search(std::size_t points) {
    assert(points >= 2);
    std::vector<MixedWeights> grid = weight_grid(points);
    const std::size_t size = grid.size();
    return std::make_unique<CoverSearch>(
        size, [grid = std::move(grid), next = std::size_t{0}]() mutable { return grid[next++]; });
}

std::unique_ptr<WeightSearch> uniform_search(std::size_t evaluations, std::uint64_t seed) {
    assert(evaluations > 0);
    return std::make_unique<CoverSearch>(evaluations,
                                         [random = std::mt19937_64(seed)]() mutable { return draw_weights(random); });
}

WeightSearch::Improvement minimise(WeightSearch& search, const std::function<double(const MixedWeights&)>& value) {
    while (!search.ask().empty()) {
        search.tell(mapped(search.ask(), value));
    }
    return search.best();
}

}  // namespace batfill
