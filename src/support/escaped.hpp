#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

namespace batfill {

// Returns `text` with a replacement for each of some characters.
inline std::string escaped(std::string_view text,
                           std::initializer_list<std::pair<char, std::string_view>> replacements) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
        const auto* const found = std::ranges::find(replacements, c, &std::pair<char, std::string_view>::first);
        result += found == replacements.end() ? std::string_view(&c, 1) : found->second;
    }
    return result;
}

// Escapes text for HTML and SVG, between tags. Control characters, which SVG forbids, become spaces; what is not UTF-8
// is written as one_line() does.
inline std::string markup_text(std::string_view text) {
    std::string plain(text);
    std::ranges::replace_if(
        plain, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return escaped(one_line(plain), {{'&', "&amp;"}, {'<', "&lt;"}});
}

}  // namespace batfill
