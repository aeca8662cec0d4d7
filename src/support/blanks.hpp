#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace batfill {

// Whether a character separates the columns of a log.
inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// Puts the columns of a line, which blanks separate, into `columns`, as far as there is room. Returns how many columns
// the line has.
inline std::size_t split_at_blanks(std::string_view line, std::span<std::string_view> columns) {
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
