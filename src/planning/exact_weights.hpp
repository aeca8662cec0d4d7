#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include <boost/multiprecision/cpp_int.hpp>

#include <batfill/core/time.hpp>
#include <batfill/planning/job_order.hpp>

namespace batfill {

// Weighted sums of the features of JobOrder, compared without rounding. Times are integers of microseconds. A weight or
// scale is the shortest decimal number that reads as its double: what the user wrote.
class ExactWeights {
 public:
    struct Features {
        int processors;
        Duration walltime;  // more than 0
        Duration wait;
    };

    // Requires: at least one weight is not 0, and no scale is 0.
    ExactWeights(const MixedWeights& weights, const MixedScales& scales);

    // Returns less than 0, 0 or more than 0 as the sum of `a` is less than, equal to or more than that of `b`.
    // Cost: a few microseconds; much less if only one feature has a weight.
    int compare(const Features& a, const Features& b) const;

 private:
    using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<512, 0>>;
    struct Fraction {
        Integer numerator;
        Integer denominator;
    };

    Fraction sum(const Features& features) const;

    std::array<Integer, 6> weights_;   // all multiplied by the same positive number
    std::optional<std::size_t> only_;  // the feature with a weight, if it is the only one
};

}  // namespace batfill
