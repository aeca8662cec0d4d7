#include <ostream>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <batfill/metrics.hpp>

#include "metric_table.hpp"
#include "src/core/csv_text.hpp"
#include "src/core/text_table.hpp"

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

void write_csv(std::ostream& out, const std::vector<RunMetrics>& runs) {
    out << "run";
    for (const Metric& metric : all_metrics()) {
        out << ',' << metric.name;
    }
    out << '\n';
    for (const RunMetrics& run : runs) {
        out << csv_text(run.label);
        for (const std::optional<double>& number : run.metrics.values()) {
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
        const auto metrics = all_metrics();
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            writer.Key(metrics[i].name);
            if (const std::optional<double> number = run.metrics.values()[i]) {
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
