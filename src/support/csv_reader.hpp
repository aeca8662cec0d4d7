#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/core/time.hpp>

namespace batfill {

class CsvRow;
class InputFile;

// Another name of a column, as older programs write it.
struct ColumnAlias {
    std::string_view column;
    std::string_view alias;
};

// A kind of CSV file with a line of column names: the columns to read, and its name in messages.
struct CsvFormat {
    std::string_view name;                      // "jobs.csv"
    std::string_view written_by;                // "Batsim 4"
    std::span<const std::string_view> columns;  // in any order; other columns are skipped
    std::size_t optional = 0;                   // this many of the last columns may be missing
    char separator = ',';
    bool has_quotes = true;     // a field may be quoted; if not, quotes are characters like others
    bool ignores_case = false;  // in names of columns
    // Columns of any text, which may contain the separator. Surplus fields of a row belong to them. Without quotes,
    // they may contain line ends, too. A line with too few fields is the rest of the row before it, if that lacks
    // fields and has begun such a column; or if its last column is one, and the line cannot begin a row (may_stand_in).
    std::span<const std::string_view> free_texts = {};
    // Whether a text may stand in a column with this name; of a column of any text, whether it may begin so. This says
    // to which columns surplus fields belong. None: any text may stand anywhere.
    bool (*may_stand_in)(std::string_view column, std::string_view text) = nullptr;
    // Whether a column of any text usually begins so. It decides where all columns of a row can begin so. None: yes.
    bool (*usually_begins)(std::string_view column, std::string_view text) = nullptr;
    // Called with a line that has the names of the columns again, as in several files that became one. None: it is a
    // row.
    const std::function<void()>* on_names_again = nullptr;
    // Called with a row that cannot be split into the fields of the first line, and with what is wrong. None: an error.
    const std::function<void(const CsvRow&, const std::string&)>* on_bad_row = nullptr;
    // Reading goes on after such a line. Otherwise, on_bad_row throws.
    bool resumes_after_bad_rows = false;
    // Called with a file and its beginning, which was read. If it returns true, it has read the rest, and the file is
    // no table.
    const std::function<bool(InputFile&, std::string_view)>* read_other_kind = nullptr;
    // The user names the columns. If all names are numbers, and none is in the first line, they count columns from 1,
    // and the first line is a row. Lines with # or ; at the beginning of the file are comments; one of them may have
    // the names of the columns.
    bool is_mapped = false;
    // Any columns: the line of their names is a row, too, the first one, and rows have all(). Requires: no `columns`.
    bool has_any_columns = false;
    std::span<const ColumnAlias> aliases{};  // in the order in which they count; the column's own name comes first
};

// The place of a column in a list of columns, for tables that are known when this is compiled.
template <std::size_t size>
consteval std::size_t place_in(const std::array<std::string_view, size>& columns, std::string_view name) {
    const auto found = std::ranges::find(columns, name);
    return found != columns.end() ? static_cast<std::size_t>(found - columns.begin()) : throw "no such column";
}

// A line of such a file after the column names. Columns are numbered as in CsvFormat::columns.
class CsvRow {
 public:
    CsvRow(std::string path, const CsvFormat& format) : path_(std::move(path)), format_(format) {}

    // Whether the file has this column; an optional one may be missing. The other functions require it.
    bool has(std::size_t column) const { return position_[column] != missing; }
    std::string_view text(std::size_t column) const { return field(position_[column]); }
    // As above, of a row that cannot be split: columns of any text move those behind them. Empty: unknown.
    std::string_view text_if_certain(std::size_t column) const {
        const std::size_t place = position_[column];
        return place < ends_.size() && place <= certain_ ? field(place) : std::string_view();
    }
    // A full id such as "w0!17", from the columns for the workload and for the job in it. They hold any text, but no
    // empty field: an empty text is written as "".
    std::string job(std::size_t workload, std::size_t id) const;
    // A number of seconds; no value if the field is empty or nan.
    std::optional<Duration> optional_duration(std::size_t column) const { return seconds(column, Duration::parse); }
    // As above, for an instant of a plan, which may lie beyond all others (see Duration::parse_sum()).
    std::optional<Time> optional_planned_time(std::size_t column) const {
        const std::optional<Duration> since_zero = seconds(column, Duration::parse_sum);
        return since_zero ? std::optional(Time::at(*since_zero)) : std::nullopt;
    }
    // As above, for instants that must have a value.
    Time time(std::size_t column) const { return Time::at(required(column, optional_duration(column))); }
    Time planned_time(std::size_t column) const { return required(column, optional_planned_time(column)); }

    // Whether a separator may belong to several columns of any text. These are empty then.
    bool has_unclear_texts() const { return has_unclear_texts_; }

    // All fields, in the order of the file.
    std::vector<std::string_view> all() const;

    std::size_t line() const { return line_; }
    // Throw: InputError, which names file and line.
    [[noreturn]] void fail(const std::string& problem) const;
    [[noreturn]] void fail(std::size_t column, const std::string& expected) const;
    void fail_if(bool is_wrong, std::size_t column, const char* expected) const {
        if (is_wrong) {
            fail(column, expected);
        }
    }

 private:
    friend class CsvParser;

    std::optional<Duration> seconds(std::size_t column, std::optional<Duration> (*parse)(std::string_view)) const;
    template <class Value>
    Value required(std::size_t column, const std::optional<Value>& value) const {
        if (!value) {
            fail(column, "a number of seconds");
        }
        return *value;
    }

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
    std::size_t certain_ = 0;            // so many columns stand before the first one of any text
    bool has_unclear_texts_ = false;
};

// Approximate number of lines of a file, from its size and its first lines. A table reserves memory for them at once,
// so it is at most 10.2 million. 0 if this is unknown, as for a gzipped file or a pipe.
// Cost: O(1).
std::size_t estimated_lines(const std::string& path);

// Calls `handle`, which may throw, for each line of the file after the column names. The file may be gzipped. With
// `text`, reads this text instead, and `path` is used in error messages only.
// Throws: InputError, which names file and line, if the text is not CSV or lacks a column. CsvFormat says what becomes
// of lines that are not CSV.
// Cost: O(size of the file).
void read_csv(const std::string& path, const CsvFormat& format, const std::function<void(const CsvRow&)>& handle,
              std::optional<std::string_view> text = {});

}  // namespace batfill
