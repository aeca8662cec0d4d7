#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>

#include <batfill/core/time.hpp>
#include <batfill/engine/job_order.hpp>

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
    ExactWeights(const MixedWeights& weights, const MixedScales& scales) {
        std::array<cpp_rational, 6> exact;
        std::transform(weights.begin(), weights.end(), scales.begin(), exact.begin(),
                       [](double weight, double scale) { return cpp_rational(exactly(weight) / exactly(scale)); });
        cpp_int common = 1;
        for (const cpp_rational& weight : exact) {
            common = lcm(common, denominator(weight));
        }
        std::transform(exact.begin(), exact.end(), weights_.begin(),
                       [&](const cpp_rational& weight) { return Integer(numerator(cpp_rational(weight * common))); });
        if (std::count(weights_.begin(), weights_.end(), 0) == 5) {
            only_ = static_cast<std::size_t>(
                std::find_if(weights_.begin(), weights_.end(), [](const Integer& weight) { return weight != 0; }) -
                weights_.begin());
        }
    }

    // Returns less than 0, 0 or more than 0 as the sum of `a` is less than, equal to or more than that of `b`.
    // Cost: a few microseconds; much less if only one feature has a weight.
    int compare(const Features& a, const Features& b) const {
        if (only_ && is_small(a) && is_small(b)) {
            const SmallFraction of_a = feature(*only_, a);
            const SmallFraction of_b = feature(*only_, b);
            const Microseconds difference = of_a.numerator * of_b.denominator - of_b.numerator * of_a.denominator;
            return (difference > 0 ? 1 : difference < 0 ? -1 : 0) * weights_[*only_].sign();
        }
        const Fraction of_a = sum(a);
        const Fraction of_b = sum(b);
        return Integer(of_a.numerator * of_b.denominator).compare(of_b.numerator * of_a.denominator);
    }

 private:
    using cpp_int = boost::multiprecision::cpp_int;
    using cpp_rational = boost::multiprecision::cpp_rational;
    using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<512, 0>>;
    struct Fraction {
        Integer numerator;
        Integer denominator;
    };

    struct SmallFraction {
        Microseconds numerator;
        Microseconds denominator;
    };

    // The shortest decimal number that reads back as `number`.
    static cpp_rational exactly(double number) {
        std::array<char, 32> buffer{};
        char* const end = std::to_chars(buffer.begin(), buffer.end(), number, std::chars_format::scientific).ptr;
        const std::string text(buffer.data(), end);
        const std::size_t e = text.find('e');
        std::string digits = text.substr(0, e);
        int exponent = std::stoi(text.substr(e + 1));
        if (const std::size_t point = digits.find('.'); point != std::string::npos) {
            exponent -= static_cast<int>(e - point - 1);
            digits.erase(point, 1);
        }
        const cpp_int power = pow(cpp_int(10), static_cast<unsigned>(std::abs(exponent)));
        return exponent < 0 ? cpp_rational(cpp_int(digits), power) : cpp_rational(cpp_int(digits) * power);
    }

    // Whether products of two times, or of a time and two numbers of processors, fit into Microseconds.
    static bool is_small(const Features& features) {
        constexpr Duration longest = Duration::microseconds(Microseconds{1} << 62);
        return features.walltime < longest && features.wait < longest;
    }

    // The feature at this position of MixedWeights, without factors that all jobs share.
    static SmallFraction feature(std::size_t which, const Features& of) {
        const Microseconds q = of.processors;
        const Microseconds p = of.walltime.count();
        const Microseconds wait = of.wait.count();
        const std::array<SmallFraction, 6> features{{{q, 1}, {p, 1}, {wait, 1}, {p, q}, {wait, p}, {p * q, 1}}};
        return features[which];
    }

    Fraction sum(const Features& features) const {
        constexpr int million = 1'000'000;
        const Integer q = features.processors;
        const Integer p = features.walltime.count();
        const Integer wait = features.wait.count();
        const auto& [of_processors, of_walltime, of_wait, of_ratio, of_expansion, of_area] = weights_;
        // In microseconds; the denominator of all terms is q * p.
        Integer numerator = of_processors * million * q * q * p;
        numerator += of_walltime * p * q * p;
        numerator += of_wait * wait * q * p;
        numerator += of_ratio * p * p;
        numerator += of_expansion * million * (wait + p) * q;
        numerator += of_area * p * q * q * p;
        return {numerator, q * p};
    }

    std::array<Integer, 6> weights_;   // all multiplied by the same positive number
    std::optional<std::size_t> only_;  // the feature with a weight, if it is the only one
};

}  // namespace batfill
