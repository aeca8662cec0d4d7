#include <batfill/core/decimal.hpp>

namespace batfill {

std::optional<Decimal> Decimal::parse(std::string_view text) {
    const std::optional<Duration> value = Duration::parse(text);  // a Duration has six exact decimals, too
    if (!value || *value < Duration() || *value > Duration::seconds(largest)) {
        return std::nullopt;
    }
    return Decimal(static_cast<long long>(value->count()));
}

Duration Decimal::times(Duration length) const {
    // The product is at most 1e24 * 1e12, and 128 bits go up to 1.7e38.
    const Microseconds product = length.count() * millionths_;
    const Microseconds quotient = product / one;
    const Microseconds twice_the_rest = 2 * (product % one);
    const bool rounds_up = twice_the_rest > one || (twice_the_rest == one && quotient % 2 == 1);
    return Duration::microseconds(quotient + (rounds_up ? 1 : 0));
}

}  // namespace batfill
