#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <batfill/engine/job_order.hpp>

namespace batfill {

// Which of the weights of the order `mixed` are searched for; the others are 0.
enum class MixedFeatures : std::size_t {
    three = 3,  // q, p, wait
    six = 6,
};

// A search for the weights with the smallest value of a metric, one batch of weights after the other. The absolute
// values of all weights that it asks for sum to 1. It draws by a seed and looks at no clock, so whoever tells it the
// same values is asked for the same weights, on any number of threads.
class WeightSearch {
 public:
    // A candidate that was better than all before it.
    struct Improvement {
        MixedWeights weights;
        double value;      // of the metric
        double objective;  // what is minimised: the value, and the penalty on the norm of the weights if there is one
        std::size_t evaluation;  // the number of the evaluation, from 1
        std::size_t start;       // the number of the start that found it, from 1
    };

    virtual ~WeightSearch() = default;

    // How many weights will have been evaluated at the end.
    std::size_t evaluations() const { return evaluations_; }
    // How many weights have been evaluated so far.
    std::size_t evaluated() const { return evaluated_; }

    // Returns the weights to evaluate next, the same ones until tell() is called; none when the search is over.
    const std::vector<MixedWeights>& ask();
    // Takes the values of these weights in the same order; smaller is better. Throws std::logic_error if there is not
    // one value for each of the weights, or if one is not a number.
    void tell(std::span<const double> values);

    // Every improvement of the value so far, the best last; the earlier one of two equal candidates is kept.
    const std::vector<Improvement>& improvements() const { return improvements_; }
    const Improvement& best() const { return improvements_.back(); }

 protected:
    explicit WeightSearch(std::size_t evaluations) : evaluations_(evaluations) {}

 private:
    // Returns at least one and at most `max_count` candidates.
    virtual std::vector<MixedWeights> next(std::size_t max_count) = 0;
    // Hears the values of all candidates of next().
    virtual void learn(std::span<const double> values) = 0;
    // What is minimised, for candidate `index` of next() with this value of the metric.
    virtual double objective(std::size_t index, double value) const = 0;
    virtual std::size_t start() const = 0;

    std::size_t evaluations_;
    std::size_t evaluated_ = 0;
    std::vector<MixedWeights> asked_;
    std::vector<Improvement> improvements_;
};

// Searches by exponential natural evolution strategies (xNES) on value + lambda * (norm + 1/norm), where norm is the
// sum of the absolute values of the weights before they are divided by it. Starts anew, with further draws, when a
// start has not found a better value for some time, until the evaluations are used up (docs/tuning.md). `evaluations`
// and `lambda` are positive.
std::unique_ptr<WeightSearch> xnes_search(MixedFeatures features, std::size_t evaluations, double lambda,
                                          std::uint64_t seed);

// Searches a grid over the surface where the absolute values of three weights sum to 1: `points` from -1 to 1 for p and
// for wait, and q makes up the rest with either sign. `points` is at least 2; the number of weights is about its
// square.
std::unique_ptr<WeightSearch> grid_search(std::size_t points);

// Searches weights that are drawn uniformly from that surface for all six features. `evaluations` is positive.
std::unique_ptr<WeightSearch> uniform_search(std::size_t evaluations, std::uint64_t seed);

// Runs a search to its end on one thread, and returns its best.
WeightSearch::Improvement minimise(WeightSearch& search, const std::function<double(const MixedWeights&)>& value);

}  // namespace batfill
