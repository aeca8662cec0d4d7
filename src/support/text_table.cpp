#include "src/support/text_table.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <iostream>
#include <numeric>

#include <sys/ioctl.h>
#include <unistd.h>

#include <batfill/core/error.hpp>

#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr std::size_t between_columns = 2;

std::vector<std::size_t> widths_of(const TextLines& lines) {
    std::vector<std::size_t> widths(lines.empty() ? 0 : lines.front().size(), 0);
    for (const auto& line : lines) {
        assert(line.size() == widths.size());
        for (std::size_t column = 0; column < line.size(); ++column) {
            widths[column] = std::max(widths[column], line[column].size());
        }
    }
    return widths;
}

std::size_t whole_width(const std::vector<std::size_t>& widths) {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           between_columns * (std::max<std::size_t>(widths.size(), 1) - 1);
}

TextLines transposed(const TextLines& lines) {
    TextLines columns(lines.empty() ? 0 : lines.front().size());
    for (const auto& line : lines) {
        for (std::size_t column = 0; column < line.size(); ++column) {
            columns[column].push_back(line[column]);
        }
    }
    return columns;
}

// Writes the first columns, as many as `keys`, and those from `first` to `end`.
void write_part(std::ostream& out, const TextLines& lines, const std::vector<std::size_t>& widths, std::size_t keys,
                std::size_t first, std::size_t end) {
    for (const auto& line : lines) {
        out << line[0] << std::string(widths[0] - line[0].size(), ' ');
        for (std::size_t column = 1; column < end; ++column) {
            if (column < keys || column >= first) {
                out << std::string(between_columns + widths[column] - line[column].size(), ' ') << line[column];
            }
        }
        out << '\n';
    }
}

// Writes the columns behind the keys in parts of at most this width. Each has at least one of them.
void write_parts(std::ostream& out, const TextLines& lines, const std::vector<std::size_t>& widths, std::size_t keys,
                 std::size_t width) {
    const std::size_t of_keys = whole_width({widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(keys)});
    for (std::size_t first = keys; first < widths.size();) {
        std::size_t taken = of_keys;
        std::size_t end = first;
        do {
            taken += between_columns + widths[end];
            ++end;
        } while (end < widths.size() && taken + between_columns + widths[end] <= width);
        if (first > keys) {
            out << '\n';
        }
        write_part(out, lines, widths, keys, first, end);
        first = end;
    }
}

}  // namespace

std::optional<std::size_t> terminal_width(const std::ostream& out) {
    if (&out != &std::cout || isatty(STDOUT_FILENO) != 1) {
        return std::nullopt;
    }
    const char* const columns = std::getenv("COLUMNS");
    if (const auto given = number_in<std::size_t>(columns == nullptr ? "" : columns); given && *given > 0) {
        return given;
    }
    winsize size{};
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
}

void write_aligned(std::ostream& out, TextLines lines, std::size_t keys) {
    write_aligned(out, std::move(lines), keys, terminal_width(out));
}

void write_aligned(std::ostream& out, TextLines lines, std::size_t keys, std::optional<std::size_t> width) {
    for (auto& line : lines) {
        std::transform(line.begin(), line.end(), line.begin(), one_line);
    }
    const std::vector<std::size_t> widths = widths_of(lines);
    if (!width || widths.size() <= keys || whole_width(widths) <= *width) {
        return write_part(out, lines, widths, 1, 1, widths.size());
    }
    const TextLines columns = transposed(lines);
    if (const std::vector<std::size_t> others = widths_of(columns); whole_width(others) <= *width) {
        return write_part(out, columns, others, 1, 1, others.size());
    }
    write_parts(out, lines, widths, keys, *width);
}

}  // namespace batfill
