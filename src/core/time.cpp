#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ostream>

#include <batfill/core/time.hpp>

namespace batfill {

namespace {

// The largest number of digits of a number of microseconds within +-1e24 seconds.
constexpr int max_digits = 31;
constexpr int decimals = 6;
// "00", "01", ... "99".
constexpr std::array<char, 200> two_digits = [] {
    std::array<char, 200> digits{};
    for (std::size_t number = 0; number < 100; ++number) {
        digits[2 * number] = static_cast<char>('0' + number / 10);
        digits[2 * number + 1] = static_cast<char>('0' + number % 10);
    }
    return digits;
}();

// The parts of a decimal number.
struct DecimalText {
    bool negative = false;
    std::string_view integer;
    std::string_view fraction;
    int exponent = 0;
};

std::optional<DecimalText> split_decimal(std::string_view text) {
    DecimalText number;
    const auto skip = [&](char c) {
        const bool is_next = text.starts_with(c);
        text.remove_prefix(is_next ? 1 : 0);
        return is_next;
    };
    const auto digits = [&] {
        std::size_t count = 0;
        while (count < text.size() && text[count] >= '0' && text[count] <= '9') {
            ++count;
        }
        const std::string_view found = text.substr(0, count);
        text.remove_prefix(count);
        return found;
    };
    number.negative = skip('-');
    number.integer = digits();
    const bool has_fraction = skip('.');
    number.fraction = has_fraction ? digits() : std::string_view();
    if (number.integer.empty() || (has_fraction && number.fraction.empty())) {
        return std::nullopt;
    }
    if (skip('e') || skip('E')) {
        const bool shrinks = !skip('+') && skip('-');
        const std::string_view exponent = digits();
        if (exponent.empty()) {
            return std::nullopt;
        }
        if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), number.exponent).ec != std::errc()) {
            number.exponent = 1'000'000;
        }
        number.exponent *= shrinks ? -1 : 1;
    }
    return text.empty() ? std::optional(number) : std::nullopt;
}

// Whether a digit from this place on, of integer and fraction together, is not 0.
bool has_other_digits(const DecimalText& number, std::size_t from) {
    const std::size_t of_fraction = std::max(from, number.integer.size()) - number.integer.size();
    return number.integer.find_first_not_of('0', from) != std::string_view::npos ||
           number.fraction.find_first_not_of('0', of_fraction) != std::string_view::npos;
}

}  // namespace

std::optional<Duration> Duration::parse(std::string_view text) {
    return parse(text, longest_readable());
}

std::optional<Duration> Duration::parse_exactly(std::string_view text) {
    return parse(text, longest_readable(), false);
}

std::optional<Duration> Duration::parse_sum(std::string_view text) {
    constexpr long long millions = 1'000'000;
    return parse(text, longest_readable() * millions);
}

std::optional<Duration> Duration::parse(std::string_view text, Duration longest, bool may_round) {
    const auto number = split_decimal(text);
    if (!number) {
        return std::nullopt;
    }
    const std::size_t length = number->integer.size() + number->fraction.size();
    const auto digit = [&](std::size_t i) {
        return (i < number->integer.size() ? number->integer[i] : number->fraction[i - number->integer.size()]) - '0';
    };
    std::size_t first = 0;
    while (first < length && digit(first) == 0) {
        ++first;
    }
    if (first == length) {
        return Duration();
    }
    // The digits first..first+wanted-1 are whole microseconds. The others decide the rounding.
    const long long wanted =
        static_cast<long long>(number->integer.size()) - static_cast<long long>(first) + number->exponent + decimals;
    if (wanted > max_digits) {
        return std::nullopt;
    }
    if (!may_round && has_other_digits(*number, first + static_cast<std::size_t>(std::max(wanted, 0LL)))) {
        return std::nullopt;
    }
    Microseconds value = 0;
    if (wanted >= 0) {
        const std::size_t end = first + static_cast<std::size_t>(wanted);
        for (std::size_t i = first; i < end; ++i) {
            value = value * 10 + (i < length ? digit(i) : 0);
        }
        if (end < length) {
            bool beyond_half = false;
            for (std::size_t i = end + 1; i < length && !beyond_half; ++i) {
                beyond_half = digit(i) != 0;
            }
            if (digit(end) > 5 || (digit(end) == 5 && (beyond_half || value % 2 == 1))) {
                ++value;
            }
        }
    }
    if (value > longest.us_) {
        return std::nullopt;
    }
    return Duration(number->negative ? -value : value);
}

std::optional<Duration> Duration::from_seconds(double seconds) {
    if (!std::isfinite(seconds) || std::abs(seconds) > 1e18) {
        return std::nullopt;
    }
    if (std::abs(seconds) < 1e15 && seconds == std::trunc(seconds)) {
        return Duration::seconds(static_cast<long long>(seconds));
    }
    std::array<char, 32> text;
    const auto written = std::to_chars(text.data(), text.data() + text.size(), seconds);
    return parse({text.data(), static_cast<std::size_t>(written.ptr - text.data())});
}

void Duration::append_to(std::string& out) const {
    if (is_infinite()) {
        out += "inf";
        return;
    }
    std::array<char, max_digits + 16> text;
    char* at = text.data() + text.size();
    const auto write_two = [&](auto number) { std::memcpy(at -= 2, two_digits.data() + number * 2, 2); };
    Microseconds rest = us_ < 0 ? -us_ : us_;
    const auto write = [&](auto seconds, unsigned fraction) {
        if (fraction == 0) {  // as most times of logs
            std::memcpy(at -= decimals, "000000", decimals);
        } else {
            for (int i = 0; i < decimals; i += 2, fraction /= 100) {
                write_two(fraction % 100);
            }
        }
        *--at = '.';
        for (; seconds >= 100; seconds /= 100) {
            write_two(static_cast<unsigned>(seconds % 100));
        }
        if (seconds >= 10) {
            write_two(static_cast<unsigned>(seconds));
        } else {
            *--at = static_cast<char>('0' + static_cast<int>(seconds));
        }
    };
    if (rest >> 63 == 0) {
        const auto number = static_cast<unsigned long long>(rest);  // 128-bit division is a library call
        write(number / 1'000'000, static_cast<unsigned>(number % 1'000'000));
    } else {
        write(rest / 1'000'000, static_cast<unsigned>(rest % 1'000'000));
    }
    if (us_ < 0) {
        *--at = '-';
    }
    out.append(at, static_cast<std::size_t>(text.data() + text.size() - at));
}

std::string Duration::to_string() const {
    std::string text;
    append_to(text);
    return text;
}

void Duration::append_shortest_to(std::string& out) const {
    append_to(out);
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') {
        out.pop_back();
    }
}

std::string Duration::to_shortest_string() const {
    std::string text;
    append_shortest_to(text);
    return text;
}

std::ostream& operator<<(std::ostream& out, Duration d) {
    return out << d.to_string();
}
std::ostream& operator<<(std::ostream& out, Time t) {
    return out << t.to_string();
}

}  // namespace batfill
