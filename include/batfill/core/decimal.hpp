#pragma once

#include <optional>
#include <string_view>

#include <batfill/core/time.hpp>

namespace batfill {

// A decimal number from 0 to 1,000,000 with at most six decimals, kept exactly.
class Decimal {
 public:
    // Reads the decimal number in `text`. Rounds more than six decimals half to even. Returns no value if `text` is not
    // a JSON number or is outside the limits.
    static std::optional<Decimal> parse(std::string_view text) {
        const std::optional<Duration> value = Duration::parse(text);  // a Duration has six exact decimals, too
        if (!value || *value < Duration() || *value > Duration::seconds(largest)) {
            return std::nullopt;
        }
        return Decimal(static_cast<long long>(value->count()));
    }
    // Requires: 0 <= number <= 1,000,000.
    static constexpr Decimal of(int number) { return Decimal(number * one); }

    long long millionths() const { return millionths_; }
    // The product, computed exactly and rounded half to even to the microsecond.
    // Requires: length >= 0.
    Duration times(Duration length) const {
        // The product is at most 1e24 * 1e12, and 128 bits go up to 1.7e38.
        const Microseconds product = length.count() * millionths_;
        const Microseconds quotient = product / one;
        const Microseconds twice_the_rest = 2 * (product % one);
        const bool rounds_up = twice_the_rest > one || (twice_the_rest == one && quotient % 2 == 1);
        return Duration::microseconds(quotient + (rounds_up ? 1 : 0));
    }

 private:
    static constexpr long long largest = 1'000'000;
    static constexpr long long one = 1'000'000;  // in millionths
    explicit constexpr Decimal(long long millionths) : millionths_(millionths) {}
    long long millionths_;
};

}  // namespace batfill
