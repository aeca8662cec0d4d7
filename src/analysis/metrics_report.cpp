#include <algorithm>
#include <ostream>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "metric_table.hpp"
#include "src/support/mapped.hpp"
#include "src/support/names.hpp"
#include "tables.hpp"

namespace batfill {

namespace {

using analysis::all_metrics;
using analysis::Metric;

// One row per run.
analysis::Rows rows_of(const std::vector<RunMetrics>& runs) {
    analysis::Rows rows{{{"run", "run"}}, {}};
    for (const Metric& metric : all_metrics()) {
        rows.columns.push_back({metric.name, metric.title});
    }
    for (const RunMetrics& run : runs) {
        std::vector<analysis::Cell>& row = rows.rows.emplace_back();
        row.emplace_back(run.label);
        for (std::size_t i = 0; i < all_metrics().size(); ++i) {
            row.emplace_back(analysis::Number{run.metrics.values()[i], all_metrics()[i].unit});
        }
    }
    return rows;
}

// A line per metric, a column per run.
analysis::MarkedLines lines_of(const std::vector<RunMetrics>& runs) {
    analysis::MarkedLines lines{{{""}}};
    for (const RunMetrics& run : runs) {
        lines.front().push_back({run.label});
    }
    for (std::size_t i = 0; i < all_metrics().size(); ++i) {
        const Metric& metric = all_metrics()[i];
        const auto values = mapped(runs, [&](const RunMetrics& run) { return run.metrics.values()[i]; });
        if (std::ranges::none_of(values, [](const auto& value) { return value.has_value(); })) {
            continue;
        }
        const std::vector<bool> best = analysis::best_of(values, metric.goal);
        std::vector<analysis::MarkedCell>& line = lines.emplace_back(1, analysis::MarkedCell{metric.title});
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

void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format) {
    if (format == MetricsFormat::csv || format == MetricsFormat::json) {
        analysis::write_rows(out, rows_of(runs), format);
    } else {
        analysis::write_lines(out, lines_of(runs), format, false);
    }
}

}  // namespace batfill
