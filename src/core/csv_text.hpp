#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>

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

// Returns `text` as a field in quotes.
inline std::string csv_text(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        result.append(c == '"' ? 2 : 1, c);
    }
    return result + '"';
}

}  // namespace batfill
