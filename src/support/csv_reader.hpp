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

// A kind of CSV file with a line of column names: what is looked for in it, and what messages call it.
struct CsvFormat {
    std::string_view name;                      // "jobs.csv"
    std::string_view written_by;                // "Batsim 4"
    std::span<const std::string_view> columns;  // in any order; other columns are skipped
    std::size_t optional = 0;                   // how many of the last of them may be missing

    // The first line of a file that has these columns in this order and no others, its newline included.
    std::string header() const;
};

// A line of such a file below the column names. Columns are numbered as in CsvFormat::columns.
class CsvRow {
 public:
    CsvRow(std::string path, const CsvFormat& format) : path_(std::move(path)), format_(format) {}

    // Whether the file has this column, as it need not if it is optional. The others require it.
    bool has(std::size_t column) const { return position_[column] != missing; }
    std::string_view text(std::size_t column) const { return field(position_[column]); }
    // Any text, but not a field that is left empty: an empty text is written as "".
    std::string_view name(std::size_t column) const;
    // A full id such as "w0!17", from the two columns that name the workload and the job in it.
    std::string job(std::size_t workload, std::size_t id) const;
    // A number of seconds; no value if the field is empty or nan.
    std::optional<Duration> optional_duration(std::size_t column) const;
    Duration duration(std::size_t column) const;
    // The same for an instant, in seconds since time 0.
    Time time(std::size_t column) const { return Time::at(duration(column)); }
    // The same for an instant of a plan, which may lie beyond all others (see Duration::parse_sum()).
    std::optional<Time> optional_planned_time(std::size_t column) const;
    Time planned_time(std::size_t column) const;

    // These throw InputError naming file and line.
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
    std::string fields_;                 // all of them in one piece of memory, which the next row uses again
    std::vector<std::size_t> ends_;      // where each field ends in `fields_`
    std::vector<bool> absent_;           // whether there is nothing in each, not even quotes
    std::vector<std::size_t> position_;  // which field each column is, or missing
};

// About how many lines a file has, by its size and those at its beginning, so that a table of them can be given its
// memory at once; 0 if nobody can tell, as of a gzipped file or a pipe. O(1).
std::size_t estimated_lines(const std::string& path);

// Calls `handle` for each line of the file below the column names; it may throw. The file may be gzipped. Throws
// InputError naming file and line if the text is not CSV or lacks a column. O(size of the file).
void read_csv(const std::string& path, const CsvFormat& format, const std::function<void(const CsvRow&)>& handle);

// The same for the text of a file; `path` only serves error messages.
void parse_csv(std::string_view text, const std::string& path, const CsvFormat& format,
               const std::function<void(const CsvRow&)>& handle);

}  // namespace batfill
