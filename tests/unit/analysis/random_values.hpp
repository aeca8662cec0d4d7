#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

namespace batfill::tests {

// Random draws of real numbers. The distributions of the standard library would differ between implementations.
class RandomValues {
 public:
    explicit RandomValues(unsigned seed) : generator_(seed) {}

    // Uniform, above 0 and at most 1.
    double uniform() { return (static_cast<double>(generator_()) + 1) / 4294967296.0; }
    // Of mean 0 and variance 1.
    double normal() {
        const double length = std::sqrt(-2 * std::log(uniform()));
        return length * std::cos(2 * std::numbers::pi * uniform());
    }
    // Of mean 1.
    double exponential() { return -std::log(uniform()); }

    std::vector<double> normal(std::size_t count) {
        return several(count, [&] { return normal(); });
    }
    std::vector<double> exponential(std::size_t count) {
        return several(count, [&] { return exponential(); });
    }
    // A series of mean 0: each value is half of the last one, and a normal one.
    std::vector<double> autoregressive(std::size_t count) {
        double value = normal() / std::sqrt(0.75);
        return several(count, [&] { return value = 0.5 * value + normal(); });
    }

 private:
    static std::vector<double> several(std::size_t count, const auto& draw) {
        std::vector<double> values;
        for (std::size_t i = 0; i < count; ++i) {
            values.push_back(draw());
        }
        return values;
    }

    std::mt19937 generator_;
};

}  // namespace batfill::tests
