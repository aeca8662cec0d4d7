#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <batfill/analysis/metrics.hpp>

#include "metric_table.hpp"

// Rows of texts and numbers in the formats of metrics.
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

struct Rows {
    std::vector<Column> columns;
    std::vector<std::vector<Cell>> rows;  // each has one cell per column
};

// Writes rows. The table has one row per line, rounded, with "-" for missing values; MetricsFormat defines csv and
// json.
void write_rows(std::ostream& out, const Rows& rows, MetricsFormat format);

}  // namespace batfill::analysis
