#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>

#include "metric_table.hpp"

// Tables of metrics for people: a line per metric, a column per run, in plain text, Markdown or LaTeX.
namespace batfill::analysis {

struct MarkedCell {
    std::string text;
    bool is_best = false;
    bool may_be_best = false;  // not told apart from the best
};

struct SideBySide {
    std::vector<std::string> columns;  // names of the runs
    struct Line {
        std::string title;
        std::vector<MarkedCell> cells;  // one for each column
    };
    std::vector<Line> lines;
};

// Which of the values are the best by this goal. None if there is no goal, if all are equal, or fewer than two exist.
std::vector<bool> best_of(const std::vector<std::optional<double>>& values, Goal goal);

// The metrics of the runs, with the best marked. Omits metrics that no run has.
SideBySide side_by_side(const std::vector<RunMetrics>& runs);

// Writes the table. Plain text marks the best with * and cells that may be best with ~, if `marks` is set. Markdown and
// LaTeX print the best in bold. LaTeX needs the package booktabs.
// Requires: the format is table, markdown or latex.
void write_side_by_side(std::ostream& out, const SideBySide& table, MetricsFormat format, bool marks);

// Writes any table whose first column is of texts and whose others are of numbers, as above without marks.
void write_plain_table(std::ostream& out, std::vector<std::vector<std::string>> lines, MetricsFormat format);

}  // namespace batfill::analysis
