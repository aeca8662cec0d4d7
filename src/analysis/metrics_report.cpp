#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <batfill/metrics.hpp>

#include "src/core/csv_text.hpp"
#include "src/core/text_table.hpp"

namespace batfill {

namespace {

enum class Unit { count, seconds, ratio, share };

// How a metric is called and where its value is.
struct Metric {
    const char* name;   // in csv and json
    const char* title;  // in tables
    Unit unit;
    std::optional<double> (*value)(const Metrics&);
};

template <std::size_t Metrics::*member>
std::optional<double> count(const Metrics& metrics) {
    return static_cast<double>(metrics.*member);
}

template <std::optional<double> Metrics::*member>
std::optional<double> value(const Metrics& metrics) {
    return metrics.*member;
}

template <auto DeadlineMetrics::*member>
std::optional<double> deadline_value(const Metrics& metrics) {
    if (!metrics.deadlines) {
        return std::nullopt;
    }
    return std::optional<double>((*metrics.deadlines).*member);
}

template <auto WaitImprovement::*member>
std::optional<double> improvement(const Metrics& metrics) {
    return metrics.improvement ? (*metrics.improvement).*member : std::nullopt;
}

constexpr std::array all_metrics{
    Metric{"jobs", "jobs", Unit::count, count<&Metrics::jobs>},
    Metric{"finished", "  finished", Unit::count, count<&Metrics::finished>},
    Metric{"walltime_reached", "    at their walltime", Unit::count, count<&Metrics::walltime_reached>},
    Metric{"killed", "    killed", Unit::count, count<&Metrics::killed>},
    Metric{"failed", "    failed", Unit::count, count<&Metrics::failed>},
    Metric{"rejected", "  rejected", Unit::count, count<&Metrics::rejected>},
    Metric{"unfinished", "  unfinished", Unit::count, count<&Metrics::unfinished>},
    Metric{"mean_wait", "mean wait (s)", Unit::seconds, value<&Metrics::mean_wait>},
    Metric{"max_wait", "max wait (s)", Unit::seconds, value<&Metrics::max_wait>},
    Metric{"mean_wait_worst_5_percent", "mean wait, worst 5 % (s)", Unit::seconds,
           value<&Metrics::mean_wait_worst_5_percent>},
    Metric{"mean_wait_worst_1_percent", "mean wait, worst 1 % (s)", Unit::seconds,
           value<&Metrics::mean_wait_worst_1_percent>},
    Metric{"mean_wait_widest_10_percent", "mean wait, widest 10 % (s)", Unit::seconds,
           value<&Metrics::mean_wait_widest_10_percent>},
    Metric{"mean_wait_improvement", "mean wait, improvement", Unit::share, improvement<&WaitImprovement::mean_wait>},
    Metric{"mean_wait_worst_5_percent_improvement", "mean wait, worst 5 %, improvement", Unit::share,
           improvement<&WaitImprovement::mean_wait_worst_5_percent>},
    Metric{"mean_wait_worst_1_percent_improvement", "mean wait, worst 1 %, improvement", Unit::share,
           improvement<&WaitImprovement::mean_wait_worst_1_percent>},
    Metric{"mean_wait_widest_10_percent_improvement", "mean wait, widest 10 %, improvement", Unit::share,
           improvement<&WaitImprovement::mean_wait_widest_10_percent>},
    Metric{"mean_stretch", "mean stretch", Unit::ratio, value<&Metrics::mean_stretch>},
    Metric{"max_stretch", "max stretch", Unit::ratio, value<&Metrics::max_stretch>},
    Metric{"mean_slowdown", "mean slowdown", Unit::ratio, value<&Metrics::mean_slowdown>},
    Metric{"mean_bounded_slowdown", "mean bounded slowdown", Unit::ratio, value<&Metrics::mean_bounded_slowdown>},
    Metric{"utilisation", "utilisation", Unit::share, value<&Metrics::utilisation>},
    Metric{"makespan", "makespan (s)", Unit::seconds, value<&Metrics::makespan>},
    Metric{"deadline_jobs", "jobs with a deadline", Unit::count, deadline_value<&DeadlineMetrics::jobs>},
    Metric{"deadline_jobs_short", "  short", Unit::count, deadline_value<&DeadlineMetrics::jobs_short>},
    Metric{"deadline_jobs_started_at_once", "  started at once", Unit::count,
           deadline_value<&DeadlineMetrics::jobs_started_at_once>},
    Metric{"deadline_violations", "  deadline missed", Unit::count, deadline_value<&DeadlineMetrics::violations>},
    Metric{"deadline_violations_short", "    short", Unit::count, deadline_value<&DeadlineMetrics::violations_short>},
    Metric{"deadline_violations_long", "    long", Unit::count, deadline_value<&DeadlineMetrics::violations_long>},
    Metric{"mean_deadline_usage", "mean deadline usage", Unit::share, deadline_value<&DeadlineMetrics::mean_usage>},
    Metric{"mean_deadline_usage_delayed", "mean deadline usage, not at once", Unit::share,
           deadline_value<&DeadlineMetrics::mean_usage_delayed>},
    Metric{"share_deadline_usage_above_80_percent", "deadline usage above 80 %", Unit::share,
           deadline_value<&DeadlineMetrics::share_usage_above_80_percent>},
    Metric{"mean_wait_deadline", "mean wait, deadline jobs (s)", Unit::seconds,
           deadline_value<&DeadlineMetrics::mean_wait>},
    Metric{"mean_stretch_deadline", "mean stretch, deadline jobs", Unit::ratio,
           deadline_value<&DeadlineMetrics::mean_stretch>},
    Metric{"max_stretch_deadline", "max stretch, deadline jobs", Unit::ratio,
           deadline_value<&DeadlineMetrics::max_stretch>},
    Metric{"regular_jobs", "regular jobs", Unit::count, deadline_value<&DeadlineMetrics::regular_jobs>},
    Metric{"regular_jobs_left_out", "  more, left out", Unit::count,
           deadline_value<&DeadlineMetrics::regular_jobs_left_out>},
    Metric{"mean_wait_regular", "mean wait, regular jobs (s)", Unit::seconds,
           deadline_value<&DeadlineMetrics::mean_wait_regular>},
    Metric{"mean_stretch_regular", "mean stretch, regular jobs", Unit::ratio,
           deadline_value<&DeadlineMetrics::mean_stretch_regular>},
    Metric{"max_stretch_regular", "max stretch, regular jobs", Unit::ratio,
           deadline_value<&DeadlineMetrics::max_stretch_regular>},
};

std::string for_people(std::optional<double> value, Unit unit) {
    if (!value) {
        return "-";
    }
    switch (unit) {
        case Unit::count:
            return rounded(*value, 0);
        case Unit::seconds:
            return rounded(*value, 1);
        case Unit::ratio:
            return rounded(*value, 3);
        case Unit::share:
            return rounded(*value * 100, 2) + " %";
    }
    return {};
}

void write_table(std::ostream& out, const std::vector<RunMetrics>& runs) {
    std::vector<std::vector<std::string>> lines(1, {""});
    for (const RunMetrics& run : runs) {
        lines.front().push_back(run.label);
    }
    for (const Metric& metric : all_metrics) {
        std::vector<std::string> line{metric.title};
        bool any = false;
        for (const RunMetrics& run : runs) {
            const std::optional<double> number = metric.value(run.metrics);
            any = any || number.has_value();
            line.push_back(for_people(number, metric.unit));
        }
        if (any) {
            lines.push_back(std::move(line));
        }
    }
    write_aligned(out, lines);
}

void write_csv(std::ostream& out, const std::vector<RunMetrics>& runs) {
    out << "run";
    for (const Metric& metric : all_metrics) {
        out << ',' << metric.name;
    }
    out << '\n';
    for (const RunMetrics& run : runs) {
        out << csv_text(run.label);
        for (const Metric& metric : all_metrics) {
            const std::optional<double> number = metric.value(run.metrics);
            out << ',' << (number ? exact(*number) : "");
        }
        out << '\n';
    }
}

void write_json(std::ostream& out, const std::vector<RunMetrics>& runs) {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    writer.StartArray();
    for (const RunMetrics& run : runs) {
        writer.StartObject();
        writer.Key("run");
        writer.String(run.label);
        for (const Metric& metric : all_metrics) {
            writer.Key(metric.name);
            if (const std::optional<double> number = metric.value(run.metrics)) {
                const std::string digits = exact(*number);
                writer.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
            } else {
                writer.Null();
            }
        }
        writer.EndObject();
    }
    writer.EndArray();
    out << text.GetString() << '\n';
}

}  // namespace

void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format) {
    switch (format) {
        case MetricsFormat::table:
            return write_table(out, runs);
        case MetricsFormat::csv:
            return write_csv(out, runs);
        case MetricsFormat::json:
            return write_json(out, runs);
    }
}

}  // namespace batfill
