#include "src/tuning/xnes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <boost/random/normal_distribution.hpp>

namespace batfill {

namespace {

std::vector<double> utilities_for(Eigen::Index dimensions) {
    const std::size_t population = 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(dimensions)));
    const auto count = static_cast<double>(population);
    std::vector<double> utilities(population);
    for (std::size_t rank = 0; rank < population; ++rank) {
        utilities[rank] = std::max(0.0, std::log(count / 2 + 1) - std::log(static_cast<double>(rank + 1)));
    }
    const double sum = std::accumulate(utilities.begin(), utilities.end(), 0.0);
    for (double& utility : utilities) {
        utility = utility / sum - 1 / count;
    }
    return utilities;
}

Eigen::MatrixXd exponential_of_symmetric(const Eigen::MatrixXd& matrix) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
    const Eigen::MatrixXd& vectors = solver.eigenvectors();
    return vectors * solver.eigenvalues().array().exp().matrix().asDiagonal() * vectors.transpose();
}

}  // namespace

Xnes::Xnes(Eigen::VectorXd mean, double step_size)
    : mean_(std::move(mean)),
      step_size_(step_size),
      shape_(Eigen::MatrixXd::Identity(mean_.size(), mean_.size())),
      utilities_(utilities_for(mean_.size())) {
    const auto d = static_cast<double>(mean_.size());
    learning_rate_ = 0.6 * (3 + std::log(d)) / (d * std::sqrt(d));
}

const std::vector<Eigen::VectorXd>& Xnes::ask(std::mt19937_64& random) {
    // The algorithm of std::normal_distribution differs between libraries; Boost's does not.
    boost::random::normal_distribution<double> normal;
    draws_.assign(population(), Eigen::VectorXd(mean_.size()));
    points_.clear();
    for (Eigen::VectorXd& draw : draws_) {
        for (double& coordinate : draw) {
            coordinate = normal(random);
        }
        points_.emplace_back(mean_ + step_size_ * (shape_ * draw));
    }
    return points_;
}

void Xnes::tell(std::span<const double> values) {
    if (values.size() != draws_.size()) {
        throw std::logic_error("xNES was told another number of values than it asked for");
    }
    std::vector<std::size_t> ranking(values.size());
    std::iota(ranking.begin(), ranking.end(), std::size_t{0});
    std::ranges::stable_sort(ranking, {}, [&](std::size_t candidate) { return values[candidate]; });

    const Eigen::Index d = mean_.size();
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(d, d);
    Eigen::VectorXd mean_gradient = Eigen::VectorXd::Zero(d);
    Eigen::MatrixXd covariance_gradient = Eigen::MatrixXd::Zero(d, d);
    for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
        const Eigen::VectorXd& draw = draws_[ranking[rank]];
        mean_gradient += utilities_[rank] * draw;
        covariance_gradient += utilities_[rank] * (draw * draw.transpose() - identity);
    }
    const double step_gradient = covariance_gradient.trace() / static_cast<double>(d);
    const Eigen::MatrixXd shape_gradient = covariance_gradient - step_gradient * identity;

    mean_ += step_size_ * (shape_ * mean_gradient);
    step_size_ *= std::exp(learning_rate_ / 2 * step_gradient);
    shape_ *= exponential_of_symmetric(learning_rate_ / 2 * shape_gradient);
    draws_.clear();
}

}  // namespace batfill
