#include <algorithm>
#include <ostream>
#include <utility>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/tables.hpp"
#include "src/replay/comparison.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

using analysis::Unit;

using Values = std::vector<std::optional<double>>;

// The values of a metric under a scheduler, for each workload.
Values values_of(const Comparison& comparison, std::size_t scheduler, std::size_t metric) {
    return mapped(comparison.rows, [=](const auto& row) { return row.values[scheduler].values()[metric]; });
}

// The difference to other values of the same workloads.
Values difference_of(const Values& values, const Values& others) {
    Values differences(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] && others[i]) {
            differences[i] = *values[i] - *others[i];
        }
    }
    return differences;
}

std::string text_of(const GroupedMean& mean, Unit unit) {
    std::string text = for_people(mean.mean, unit);
    if (mean.interval && unit != Unit::count) {
        text += " [" + for_people(mean.interval->low, unit) + ", " + for_people(mean.interval->high, unit) + "]";
    }
    return text;
}

bool any_above_0(const Values& values) {
    return std::ranges::any_of(values, [](const auto& value) { return value && *value > 0; });
}

bool any_has_deadlines(const Comparison& comparison) {
    return std::ranges::any_of(comparison.rows, [](const Comparison::Row& row) {
        return std::ranges::any_of(row.values, [](const Metrics& run) { return run["deadline_jobs"] > 0; });
    });
}

// Whether a line says something. Metrics of jobs with deadlines do not if no job has one. Counts of killed or rejected
// jobs do not if they are 0.
bool is_telling(const analysis::Metric& metric, const Values& means, bool with_deadlines) {
    const bool has_any = std::ranges::any_of(means, [](const auto& value) { return value.has_value(); });
    return (with_deadlines || !analysis::is_of_deadlines(metric)) &&
           (any_above_0(means) || (metric.unit != Unit::count && has_any));
}

analysis::MarkedLines lines_of(const Comparison& comparison, const std::vector<std::string>& chosen) {
    const bool with_deadlines = any_has_deadlines(comparison);
    analysis::MarkedLines lines{{{""}}};
    for (const std::string& scheduler : comparison.schedulers) {
        lines.front().push_back({scheduler});
    }
    const auto metrics = analysis::all_metrics();
    const std::vector<std::size_t> groups = groups_of(comparison);
    for (const std::size_t metric : analysis::places_of(chosen)) {
        std::vector<Values> values;
        std::vector<GroupedMean> with_intervals;
        Values means;
        for (std::size_t scheduler = 0; scheduler < comparison.schedulers.size(); ++scheduler) {
            values.push_back(values_of(comparison, scheduler, metric));
            with_intervals.push_back(mean_over_groups(values.back(), groups));
            means.push_back(with_intervals.back().mean);
        }
        if (chosen.empty() && !is_telling(metrics[metric], means, with_deadlines)) {
            continue;
        }
        const std::vector<bool> best = analysis::best_of(means, metrics[metric].goal);
        const auto first_best = static_cast<std::size_t>(std::find(best.begin(), best.end(), true) - best.begin());
        const char* const title = chosen.empty() ? metrics[metric].title : analysis::chosen_title(metrics[metric]);
        auto& line = lines.emplace_back(1, analysis::MarkedCell{title});
        for (std::size_t scheduler = 0; scheduler < means.size(); ++scheduler) {
            analysis::MarkedCell cell{text_of(with_intervals[scheduler], metrics[metric].unit), best[scheduler]};
            if (first_best < best.size() && !best[scheduler]) {
                const GroupedMean difference =
                    mean_over_groups(difference_of(values[scheduler], values[first_best]), groups);
                cell.may_be_best =
                    difference.interval && difference.interval->low <= 0 && difference.interval->high >= 0;
            }
            line.push_back(std::move(cell));
        }
    }
    return lines;
}

analysis::Rows rows_of(const Comparison& comparison, const std::vector<std::string>& chosen) {
    analysis::Rows rows{analysis::with_intervals(
                            {{"metric", "metric"}, {"scheduler", "scheduler"}, {"workloads", "workloads"}}, "mean"),
                        {}};
    const auto metrics = analysis::all_metrics();
    const std::vector<std::size_t> groups = groups_of(comparison);
    for (const std::size_t metric : analysis::places_of(chosen)) {
        const Values first = values_of(comparison, 0, metric);
        for (std::size_t scheduler = 0; scheduler < comparison.schedulers.size(); ++scheduler) {
            const Values values = values_of(comparison, scheduler, metric);
            const GroupedMean own = mean_over_groups(values, groups);
            if (own.values == 0 && chosen.empty()) {
                continue;
            }
            std::vector<analysis::Cell>& row = rows.rows.emplace_back();
            row = {metrics[metric].name, comparison.schedulers[scheduler],
                   analysis::Number{static_cast<double>(own.values), Unit::count}};
            for (const GroupedMean& mean : {own, mean_over_groups(difference_of(values, first), groups)}) {
                append(row, mean.mean, mean.interval, metrics[metric].unit);
            }
        }
    }
    return rows;
}

}  // namespace

std::vector<std::size_t> groups_of(const Comparison& comparison) {
    return mapped(comparison.rows, &Comparison::Row::group);
}

void write_csv(const Comparison& comparison, const std::string& metric, const std::string& path) {
    OutputFile file(path);
    std::string line = "workload";
    for (const std::string& scheduler : comparison.schedulers) {
        line += ',' + csv_text(scheduler);
    }
    file.write(line + '\n');
    for (const Comparison::Row& row : comparison.rows) {
        line = csv_text(row.workload);
        for (const Metrics& metrics : row.values) {
            const std::optional<double> value = metrics[metric];
            line += ',' + (value ? exact(*value) : "");
        }
        file.write(line + '\n');
    }
    file.commit();
}

void write_comparison(std::ostream& out, const Comparison& comparison, MetricsFormat format,
                      const std::vector<std::string>& chosen) {
    if (format == MetricsFormat::csv || format == MetricsFormat::json) {
        analysis::write_rows(out, rows_of(comparison, chosen), format);
        return;
    }
    analysis::write_lines(out, lines_of(comparison, chosen), format, true);
}

}  // namespace batfill
