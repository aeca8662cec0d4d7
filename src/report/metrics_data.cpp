#include "metrics_data.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "src/analysis/metric_table.hpp"
#include "src/support/csv_text.hpp"

namespace batfill::report {

namespace {

// The difference to the baseline's value, for people: shares in percentage points, counts as numbers, others in per
// cent of the baseline.
std::string difference(std::optional<double> value, std::optional<double> baseline, analysis::Unit unit) {
    if (!value || !baseline) {
        return "-";
    }
    const double more = *value - *baseline;
    const std::string sign = more > 0 ? "+" : "";
    switch (unit) {
        case analysis::Unit::count:
            return sign + rounded(more, 0);
        case analysis::Unit::share:
            return sign + rounded(more * 100, 2) + " points";
        case analysis::Unit::seconds:
        case analysis::Unit::ratio:
            break;
    }
    if (more == 0) {
        return "0.0 %";
    }
    return *baseline == 0 ? "-" : sign + rounded(more / std::abs(*baseline) * 100, 1) + " %";
}

std::string_view better(analysis::Goal goal) {
    switch (goal) {
        case analysis::Goal::none:
            return "";
        case analysis::Goal::minimum:
        case analysis::Goal::less:
            return "less";
        case analysis::Goal::more:
            break;
    }
    return "more";
}

}  // namespace

void write_metrics_table(const std::vector<const Metrics*>& runs, std::size_t baseline, CompactJson& json) {
    json.open_array();
    const auto metrics = analysis::all_metrics();
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const auto has_value = [&](const Metrics* run) { return run->values()[i].has_value(); };
        if (std::none_of(runs.begin(), runs.end(), has_value)) {
            continue;
        }
        json.open_object();
        json.key("name").text(metrics[i].name);
        json.key("title").text(metrics[i].title);
        json.key("meaning").text(metrics[i].meaning);
        json.key("unit").text(metrics[i].unit == analysis::Unit::seconds ? "seconds" : "");
        json.key("better").text(better(metrics[i].goal));
        json.key("values").open_array();
        for (const Metrics* const run : runs) {
            json.number(run->values()[i]);
        }
        json.close_array();
        json.key("texts").open_array();
        for (const Metrics* const run : runs) {
            json.text(analysis::for_people(run->values()[i], metrics[i].unit));
        }
        json.close_array();
        json.key("differences").open_array();
        for (const Metrics* const run : runs) {
            json.text(difference(run->values()[i], runs[baseline]->values()[i], metrics[i].unit));
        }
        json.close_array();
        json.close_object();
    }
    json.close_array();
}

}  // namespace batfill::report
