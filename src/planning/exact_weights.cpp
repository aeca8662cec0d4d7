#include "src/planning/exact_weights.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace batfill {

namespace {

// digits * 10^exponent
struct ShortestDecimal {
    long long digits = 0;
    int exponent = 0;
};

// The shortest decimal number that reads back as `number`.
ShortestDecimal decimal(double number) {
    std::array<char, 32> buffer{};
    const std::to_chars_result written =
        std::to_chars(buffer.begin(), buffer.end(), number, std::chars_format::scientific);
    const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
    const std::size_t e = text.find('e');
    const std::size_t point = std::min(text.find('.'), e);
    std::string digits(text.substr(0, e));
    ShortestDecimal result;
    if (point != e) {
        digits.erase(point, 1);
        result.exponent = -static_cast<int>(e - point - 1);
    }
    result.digits = std::stoll(digits);
    result.exponent += std::stoi(std::string(text.substr(e + 1)));
    return result;
}

struct SmallFraction {
    Microseconds numerator;
    Microseconds denominator;
};

// Whether products of two times, or of a time and two numbers of processors, fit into Microseconds.
bool is_small(const ExactWeights::Features& features) {
    constexpr Duration longest = Duration::microseconds(Microseconds{1} << 62);
    return features.walltime < longest && features.wait < longest;
}

// The feature at this position of MixedWeights, without factors that all jobs share. The order is that of
// JobOrder::Feature, here and in sum().
SmallFraction feature(std::size_t which, const ExactWeights::Features& of) {
    const Microseconds q = of.processors;
    const Microseconds p = of.walltime.count();
    const Microseconds wait = of.wait.count();
    const std::array<SmallFraction, 6> features{{{q, 1}, {p, 1}, {wait, 1}, {p, q}, {wait, p}, {p * q, 1}}};
    return features[which];
}

}  // namespace

ExactWeights::ExactWeights(const MixedWeights& weights, const MixedScales& scales) {
    std::array<ShortestDecimal, 6> divisors{};
    std::transform(scales.begin(), scales.end(), divisors.begin(), decimal);
    std::array<int, 6> exponents{};
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const ShortestDecimal weight = decimal(weights[i]);
        exponents[i] = weight.digits == 0 ? 0 : weight.exponent - divisors[i].exponent;
        weights_[i] = divisors[i].digits < 0 ? -weight.digits : weight.digits;
        // All weights get the same denominator: the product of the digits of all scales.
        for (std::size_t other = 0; other < divisors.size(); ++other) {
            weights_[i] *= other == i ? 1 : std::abs(divisors[other].digits);
        }
    }
    const int least = *std::min_element(exponents.begin(), exponents.end());
    for (std::size_t i = 0; i < weights.size(); ++i) {
        for (int exponent = least; exponent < exponents[i]; ++exponent) {
            weights_[i] *= 10;
        }
    }
    if (std::count(weights_.begin(), weights_.end(), 0) == 5) {
        only_ = static_cast<std::size_t>(
            std::find_if(weights_.begin(), weights_.end(), [](const Integer& weight) { return weight != 0; }) -
            weights_.begin());
    }
}

ExactWeights::Fraction ExactWeights::sum(const Features& features) const {
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

int ExactWeights::compare(const Features& a, const Features& b) const {
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

}  // namespace batfill
