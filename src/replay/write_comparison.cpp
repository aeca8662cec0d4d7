#include <algorithm>
#include <cassert>
#include <ostream>
#include <utility>

#include "comparison.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/analysis/tables.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"

namespace batfill {

namespace {

using analysis::Unit;

// A metric under a scheduler, over all workloads that have a value.
struct Mean {
    std::optional<double> mean;
    std::optional<Interval> interval;
};

Mean mean_of(const std::vector<std::optional<double>>& values) {
    std::vector<double> known;
    for (const std::optional<double>& value : values) {
        if (value) {
            known.push_back(*value);
        }
    }
    return {analysis::mean(known), interval_of_mean(known)};
}

// The difference to other values of the same workloads.
Mean difference_of(const std::vector<std::optional<double>>& values, const std::vector<std::optional<double>>& others) {
    std::vector<std::optional<double>> differences(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] && others[i]) {
            differences[i] = *values[i] - *others[i];
        }
    }
    return mean_of(differences);
}

std::string text_of(const Mean& mean, Unit unit) {
    std::string text = for_people(mean.mean, unit);
    if (mean.interval && unit != Unit::count) {
        text += " [" + for_people(mean.interval->low, unit) + ", " + for_people(mean.interval->high, unit) + "]";
    }
    return text;
}

std::size_t place_of(const char* metric) {
    return static_cast<std::size_t>(analysis::find_metric(metric) - analysis::all_metrics().data());
}

// Whether a line says something: not one of the metrics that tell jobs with a deadline from others, if no job has one,
// and not how many jobs were killed or rejected, if none were.
class Telling {
 public:
    explicit Telling(const Comparison& comparison) {
        for (std::size_t scheduler = 0; scheduler < comparison.schedulers.size(); ++scheduler) {
            has_deadlines_ = has_deadlines_ || any_above_0(comparison.values(scheduler, place_of("deadline_jobs")));
        }
    }
    bool operator()(std::size_t metric, const std::vector<std::optional<double>>& means) const {
        const bool is_of_deadlines = metric >= place_of("deadline_jobs") && metric <= place_of("max_stretch_regular");
        const bool is_count = analysis::all_metrics()[metric].unit == Unit::count;
        return (has_deadlines_ || !is_of_deadlines) && (any_above_0(means) || (!is_count && has_any(means)));
    }

 private:
    static bool any_above_0(const std::vector<std::optional<double>>& values) {
        return std::any_of(values.begin(), values.end(), [](const auto& value) { return value && *value > 0; });
    }
    static bool has_any(const std::vector<std::optional<double>>& values) {
        return std::any_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); });
    }

    bool has_deadlines_ = false;
};

analysis::MarkedLines lines_of(const Comparison& comparison) {
    const Telling is_telling(comparison);
    analysis::MarkedLines lines{{{""}}};
    for (const std::string& scheduler : comparison.schedulers) {
        lines.front().push_back({scheduler});
    }
    const auto metrics = analysis::all_metrics();
    for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
        std::vector<std::vector<std::optional<double>>> values;
        std::vector<Mean> with_intervals;
        std::vector<std::optional<double>> means;
        for (std::size_t scheduler = 0; scheduler < comparison.schedulers.size(); ++scheduler) {
            values.push_back(comparison.values(scheduler, metric));
            with_intervals.push_back(mean_of(values.back()));
            means.push_back(with_intervals.back().mean);
        }
        if (!is_telling(metric, means)) {
            continue;
        }
        const std::vector<bool> best = analysis::best_of(means, metrics[metric].goal);
        const auto first_best = static_cast<std::size_t>(std::find(best.begin(), best.end(), true) - best.begin());
        auto& line = lines.emplace_back(1, analysis::MarkedCell{metrics[metric].title});
        for (std::size_t scheduler = 0; scheduler < means.size(); ++scheduler) {
            analysis::MarkedCell cell{text_of(with_intervals[scheduler], metrics[metric].unit), best[scheduler]};
            if (first_best < best.size() && !best[scheduler]) {
                const Mean difference = difference_of(values[scheduler], values[first_best]);
                cell.may_be_best =
                    difference.interval && difference.interval->low <= 0 && difference.interval->high >= 0;
            }
            line.push_back(std::move(cell));
        }
    }
    return lines;
}

analysis::Rows rows_of(const Comparison& comparison) {
    analysis::Rows rows{{{"metric", "metric"},
                         {"scheduler", "scheduler"},
                         {"workloads", "workloads"},
                         {"mean", "mean"},
                         {"low", "95 % from"},
                         {"high", "to"},
                         {"difference", "difference"},
                         {"difference_low", "95 % from"},
                         {"difference_high", "to"}},
                        {}};
    const auto metrics = analysis::all_metrics();
    for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
        const std::vector<std::optional<double>> first = comparison.values(0, metric);
        for (std::size_t scheduler = 0; scheduler < comparison.schedulers.size(); ++scheduler) {
            const std::vector<std::optional<double>> values = comparison.values(scheduler, metric);
            const auto known =
                std::count_if(values.begin(), values.end(), [](const auto& value) { return value.has_value(); });
            if (known == 0) {
                continue;
            }
            std::vector<analysis::Cell>& row = rows.rows.emplace_back();
            row = {metrics[metric].name, comparison.schedulers[scheduler],
                   analysis::Number{static_cast<double>(known), Unit::count}};
            for (const Mean& mean : {mean_of(values), difference_of(values, first)}) {
                append(row, mean.mean, mean.interval, metrics[metric].unit);
            }
        }
    }
    return rows;
}

}  // namespace

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

void write_comparison(std::ostream& out, const Comparison& comparison, MetricsFormat format) {
    if (format == MetricsFormat::csv || format == MetricsFormat::json) {
        analysis::write_rows(out, rows_of(comparison), format);
        return;
    }
    analysis::write_lines(out, lines_of(comparison), format, true);
}

}  // namespace batfill
