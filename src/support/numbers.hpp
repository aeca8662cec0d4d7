#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace batfill {

// Returns the number that is all of `text`, as std::from_chars() reads it. None if there is no such number.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Returns the whole number that a text with separators between thousands gives, such as 1,024 or 12'345'678. None for
// any other text, also without separators.
std::optional<long long> number_with_groups(std::string_view text);

// Returns the number with leading zeros, `width` digits in all. Names with it sort in the order of the numbers.
// Requires: the number fits in `width` digits.
inline std::string padded(std::size_t number, std::size_t width) {
    const std::string text = std::to_string(number);
    return std::string(width - text.size(), '0') + text;
}

}  // namespace batfill
