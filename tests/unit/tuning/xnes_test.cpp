#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <vector>

#include <catch2/catch.hpp>

#include "src/tuning/xnes.hpp"

namespace batfill::tests::xnes_test {

namespace {

using Function = std::function<double(const Eigen::VectorXd&)>;

double sphere(const Eigen::VectorXd& x) {
    return x.squaredNorm();
}

// A function with axis weights that span a factor of a million.
double ellipsoid(const Eigen::VectorXd& x) {
    double sum = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
        sum += std::pow(1e6, static_cast<double>(i) / static_cast<double>(x.size() - 1)) * x[i] * x[i];
    }
    return sum;
}

// A curved valley with its minimum at (1, ..., 1).
double rosenbrock(const Eigen::VectorXd& x) {
    double sum = 0;
    for (Eigen::Index i = 0; i + 1 < x.size(); ++i) {
        sum += 100 * std::pow(x[i + 1] - x[i] * x[i], 2) + std::pow(1 - x[i], 2);
    }
    return sum;
}

// The number of evaluations in which xNES gets from around (-1, ..., -1) to a value below 1e-8, at most
// `max_evaluations`.
std::size_t evaluations_needed(const Function& function, Eigen::Index dimensions, std::uint64_t seed,
                               std::size_t max_evaluations) {
    std::mt19937_64 random(seed);
    Xnes xnes(Eigen::VectorXd::Constant(dimensions, -1), 1);
    std::size_t evaluations = 0;
    while (evaluations < max_evaluations) {
        std::vector<double> values;
        for (const Eigen::VectorXd& point : xnes.ask(random)) {
            values.push_back(function(point));
        }
        evaluations += values.size();
        if (*std::min_element(values.begin(), values.end()) < 1e-8) {
            break;
        }
        xnes.tell(values);
    }
    return evaluations;
}

// The matrix exponential by its series, for small matrices.
Eigen::MatrixXd exponential(const Eigen::MatrixXd& matrix) {
    Eigen::MatrixXd term = Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
    Eigen::MatrixXd sum = term;
    for (int k = 1; k < 60; ++k) {
        term = (term * matrix / k).eval();
        sum += term;
    }
    return sum;
}

}  // namespace

TEST_CASE("xNES finds the minimum of the usual test functions within the documented evaluations") {
    struct Case {
        Function function;
        Eigen::Index dimensions;
        std::size_t max_evaluations;
    };
    const std::vector<Case> cases{{sphere, 3, 750},     {sphere, 6, 2500},     {ellipsoid, 3, 2000},
                                  {ellipsoid, 6, 4000}, {rosenbrock, 3, 5000}, {rosenbrock, 6, 10'000}};
    for (const Case& c : cases) {
        // One start in about a hundred gets stuck in the valley of Rosenbrock's function. Restarts solve this.
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            found += evaluations_needed(c.function, c.dimensions, seed, c.max_evaluations) < c.max_evaluations ? 1 : 0;
        }
        INFO(c.max_evaluations << " evaluations in " << c.dimensions << " dimensions");
        CHECK(found >= 9);
    }
}

TEST_CASE("xNES moves its distribution as its formulas say") {
    // Two generations, so the second begins with a shape other than the identity.
    std::mt19937_64 random(7);
    Eigen::VectorXd mean(2);
    mean << 3, -2;
    double step = 0.5;
    Eigen::MatrixXd shape = Eigen::MatrixXd::Identity(2, 2);
    Xnes xnes(mean, step);
    REQUIRE(xnes.population() == 6);  // 4 + floor(3 ln 2)
    // max(0, ln 4 - ln k) for k = 1..6 is ln 4, ln 2, ln(4/3), 0, 0, 0; their sum is ln(4 * 2 * 4/3).
    const double sum = std::log(32.0 / 3);
    const std::vector<double> utilities{std::log(4.0) / sum - 1.0 / 6,
                                        std::log(2.0) / sum - 1.0 / 6,
                                        std::log(4.0 / 3) / sum - 1.0 / 6,
                                        -1.0 / 6,
                                        -1.0 / 6,
                                        -1.0 / 6};
    const double rate = 0.6 * (3 + std::log(2.0)) / (2 * std::sqrt(2.0));
    for (int generation = 0; generation < 2; ++generation) {
        const std::vector<Eigen::VectorXd> points = xnes.ask(random);
        REQUIRE(points.size() == 6);
        const std::vector<double> values{30, 10, 60, 20, 50, 40};
        const std::vector<std::size_t> ranking{1, 3, 0, 5, 4, 2};
        Eigen::VectorXd mean_gradient = Eigen::VectorXd::Zero(2);
        Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(2, 2);
        for (std::size_t rank = 0; rank < 6; ++rank) {
            const Eigen::VectorXd draw = (step * shape).inverse() * (points[ranking[rank]] - mean);
            mean_gradient += utilities[rank] * draw;
            gradient += utilities[rank] * (draw * draw.transpose() - Eigen::MatrixXd::Identity(2, 2));
        }
        const double step_gradient = (gradient(0, 0) + gradient(1, 1)) / 2;
        mean += step * (shape * mean_gradient);
        shape *= exponential(rate / 2 * (gradient - step_gradient * Eigen::MatrixXd::Identity(2, 2)));
        step *= std::exp(rate / 2 * step_gradient);
        xnes.tell(values);
        CHECK((xnes.mean() - mean).norm() < 1e-12);
        CHECK((xnes.shape() - shape).norm() < 1e-12);
        CHECK(xnes.step_size() == Approx(step).epsilon(1e-12));
        CHECK(xnes.shape().determinant() == Approx(1).epsilon(1e-12));
    }
    CHECK((shape - Eigen::MatrixXd::Identity(2, 2)).norm() > 0.01);
}

TEST_CASE("xNES in one dimension changes the step size and leaves the shape") {
    std::mt19937_64 random(1);
    Xnes xnes(Eigen::VectorXd::Zero(1), 2);
    CHECK(xnes.population() == 4);
    xnes.ask(random);
    xnes.tell(std::vector<double>{4, 3, 2, 1});
    CHECK(xnes.shape()(0, 0) == Approx(1).epsilon(1e-12));
    CHECK(xnes.step_size() != 2);
}

TEST_CASE("xNES draws from its distribution") {
    std::mt19937_64 random(11);
    Xnes xnes(Eigen::VectorXd::Constant(3, 5), 0.1);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(3);
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(3);
    double count = 0;
    for (int i = 0; i < 3000; ++i) {
        for (const Eigen::VectorXd& point : xnes.ask(random)) {
            const Eigen::VectorXd deviation = point - xnes.mean();
            sum += deviation;
            squares += deviation.cwiseProduct(deviation);
            ++count;
        }
    }
    for (Eigen::Index i = 0; i < 3; ++i) {
        CHECK(std::abs(sum[i] / count) < 0.003);
        CHECK(std::sqrt(squares[i] / count) == Approx(0.1).epsilon(0.02));
    }
}

TEST_CASE("xNES refuses a number of values that differs from the number of its points") {
    std::mt19937_64 random(1);
    Xnes xnes(Eigen::VectorXd::Zero(3), 1);
    CHECK_THROWS_AS(xnes.tell(std::vector<double>(7, 0)), std::logic_error);
    xnes.ask(random);
    CHECK_THROWS_AS(xnes.tell(std::vector<double>(6, 0)), std::logic_error);
}

}  // namespace batfill::tests::xnes_test
