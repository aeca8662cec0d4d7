#pragma once

#include <cstddef>
#include <string>

namespace batfill {

// The number with zeros in front, `width` digits in all, so that names with it are in its order. Requires a width that
// it fits in.
inline std::string padded(std::size_t number, std::size_t width) {
    const std::string text = std::to_string(number);
    return std::string(width - text.size(), '0') + text;
}

}  // namespace batfill
