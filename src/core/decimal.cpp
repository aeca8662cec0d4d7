#include <batfill/core/decimal.hpp>

namespace batfill {

namespace {

constexpr long long millionths_of_one = 1'000'000;

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
    const std::optional<Duration> value = Duration::parse(text);  // a Duration has six exact decimals, too
    if (!value || *value < Duration() || *value > Duration::seconds(millionths_of_one)) {
        return std::nullopt;
    }
    return Decimal(static_cast<long long>(value->count()));
}

Duration Decimal::times(Duration length) const {
    // The product is at most 1e24 * 1e12, and 128 bits go up to 1.7e38.
    const Microseconds product = length.count() * millionths_;
    Microseconds quotient = product / millionths_of_one;
    const Microseconds rest = product % millionths_of_one;
    if (2 * rest > millionths_of_one || (2 * rest == millionths_of_one && quotient % 2 == 1)) {
        ++quotient;
    }
    return Duration::microseconds(quotient);
}

}  // namespace batfill
