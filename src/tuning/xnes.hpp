#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace batfill {

// Exponential natural evolution strategies (xNES). Minimises a function of real vectors: follows the natural gradient
// of the function's expectation under a normal distribution, in exponential coordinates. Only the order of the values
// matters, so every increasing transformation of the function gives the same result.
// T. Glasmachers, T. Schaul, S. Yi, D. Wierstra, J. Schmidhuber, Exponential natural evolution strategies, GECCO 2010;
// population, utilities and learning rates are its defaults.
class Xnes {
 public:
    // The initial distribution has independent coordinates around `mean` with standard deviation `step_size`.
    // Requires: `step_size` is positive, and `mean` has at least one coordinate.
    Xnes(Eigen::VectorXd mean, double step_size);

    // Draws the next generation.
    const std::vector<Eigen::VectorXd>& ask(std::mt19937_64& random);
    // Takes the values at the points of ask(), in the same order, and moves the distribution. Smaller is better. Of
    // equal values, the first counts as better.
    // Requires: no value is NaN; infinite values are allowed.
    // Cost: O(d^2 * population + d^3).
    void tell(std::span<const double> values);

    std::size_t population() const { return utilities_.size(); }
    const Eigen::VectorXd& mean() const { return mean_; }
    double step_size() const { return step_size_; }
    // A matrix of determinant 1; the covariance is step_size^2 * shape * transpose(shape).
    const Eigen::MatrixXd& shape() const { return shape_; }

 private:
    Eigen::VectorXd mean_;
    double step_size_;
    Eigen::MatrixXd shape_;
    double learning_rate_;           // of step size and shape; that of the mean is 1
    std::vector<double> utilities_;  // of the best point, the second, ...; their sum is 0
    std::vector<Eigen::VectorXd> draws_;
    std::vector<Eigen::VectorXd> points_;
};

}  // namespace batfill
