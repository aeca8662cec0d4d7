#include <algorithm>
#include <ostream>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/metric_table.hpp"
#include "src/analysis/tables.hpp"
#include "src/support/mapped.hpp"
#include "src/support/names.hpp"

namespace batfill {

namespace {

using analysis::all_metrics;
using analysis::Metric;

// One row per run.
analysis::Rows rows_of(const std::vector<RunMetrics>& runs, const std::vector<std::string>& chosen) {
    const std::vector<std::size_t> places = analysis::places_of(chosen);
    analysis::Rows rows{{{"run", "run"}}, {}};
    for (const std::size_t place : places) {
        rows.columns.push_back({all_metrics()[place].name, all_metrics()[place].title});
    }
    for (const RunMetrics& run : runs) {
        std::vector<analysis::Cell>& row = rows.rows.emplace_back();
        row.emplace_back(run.label);
        for (const std::size_t place : places) {
            row.emplace_back(analysis::Number{run.metrics.values()[place], all_metrics()[place].unit});
        }
    }
    return rows;
}

// A line per metric, a column per run.
analysis::MarkedLines lines_of(const std::vector<RunMetrics>& runs, const std::vector<std::string>& chosen) {
    analysis::MarkedLines lines{{{""}}};
    for (const RunMetrics& run : runs) {
        lines.front().push_back({run.label});
    }
    for (const std::size_t place : analysis::places_of(chosen)) {
        const Metric& metric = all_metrics()[place];
        const auto values = mapped(runs, [&](const RunMetrics& run) { return run.metrics.values()[place]; });
        const bool is_unknown = std::ranges::none_of(values, [](const auto& value) { return value.has_value(); });
        if (is_unknown && chosen.empty()) {
            continue;
        }
        const std::vector<bool> best = analysis::best_of(values, metric.goal);
        const char* const title = chosen.empty() ? metric.title : analysis::chosen_title(metric);
        std::vector<analysis::MarkedCell>& line = lines.emplace_back(1, analysis::MarkedCell{title});
        for (std::size_t run = 0; run < runs.size(); ++run) {
            line.push_back({for_people(values[run], metric.unit), best[run]});
        }
    }
    return lines;
}

}  // namespace

MetricsFormat metrics_format(const std::string& name) {
    const std::vector<std::string> names{"table", "csv", "json", "markdown", "latex"};
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        throw UsageError(unknown_name("format", name, names));
    }
    return static_cast<MetricsFormat>(found - names.begin());
}

void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format,
                   const std::vector<std::string>& chosen) {
    if (format == MetricsFormat::csv || format == MetricsFormat::json) {
        analysis::write_rows(out, rows_of(runs, chosen), format);
    } else {
        analysis::write_lines(out, lines_of(runs, chosen), format, false);
    }
}

}  // namespace batfill
