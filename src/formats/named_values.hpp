#pragma once

#include <string>
#include <utility>
#include <vector>

namespace batfill {

// Names and their values, in the order of a file.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

// Reads the columns of a schedule.csv, which has one line of values below their names.
// Throws: InputError, which names file and line.
NamedValues read_summary(const std::string& path);

// Reads a statistics.csv: lines NAME,VALUE below the names of its two columns.
// Throws: InputError, which names file and line.
NamedValues read_statistics(const std::string& path);

// As above, for the text of such a file. `path` is used in error messages only.
NamedValues parse_named_values(const std::string& text, const std::string& path);

}  // namespace batfill
