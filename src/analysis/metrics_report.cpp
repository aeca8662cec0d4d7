#include <ostream>

#include <batfill/analysis/metrics.hpp>

#include "metric_table.hpp"
#include "rows.hpp"
#include "src/support/text_table.hpp"

namespace batfill {

namespace {

using analysis::all_metrics;
using analysis::for_people;
using analysis::Metric;

void write_table(std::ostream& out, const std::vector<RunMetrics>& runs) {
    std::vector<std::vector<std::string>> lines(1, {""});
    for (const RunMetrics& run : runs) {
        lines.front().push_back(run.label);
    }
    const auto metrics = all_metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        std::vector<std::string> line{metrics[i].title};
        bool any = false;
        for (const RunMetrics& run : runs) {
            const std::optional<double> number = run.metrics.values()[i];
            any = any || number.has_value();
            line.push_back(for_people(number, metrics[i].unit));
        }
        if (any) {
            lines.push_back(std::move(line));
        }
    }
    write_aligned(out, lines);
}

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

}  // namespace

void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format) {
    if (format == MetricsFormat::table) {
        write_table(out, runs);
    } else {
        analysis::write_rows(out, rows_of(runs), format);
    }
}

}  // namespace batfill
