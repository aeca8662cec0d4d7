#include "rows.hpp"

#include <cassert>
#include <ostream>
#include <utility>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "side_by_side.hpp"
#include "src/support/csv_text.hpp"

namespace batfill::analysis {

namespace {

std::string for_people(const Cell& cell) {
    if (const auto* const number = std::get_if<Number>(&cell)) {
        return for_people(number->value, number->unit);
    }
    const auto& text = std::get<std::string>(cell);
    return text.empty() ? "-" : text;
}

void write_table(std::ostream& out, const Rows& rows, MetricsFormat format) {
    std::vector<std::vector<std::string>> lines(1);
    for (const Column& column : rows.columns) {
        lines.front().push_back(column.title);
    }
    for (const std::vector<Cell>& row : rows.rows) {
        std::vector<std::string>& line = lines.emplace_back();
        for (const Cell& cell : row) {
            line.push_back(for_people(cell));
        }
    }
    write_plain_table(out, std::move(lines), format);
}

std::string for_csv(const Cell& cell) {
    if (const auto* const number = std::get_if<Number>(&cell)) {
        return number->value ? exact(*number->value) : "";
    }
    return csv_text(std::get<std::string>(cell));
}

void write_csv(std::ostream& out, const Rows& rows) {
    std::string line;
    for (const Column& column : rows.columns) {
        line += (line.empty() ? "" : ",") + column.name;
    }
    out << line << '\n';
    for (const std::vector<Cell>& row : rows.rows) {
        const char* separator = "";
        for (const Cell& cell : row) {
            out << std::exchange(separator, ",") << for_csv(cell);
        }
        out << '\n';
    }
}

void write_json(std::ostream& out, const Rows& rows) {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    writer.StartArray();
    for (const std::vector<Cell>& row : rows.rows) {
        assert(row.size() == rows.columns.size());
        writer.StartObject();
        for (std::size_t i = 0; i < row.size(); ++i) {
            writer.Key(rows.columns[i].name.c_str());
            if (const auto* const number = std::get_if<Number>(&row[i]); number == nullptr) {
                writer.String(std::get<std::string>(row[i]));
            } else if (number->value) {
                const std::string digits = exact(*number->value);
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

void write_rows(std::ostream& out, const Rows& rows, MetricsFormat format) {
    switch (format) {
        case MetricsFormat::table:
        case MetricsFormat::markdown:
        case MetricsFormat::latex:
            return write_table(out, rows, format);
        case MetricsFormat::csv:
            return write_csv(out, rows);
        case MetricsFormat::json:
            return write_json(out, rows);
    }
}

}  // namespace batfill::analysis
