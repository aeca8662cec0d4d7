#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <batfill/core/time.hpp>

namespace batfill {

inline constexpr std::size_t max_number_length = 400;  // the largest double has 309 digits before the point

// Returns the shortest decimal number that reads back as `number`, never with an exponent.
inline std::string exact(double number) {
    std::array<char, max_number_length> text{};
    return {text.data(), std::to_chars(text.begin(), text.end(), number, std::chars_format::fixed).ptr};
}

// Appends `number` with so many decimals. Exact ties become even.
inline void append_rounded(double number, int decimals, std::string& out) {
    constexpr int mantissa_bits = std::numeric_limits<double>::digits - 1;
    const auto bits = std::bit_cast<std::uint64_t>(number);
    const int shift = 1023 + mantissa_bits - static_cast<int>(bits >> mantissa_bits);  // negative numbers: far below 0
    if (decimals == 6 && 10 < shift && shift < 120) {
        // The usual case: the product is exact in 128 bits.
        const std::uint64_t mantissa = (bits & ((std::uint64_t{1} << mantissa_bits) - 1)) | std::uint64_t{1}
                                                                                                << mantissa_bits;
        const Microseconds product = static_cast<Microseconds>(mantissa) * 1'000'000;
        const Microseconds half = static_cast<Microseconds>(1) << (shift - 1);
        const Microseconds whole = product >> shift;
        const Microseconds rest = product - (whole << shift);
        Duration::microseconds(whole + (rest > half || (rest == half && whole % 2 != 0) ? 1 : 0)).append_to(out);
        return;
    }
    char text[max_number_length];
    out.append(text, std::to_chars(text, text + max_number_length, number, std::chars_format::fixed, decimals).ptr);
}

inline std::string rounded(double number, int decimals) {
    std::string text;
    append_rounded(number, decimals, text);
    return text;
}

// Appends `text` as a quoted field, as in RFC 4180.
inline void append_csv_text(std::string_view text, std::string& out) {
    out += '"';
    for (const char c : text) {
        out.append(c == '"' ? 2 : 1, c);
    }
    out += '"';
}

inline std::string csv_text(std::string_view text) {
    std::string result;
    append_csv_text(text, result);
    return result;
}

// Appends `text` as a field that reads back unchanged. Uses quotes only if it contains a comma, a quote or a line end,
// begins or ends with a blank, or is empty; Batsim writes other texts without quotes, too.
inline void append_csv_field(std::string_view text, std::string& out) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const bool plain =
        !text.empty() && !is_blank(text.front()) && !is_blank(text.back()) &&
        std::ranges::none_of(text, [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
    if (plain) {
        out += text;
    } else {
        append_csv_text(text, out);
    }
}

}  // namespace batfill
