#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/analysis/metrics.hpp>

#include "src/analysis/metric_table.hpp"

// Tables in the formats of metrics.
namespace batfill::analysis {

struct Number {
    std::optional<double> value;
    Unit unit;
};

using Cell = std::variant<std::string, Number>;

struct Column {
    std::string name;   // in csv and json
    std::string title;  // in tables for people
};

// One row per line, in every format.
struct Rows {
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;  // each has one cell per column
};

// Returns the columns and those of a value and of its difference to another, each with the bounds of its interval.
std::vector<Column> with_intervals(std::vector<Column> columns, const char* value);
// Appends the cells of a value and of the bounds of its interval.
void append(std::vector<Cell>& row, std::optional<double> value, const std::optional<Interval>& interval, Unit unit);

// Writes rows. Tables for people are rounded, with "-" for missing values; MetricsFormat defines csv and json.
void write_rows(std::ostream& out, const Rows& rows, MetricsFormat format);

// What a cell says of how its value compares with the others of its line; docs/campaign.md defines it.
enum class Mark {
    none,
    best,            // the best value, and some other is told apart from it
    told_apart,      // from the best one
    not_told_apart,  // from the best one, which others are told apart from
};
// "best", "told_apart", "not_told_apart" or "".
const char* to_string(Mark mark);

struct MarkedCell {
    std::string text;
    Mark mark = Mark::none;
};

bool has_marks(const std::vector<std::vector<MarkedCell>>& lines);

// Lines for people: the first has the titles of the columns, the first column texts, and the others numbers.
using MarkedLines = std::vector<std::vector<MarkedCell>>;

// Which of the values are the best by this goal. None if there is no goal, if all are equal, or fewer than two exist.
std::vector<bool> best_of(const std::vector<std::optional<double>>& values, Goal goal);

// Writes the lines. If one of them is marked, plain text has * behind the best and ~ behind what is not told apart from
// it; Markdown and LaTeX print the best in bold. `meaning`, if not empty, is a sentence below the table, on its marks.
// Markdown and LaTeX escape texts, and write them as one_line() does. LaTeX needs the package booktabs.
// `keys` is as in write_aligned().
// Requires: the format is table, markdown or latex.
void write_lines(std::ostream& out, const MarkedLines& lines, MetricsFormat format, const std::string& meaning = {},
                 std::size_t keys = 1);

}  // namespace batfill::analysis
