#pragma once

#include <charconv>
#include <optional>
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

}  // namespace batfill
