#include "side_by_side.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <ostream>
#include <string_view>
#include <utility>

#include "src/support/text_table.hpp"

namespace batfill::analysis {

namespace {

std::string for_markdown(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        escaped += c == '|' || c == '*' || c == '_' || c == '\\' ? "\\" : "";
        escaped += c;
    }
    return escaped;
}

std::string for_latex(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '\\':
                escaped += "\\textbackslash{}";
                break;
            case '~':
                escaped += "\\textasciitilde{}";
                break;
            case '^':
                escaped += "\\textasciicircum{}";
                break;
            default:
                escaped += std::string_view("&%$#_{}").find(c) != std::string_view::npos ? "\\" : "";
                escaped += c;
        }
    }
    return escaped;
}

// How a format writes its parts.
struct Markup {
    std::string (*escape)(std::string_view);
    std::string indentation;  // for two blanks before a title
    std::string bold_begin;
    std::string bold_end;
};

const Markup& markup_of(MetricsFormat format) {
    static const Markup markdown{for_markdown, "&emsp;", "**", "**"};
    static const Markup latex{for_latex, "\\quad ", "\\textbf{", "}"};
    assert(format == MetricsFormat::markdown || format == MetricsFormat::latex);
    return format == MetricsFormat::latex ? latex : markdown;
}

std::string title_in(const std::string& title, const Markup& markup) {
    const std::size_t blanks = std::min(title.find_first_not_of(' '), title.size());
    std::string text;
    for (std::size_t i = 0; i + 1 < blanks; i += 2) {
        text += markup.indentation;
    }
    return text + markup.escape(std::string_view(title).substr(blanks));
}

void write_text(std::ostream& out, const SideBySide& table, bool marks) {
    std::vector<std::vector<std::string>> lines(1, {""});
    lines.front().insert(lines.front().end(), table.columns.begin(), table.columns.end());
    if (marks) {
        for (std::size_t column = 1; column < lines.front().size(); ++column) {
            lines.front()[column] += "  ";  // where the marks are
        }
    }
    for (const SideBySide::Line& line : table.lines) {
        std::vector<std::string>& cells = lines.emplace_back(1, line.title);
        for (const MarkedCell& cell : line.cells) {
            const char* const mark = cell.is_best ? " *" : cell.may_be_best ? " ~" : "  ";
            cells.push_back(cell.text + (marks ? mark : ""));
        }
    }
    write_aligned(out, std::move(lines));
}

void write_cells(std::ostream& out, const std::vector<std::string>& cells, const char* begin, const char* between,
                 const char* end) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
        out << (column == 0 ? begin : between) << cells[column];
    }
    out << end;
}

void write_markdown(std::ostream& out, const std::vector<std::vector<std::string>>& lines) {
    write_cells(out, lines.front(), "| ", " | ", " |\n");
    std::vector<std::string> rule(lines.front().size(), "---:");
    rule.front() = "---";
    write_cells(out, rule, "|", "|", "|\n");
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
        write_cells(out, *line, "| ", " | ", " |\n");
    }
}

void write_latex(std::ostream& out, const std::vector<std::vector<std::string>>& lines) {
    out << "\\begin{tabular}{l" << std::string(lines.front().size() - 1, 'r') << "}\n\\toprule\n";
    write_cells(out, lines.front(), "", " & ", " \\\\\n\\midrule\n");
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
        write_cells(out, *line, "", " & ", " \\\\\n");
    }
    out << "\\bottomrule\n\\end{tabular}\n";
}

void write_markup(std::ostream& out, const std::vector<std::vector<std::string>>& lines, MetricsFormat format) {
    format == MetricsFormat::latex ? write_latex(out, lines) : write_markdown(out, lines);
}

}  // namespace

std::vector<bool> best_of(const std::vector<std::optional<double>>& values, Goal goal) {
    std::vector<bool> best(values.size(), false);
    std::optional<double> lowest;
    std::optional<double> highest;
    for (const std::optional<double>& value : values) {
        if (value) {
            lowest = lowest ? std::min(*lowest, *value) : *value;
            highest = highest ? std::max(*highest, *value) : *value;
        }
    }
    if (goal == Goal::none || !lowest || *lowest == *highest) {
        return best;
    }
    const double wanted = goal == Goal::more ? *highest : *lowest;
    for (std::size_t i = 0; i < values.size(); ++i) {
        best[i] = values[i] && *values[i] == wanted;
    }
    return best;
}

SideBySide side_by_side(const std::vector<RunMetrics>& runs) {
    SideBySide table;
    table.columns.reserve(runs.size());
    for (const RunMetrics& run : runs) {
        table.columns.push_back(run.label);
    }
    const auto all = all_metrics();
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<std::optional<double>> values(runs.size());
        std::transform(runs.begin(), runs.end(), values.begin(),
                       [&](const RunMetrics& run) { return run.metrics.values()[i]; });
        if (std::none_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); })) {
            continue;
        }
        const std::vector<bool> best = best_of(values, all[i].goal);
        SideBySide::Line& line = table.lines.emplace_back(SideBySide::Line{all[i].title, {}});
        for (std::size_t run = 0; run < runs.size(); ++run) {
            line.cells.push_back({for_people(values[run], all[i].unit), best[run]});
        }
    }
    return table;
}

void write_side_by_side(std::ostream& out, const SideBySide& table, MetricsFormat format, bool marks) {
    if (format == MetricsFormat::table) {
        write_text(out, table, marks);
        return;
    }
    const Markup& markup = markup_of(format);
    std::vector<std::vector<std::string>> lines(1, {""});
    for (const std::string& column : table.columns) {
        lines.front().push_back(markup.escape(column));
    }
    for (const SideBySide::Line& line : table.lines) {
        std::vector<std::string>& cells = lines.emplace_back(1, title_in(line.title, markup));
        for (const MarkedCell& cell : line.cells) {
            const std::string text = markup.escape(cell.text);
            cells.push_back(cell.is_best ? markup.bold_begin + text + markup.bold_end : text);
        }
    }
    write_markup(out, lines, format);
}

void write_plain_table(std::ostream& out, std::vector<std::vector<std::string>> lines, MetricsFormat format) {
    if (format == MetricsFormat::table) {
        write_aligned(out, std::move(lines));
        return;
    }
    for (auto& line : lines) {
        std::transform(line.begin(), line.end(), line.begin(), markup_of(format).escape);
    }
    write_markup(out, lines, format);
}

}  // namespace batfill::analysis
