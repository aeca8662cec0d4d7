#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include <batfill/planning/job_order.hpp>

namespace batfill {

// The weights of the order `mixed` to search for; the others are 0.
enum class MixedFeatures : std::size_t {
    three = 3,  // q, p, wait
    six = 6,
};

// A search for the weights with the smallest value of a metric, one batch of weights after the other. The absolute
// values of all weights in a candidate sum to 1. The search draws by a seed and uses no clock. It asks for the same
// weights whenever it gets the same values, on any number of threads.
class WeightSearch {
 public:
    // A candidate that was better than all before it.
    struct Improvement {
        MixedWeights weights;
        double value;            // of the metric
        double objective;        // what the search minimises: the value, plus any penalty on the norm of the weights
        std::size_t evaluation;  // the number of the evaluation, from 1
        std::size_t start;       // the number of the start that found it, from 1
    };

    virtual ~WeightSearch() = default;

    // Number of weights that the whole search evaluates.
    std::size_t evaluations() const { return evaluations_; }
    // Number of weights evaluated so far.
    std::size_t evaluated() const { return evaluated_; }

    // Returns the weights to evaluate next, the same ones until tell() is called. Empty when the search is over.
    const std::vector<MixedWeights>& ask();
    // Takes the values of these weights in the same order; smaller is better.
    // Throws: std::logic_error if the number of values differs from that of the weights, or if a value is not a number.
    void tell(std::span<const double> values);

    // All improvements of the value so far, the best last. Of two equal candidates it keeps the earlier one.
    const std::vector<Improvement>& improvements() const { return improvements_; }
    const Improvement& best() const { return improvements_.back(); }

 protected:
    explicit WeightSearch(std::size_t evaluations) : evaluations_(evaluations) {}

 private:
    // Returns at least one and at most `max_count` candidates.
    virtual std::vector<MixedWeights> next(std::size_t max_count) = 0;
    // Receives the values of all candidates of next(). The default learns nothing from them.
    virtual void learn(std::span<const double>) {}
    // The objective of a candidate of next(), by its index, with this value of the metric.
    virtual double objective(std::size_t, double value) const { return value; }
    virtual std::size_t start() const { return 1; }

    std::size_t evaluations_;
    std::size_t evaluated_ = 0;
    std::vector<MixedWeights> asked_;
    std::vector<Improvement> improvements_;
};

// Searches by exponential natural evolution strategies (xNES) on value + lambda * (norm + 1/norm). The norm is the sum
// of the absolute values of the weights before they are divided by it. Starts again, with further draws, when a start
// has not found a better value for some time, until the evaluations are used up (docs/campaign.md).
// Requires: `evaluations` and `lambda` are positive.
std::unique_ptr<WeightSearch> xnes_search(MixedFeatures features, std::size_t evaluations, double lambda,
                                          std::uint64_t seed);

// Returns a grid over the surface where the absolute values of the weights of q, p and wait sum to 1. The weights of p
// and of wait take the values -1 + 2i/(points - 1). The weight of q is the rest with either sign, the negative one
// first. The grid is ordered by p, then wait.
// Requires: points >= 2.
std::vector<MixedWeights> weight_grid(std::size_t points);

// Draws a point uniformly from that surface for all six weights. The weights are multiples of 2^-53 whose absolute
// values sum to 1 exactly.
MixedWeights draw_weights(std::mt19937_64& random);

// Searches weight_grid(points). The number of weights is about the square of `points`.
// Requires: points >= 2.
std::unique_ptr<WeightSearch> grid_search(std::size_t points);

// Searches draws of draw_weights().
// Requires: `evaluations` is positive.
std::unique_ptr<WeightSearch> uniform_search(std::size_t evaluations, std::uint64_t seed);

// Runs a search to its end on one thread, and returns its best.
WeightSearch::Improvement minimise(WeightSearch& search, const std::function<double(const MixedWeights&)>& value);

}  // namespace batfill
