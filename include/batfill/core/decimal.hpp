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
    static std::optional<Decimal> parse(std::string_view text);
    // Requires: 0 <= number <= 1,000,000.
    static constexpr Decimal of(int number) { return Decimal(number * one); }

    long long millionths() const { return millionths_; }
    // The product, computed exactly and rounded half to even to the microsecond.
    // Requires: length >= 0.
    Duration times(Duration length) const;

 private:
    static constexpr long long largest = 1'000'000;
    static constexpr long long one = 1'000'000;  // in millionths
    explicit constexpr Decimal(long long millionths) : millionths_(millionths) {}
    long long millionths_;
};

}  // namespace batfill
