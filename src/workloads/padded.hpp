#pragma once

#include <cstddef>
#include <string>

namespace batfill {

// Returns the number with leading zeros, `width` digits in all. Names with it sort in the order of the numbers.
// Requires: the number fits in `width` digits.
inline std::string padded(std::size_t number, std::size_t width) {
    const std::string text = std::to_string(number);
    return std::string(width - text.size(), '0') + text;
}

}  // namespace batfill
