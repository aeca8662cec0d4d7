#include "src/analysis/tables.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <ostream>
#include <string_view>

#include <batfill/core/error.hpp>

#include "src/support/csv_text.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"
#include "src/support/text_table.hpp"

namespace batfill::analysis {

namespace {

std::string for_people(const Cell& cell) {
    if (const auto* const number = std::get_if<Number>(&cell)) {
        return for_people(number->value, number->unit);
    }
    const auto& text = std::get<std::string>(cell);
    return text.empty() ? "-" : text;
}

std::string for_csv(const Cell& cell) {
    if (const auto* const number = std::get_if<Number>(&cell)) {
        return number->value ? exact(*number->value) : "";
    }
    return csv_text(std::get<std::string>(cell));
}

void write_cells(std::ostream& out, const std::vector<std::string>& cells, const char* begin, const char* between,
                 const char* end) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        out << (column == 0 ? begin : between) << cells[column];
    }
    out << end;
}

void write_csv(std::ostream& out, const Rows& rows) {
    write_cells(out, mapped(rows.columns, &Column::name), "", ",", "\n");
    for (const std::vector<Cell>& row : rows.rows) {
        write_cells(out, mapped(row, for_csv), "", ",", "\n");
    }
}

void write_json(std::ostream& out, const Rows& rows) {
    JsonWriter json;
    json.objects(rows.rows, [&](const std::vector<Cell>& row) {
        assert(row.size() == rows.columns.size());
        for (std::size_t i = 0; i < row.size(); ++i) {
            json.key(rows.columns[i].name);
            if (const auto* const number = std::get_if<Number>(&row[i])) {
                json.number(number->value);
            } else {
                json.text(std::get<std::string>(row[i]));
            }
        }
    });
    out << json.written() << '\n';
}

// A name or number in a cell of Markdown, which may also be HTML.
std::string for_markdown(std::string_view text) {
    return escaped(one_line(text), {{'|', "\\|"},
                                    {'*', "\\*"},
                                    {'_', "\\_"},
                                    {'~', "\\~"},
                                    {'`', "\\`"},
                                    {'<', "&lt;"},
                                    {'&', "&amp;"},
                                    {'\\', "\\\\"}});
}

std::string for_latex(std::string_view text) {
    // [ and * would be arguments of the command that ends the line before.
    const bool is_argument = text.starts_with('[') || text.starts_with('*');
    const std::string first = is_argument ? "{" + std::string(text.substr(0, 1)) + "}" : "";
    return first + escaped(one_line(text.substr(is_argument ? 1 : 0)), {{'\\', "\\textbackslash{}"},
                                                                        {'~', "\\textasciitilde{}"},
                                                                        {'^', "\\textasciicircum{}"},
                                                                        {'`', "\\textasciigrave{}"},
                                                                        {'<', "\\textless{}"},
                                                                        {'>', "\\textgreater{}"},
                                                                        {'|', "\\textbar{}"},
                                                                        {'&', "\\&"},
                                                                        {'%', "\\%"},
                                                                        {'$', "\\$"},
                                                                        {'#', "\\#"},
                                                                        {'_', "\\_"},
                                                                        {'{', "\\{"},
                                                                        {'}', "\\}"}});
}

// The text with marks or markup. Two blanks before the title of a line are an indentation.
std::string text_of(const MarkedCell& cell, bool is_title, MetricsFormat format, bool marks) {
    if (format == MetricsFormat::table) {
        const char* const mark = cell.mark == Mark::best ? " *" : cell.mark == Mark::not_told_apart ? " ~" : "  ";
        return cell.text + (marks && !is_title ? mark : "");
    }
    const bool latex = format == MetricsFormat::latex;
    const std::size_t blanks = is_title ? std::min(cell.text.find_first_not_of(' '), cell.text.size()) : 0;
    std::string text;
    for (std::size_t i = 0; i + 1 < blanks; i += 2) {
        text += latex ? "\\quad " : "&emsp;";
    }
    const std::string_view shown = std::string_view(cell.text).substr(blanks);
    text += latex ? for_latex(shown) : for_markdown(shown);
    if (cell.mark == Mark::best) {
        return latex ? "\\textbf{" + text + "}" : "**" + text + "**";
    }
    return cell.mark == Mark::not_told_apart ? text + (latex ? " $\\sim$" : " \\~") : text;
}

void write_markdown(std::ostream& out, const TextLines& lines, const std::string& meaning) {
    write_cells(out, lines.front(), "| ", " | ", " |\n");
    std::vector<std::string> rule(lines.front().size(), "---:");
    rule.front() = "---";
    write_cells(out, rule, "|", "|", "|\n");
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
        write_cells(out, *line, "| ", " | ", " |\n");
    }
    if (!meaning.empty()) {
        out << '\n' << for_markdown(meaning) << '\n';
    }
}

void write_latex(std::ostream& out, const TextLines& lines, const std::string& meaning) {
    out << "\\begin{tabular}{l" << std::string(lines.front().size() - 1, 'r') << "}\n\\toprule\n";
    write_cells(out, lines.front(), "", " & ", " \\\\\n\\midrule\n");
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
        write_cells(out, *line, "", " & ", " \\\\\n");
    }
    out << "\\bottomrule\n\\end{tabular}\n";
    if (!meaning.empty()) {
        out << R"(\par\smallskip{\footnotesize )" << for_latex(meaning) << "}\n";
    }
}

}  // namespace

std::vector<Column> with_intervals(std::vector<Column> columns, const char* value) {
    columns.insert(columns.end(), {{value, value},
                                   {"low", "95 % from"},
                                   {"high", "to"},
                                   {"difference", "difference"},
                                   {"difference_low", "95 % from"},
                                   {"difference_high", "to"}});
    return columns;
}

void append(std::vector<Cell>& row, std::optional<double> value, const std::optional<Interval>& interval, Unit unit) {
    row.emplace_back(Number{value, unit});
    row.emplace_back(Number{interval ? std::optional(interval->low) : std::nullopt, unit});
    row.emplace_back(Number{interval ? std::optional(interval->high) : std::nullopt, unit});
}

void write_rows(std::ostream& out, const Rows& rows, MetricsFormat format) {
    if (format == MetricsFormat::csv) {
        return write_csv(out, rows);
    }
    if (format == MetricsFormat::json) {
        return write_json(out, rows);
    }
    MarkedLines lines{mapped(rows.columns, [](const Column& column) { return MarkedCell{column.title}; })};
    for (const std::vector<Cell>& row : rows.rows) {
        lines.push_back(mapped(row, [](const Cell& cell) { return MarkedCell{for_people(cell)}; }));
    }
    // The texts before the first number tell the rows apart.
    std::size_t keys = 1;
    while (!rows.rows.empty() && keys < rows.columns.size() &&
           std::holds_alternative<std::string>(rows.rows.front()[keys])) {
        ++keys;
    }
    write_lines(out, lines, format, {}, keys);
}

std::vector<bool> best_of(const std::vector<std::optional<double>>& values, Goal goal) {
    std::vector<std::optional<double>> known = values;
    std::erase(known, std::nullopt);
    const auto range = known.empty() ? std::ranges::minmax_result<std::optional<double>>() : std::ranges::minmax(known);
    const std::optional<double> wanted = goal == Goal::more ? range.max : range.min;
    const bool has_best = goal != Goal::none && range.min < range.max;
    return mapped(values, [=](const auto& value) { return has_best && value == wanted; });
}

bool has_marks(const MarkedLines& lines) {
    return std::ranges::any_of(lines, [](const std::vector<MarkedCell>& line) {
        return std::ranges::any_of(line, [](const MarkedCell& cell) { return cell.mark != Mark::none; });
    });
}

const char* to_string(Mark mark) {
    constexpr std::array names{"", "best", "told_apart", "not_told_apart"};
    return names.at(static_cast<std::size_t>(mark));
}

void write_lines(std::ostream& out, const MarkedLines& lines, MetricsFormat format, const std::string& meaning,
                 std::size_t keys) {
    const bool marks = has_marks(lines);
    TextLines texts;
    for (const std::vector<MarkedCell>& line : lines) {
        std::vector<std::string>& cells = texts.emplace_back();
        for (const MarkedCell& cell : line) {
            cells.push_back(text_of(cell, cells.empty(), format, marks));
        }
    }
    if (format == MetricsFormat::table) {
        write_aligned(out, std::move(texts), keys);
        out << meaning << (meaning.empty() ? "" : "\n");
    } else if (format == MetricsFormat::latex) {
        write_latex(out, texts, meaning);
    } else {
        write_markdown(out, texts, meaning);
    }
}

}  // namespace batfill::analysis
