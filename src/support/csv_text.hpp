#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace batfill {

inline constexpr std::size_t max_number_length = 400;  // the largest double has 309 digits before the point

// Returns the shortest decimal number that reads back as `number`, never with an exponent.
inline std::string exact(double number) {
    std::array<char, max_number_length> text{};
    return {text.data(), std::to_chars(text.begin(), text.end(), number, std::chars_format::fixed).ptr};
}

inline void append_rounded(double number, int decimals, std::string& out) {
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
    const bool plain = !text.empty() && !is_blank(text.front()) && !is_blank(text.back()) &&
                       text.find_first_of(",\"\r\n") == std::string_view::npos;
    if (plain) {
        out += text;
    } else {
        append_csv_text(text, out);
    }
}

}  // namespace batfill
