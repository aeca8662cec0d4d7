#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>

#include "random_stream.hpp"

namespace batfill::tests {

// Weights of the features q, p, wait, p/q, (wait + p)/p and p*q, for q processors and a walltime of p. The job with the
// larger weighted sum goes first. They are integers, so sums are exact fractions. Only their ratios matter.
using OrderWeights = std::array<int, 6>;

// Every order by its name; `mixed` has weights of its own.
inline const std::map<std::string, OrderWeights>& named_orders() {
    static const std::map<std::string, OrderWeights> orders{
        {"fcfs", {0, 0, 1, 0, 0, 0}},  {"lcfs", {0, 0, -1, 0, 0, 0}}, {"spf", {0, -1, 0, 0, 0, 0}},
        {"lpf", {0, 1, 0, 0, 0, 0}},   {"sqf", {-1, 0, 0, 0, 0, 0}},  {"lqf", {1, 0, 0, 0, 0, 0}},
        {"saf", {0, 0, 0, 0, 0, -1}},  {"laf", {0, 0, 0, 0, 0, 1}},   {"lexp", {0, 0, 0, 0, 1, 0}},
        {"sexp", {0, 0, 0, 0, -1, 0}}, {"lrf", {0, 0, 0, 1, 0, 0}},   {"srf", {0, 0, 0, -1, 0, 0}},
    };
    return orders;
}

// "0.3,-0.1,0.0,0.2,0.0,0.0" in tenths, or whole numbers.
inline std::string text_of(const OrderWeights& weights, bool tenths) {
    std::string text;
    for (const int weight : weights) {
        text += text.empty() ? "" : ",";
        text += weight < 0 ? "-" : "";
        text += (tenths ? "0." : "") + std::to_string(std::abs(weight));
    }
    return text;
}

// From -9 to 9, and not all 0.
inline OrderWeights random_weights(Random& random) {
    OrderWeights weights{};
    while (weights == OrderWeights{}) {
        for (int& weight : weights) {
            weight = random.one_in(3) ? 0 : random.between(-9, 9);
        }
    }
    return weights;
}

// A score without any rounding.
class ExactScore {
 public:
    ExactScore(const OrderWeights& weights, const JobDescription& job, Time now) {
        const Integer q = job.processors;
        const Integer p = job.walltime->count();
        const Integer wait = (now - job.submit).count();
        // In millionths, over the common denominator.
        const std::array<Integer, 6> features{q * million * q * p,      p * q * p,    wait * q * p, p * p,
                                              million * (wait + p) * q, p * q * q * p};
        denominator_ = q * p;
        for (std::size_t i = 0; i < features.size(); ++i) {
            numerator_ += weights[i] * features[i];
        }
        const Integer divisor = greatest_common_divisor(numerator_ < 0 ? -numerator_ : numerator_, denominator_);
        numerator_ /= divisor;
        denominator_ /= divisor;
    }

    friend bool operator==(const ExactScore& a, const ExactScore& b) { return a.minus(b) == 0; }
    friend bool operator>(const ExactScore& a, const ExactScore& b) { return a.minus(b) > 0; }

 private:
    using Integer = Microseconds;  // of 128 bits
    static constexpr Integer million = 1'000'000;

    static Integer greatest_common_divisor(Integer a, Integer b) {
        return b == 0 ? a : greatest_common_divisor(b, a % b);
    }
    // The difference times both denominators.
    Integer minus(const ExactScore& other) const {
        return numerator_ * other.denominator_ - other.numerator_ * denominator_;
    }

    Integer numerator_ = 0;
    Integer denominator_ = 1;
};

}  // namespace batfill::tests
