#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace batfill {

// Lines of cells; all lines have as many cells as the first.
using TextLines = std::vector<std::vector<std::string>>;

// The number of columns of the terminal that `out` writes to: the variable COLUMNS, or else what the terminal says.
// None if `out` is not the standard output, or that is no terminal.
std::optional<std::size_t> terminal_width(const std::ostream& out);

// Writes lines of cells in columns. Aligns the first column left and the others right. Applies one_line() to each cell.
// On a terminal that is too narrow, writes the lines as columns if they fit so, or else the columns in parts, one below
// the other. Each part begins with the first columns, as many as `keys`.
// Requires: keys >= 1, and lines have as many cells.
void write_aligned(std::ostream& out, TextLines lines, std::size_t keys = 1);
// As above, for a width; none: as wide as the lines are.
void write_aligned(std::ostream& out, TextLines lines, std::size_t keys, std::optional<std::size_t> width);

}  // namespace batfill
