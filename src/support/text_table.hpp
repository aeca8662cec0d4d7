#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>

namespace batfill {

// Writes lines of cells in columns. Aligns the first column left and the others right. Applies one_line() to each cell.
// Requires: all lines have as many cells as the first.
inline void write_aligned(std::ostream& out, std::vector<std::vector<std::string>> lines) {
    for (auto& line : lines) {
        std::transform(line.begin(), line.end(), line.begin(), one_line);
    }
    std::vector<std::size_t> widths(lines.empty() ? 0 : lines.front().size(), 0);
    for (const auto& line : lines) {
        assert(line.size() == widths.size());
        for (std::size_t column = 0; column < line.size(); ++column) {
            widths[column] = std::max(widths[column], line[column].size());
        }
    }
    for (const auto& line : lines) {
        out << line[0] << std::string(widths[0] - line[0].size(), ' ');
        for (std::size_t column = 1; column < line.size(); ++column) {
            out << std::string(2 + widths[column] - line[column].size(), ' ') << line[column];
        }
        out << '\n';
    }
}

}  // namespace batfill
