#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

// A kind of CSV file with a line of column names: the columns to read, and its name in messages.
struct CsvFormat {
    std::string_view name;                      // "jobs.csv"
    std::string_view written_by;                // "Batsim 4"
    std::span<const std::string_view> columns;  // in any order; other columns are skipped
    std::size_t optional = 0;                   // this many of the last columns may be missing
    char separator = ',';
    bool has_quotes = true;  // a field may be quoted; if not, quotes are characters like others

    // The first line of a file with exactly these columns in this order, including its newline.
    std::string header() const;
};

// A line of such a file after the column names. Columns are numbered as in CsvFormat::columns.
class CsvRow {
 public:
    CsvRow(std::string path, const CsvFormat& format) : path_(std::move(path)), format_(format) {}

    // Whether the file has this column; an optional one may be missing. The other functions require it.
    bool has(std::size_t column) const { return position_[column] != missing; }
    std::string_view text(std::size_t column) const { return field(position_[column]); }
    // Any text, but not an empty field: an empty text is written as "".
    std::string_view name(std::size_t column) const;
    // A full id such as "w0!17", from the columns for the workload and for the job in it.
    std::string job(std::size_t workload, std::size_t id) const;
    // A number of seconds; no value if the field is empty or nan.
    std::optional<Duration> optional_duration(std::size_t column) const;
    Duration duration(std::size_t column) const;
    // As above, for an instant, in seconds since time 0.
    Time time(std::size_t column) const { return Time::at(duration(column)); }
    // As above, for an instant of a plan, which may lie beyond all others (see Duration::parse_sum()).
    std::optional<Time> optional_planned_time(std::size_t column) const;
    Time planned_time(std::size_t column) const;

    std::size_t line() const { return line_; }
    // Throw: InputError, which names file and line.
    [[noreturn]] void fail(const std::string& problem) const;
    [[noreturn]] void fail(std::size_t column, const std::string& expected) const;

 private:
    friend class CsvParser;

    std::optional<Duration> optional_number(std::size_t column,
                                            std::optional<Duration> (*parse)(std::string_view)) const;

    static constexpr std::size_t missing = static_cast<std::size_t>(-1);

    std::string_view field(std::size_t number) const {
        const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
        return std::string_view(fields_).substr(begin, ends_[number] - begin);
    }

    std::string path_;
    CsvFormat format_;
    std::size_t line_ = 1;               // the line of the file in which the row begins
    std::string fields_;                 // all in one piece of memory, which the next row reuses
    std::vector<std::size_t> ends_;      // where each field ends in `fields_`
    std::vector<bool> absent_;           // whether each is empty, even without quotes
    std::vector<std::size_t> position_;  // the field of each column, or missing
};

// Approximate number of lines of a file, from its size and its first lines, so that memory for a table can be reserved
// at once. 0 if this is unknown, as for a gzipped file or a pipe.
// Cost: O(1).
std::size_t estimated_lines(const std::string& path);

// Calls `handle`, which may throw, for each line of the file after the column names. The file may be gzipped.
// Throws: InputError, which names file and line, if the text is not CSV or lacks a column.
// Cost: O(size of the file).
void read_csv(const std::string& path, const CsvFormat& format, const std::function<void(const CsvRow&)>& handle);

// As above, for the text of a file. `path` is used in error messages only.
void parse_csv(std::string_view text, const std::string& path, const CsvFormat& format,
               const std::function<void(const CsvRow&)>& handle);

}  // namespace batfill
