#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>

namespace batfill {

inline constexpr std::string_view blanks = " \t\r\n";

inline std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// Whether the texts are equal but for the case of ASCII letters.
inline bool equal_in_any_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

// Whether the text is one of the words, in any case.
inline bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return equal_in_any_case(text, word); });
}

// The beginning of a text, in quotes and on one line, for an error message.
inline std::string excerpt(std::string_view text) {
    constexpr std::size_t shown = 60;
    return "'" + one_line(text.substr(0, shown)) + (text.size() > shown ? "...'" : "'");
}

// The texts before and after the first `separator`. The second is empty if there is none.
inline std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
    const std::size_t at = std::min(text.find(separator), text.size());
    return {text.substr(0, at), text.substr(std::min(at + 1, text.size()))};
}

// The texts between separators: one more than there are separators.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    parts.push_back(text);
    return parts;
}

// Puts the columns of a line, which blanks separate, into `columns`, as far as there is room. Returns how many columns
// the line has.
inline std::size_t split_at_blanks(std::string_view line, std::span<std::string_view> columns) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    std::size_t found = 0;
    for (std::size_t i = 0; i < line.size();) {
        const std::size_t begin = i;
        while (i < line.size() && !is_blank(line[i])) {
            ++i;
        }
        if (i > begin) {
            if (found < columns.size()) {
                columns[found] = line.substr(begin, i - begin);
            }
            ++found;
        }
        while (i < line.size() && is_blank(line[i])) {
            ++i;
        }
    }
    return found;
}

}  // namespace batfill
