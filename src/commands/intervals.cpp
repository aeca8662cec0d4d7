#include <algorithm>
#include <cmath>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/tables.hpp"
#include "src/analysis/weekly_series.hpp"
#include "src/commands/inputs.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::commands {

namespace {

using analysis::WeeklySeries;

struct IntervalOptions {
    std::string table;
    bool weeks = false;
    std::optional<std::string> jobs;
    std::optional<std::string> baseline;
    bool relative = false;
    MetricsFormat format{};
};

constexpr double largest = 1e100;  // sums of cubes are finite

struct Column {
    std::string name;
    std::vector<double> values;  // by row
    double sum = 0;
};

// A table as it is read: the columns behind the first, which names the rows.
class Table {
 public:
    // `jobs`: the column with the numbers of jobs, if any.
    explicit Table(std::optional<std::string> jobs) : jobs_(std::move(jobs)) {}

    // Adds the next row; the first has the names of the columns.
    void add(const CsvRow& row) {
        const std::vector<std::string_view> fields = row.all();
        const Cells cells = std::span(fields).subspan(std::min<std::size_t>(1, fields.size()));
        if (!has_names_) {
            add_names(row, cells);
        } else if (std::ranges::find(cells, "") != cells.end() || has_no_jobs(row, cells)) {
            ++left_out_;
        } else {
            add_values(row, cells);
        }
    }

    std::vector<Column>& columns() { return columns_; }
    // Rows with an empty cell, or without jobs: a workload without jobs has no values.
    std::size_t left_out() const { return left_out_; }

 private:
    using Cells = std::span<const std::string_view>;

    void add_names(const CsvRow& row, Cells cells) {
        for (const std::string_view name : cells) {
            if (std::ranges::find(columns_, name, &Column::name) != columns_.end()) {
                row.fail("column " + excerpt(name) + " twice");
            }
            columns_.push_back({std::string(name), {}});
        }
        has_names_ = true;
    }

    void add_values(const CsvRow& row, Cells cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto value = number_in<double>(cells[i]);
            const bool are_jobs = columns_[i].name == jobs_;
            if (!value || !(std::abs(*value) <= largest) || (are_jobs && *value < 0)) {
                row.fail(columns_[i].name + " is " + excerpt(cells[i]) + ", expected a number" +
                         (are_jobs ? " of jobs, from 0" : ""));
            }
            columns_[i].values.push_back(*value);
            columns_[i].sum += *value;
        }
    }

    bool has_no_jobs(const CsvRow& row, Cells cells) const {
        const auto jobs = std::ranges::find(columns_, jobs_, &Column::name);
        if (jobs == columns_.end() ||
            number_in<double>(cells[static_cast<std::size_t>(jobs - columns_.begin())]) != 0) {
            return false;
        }
        if (!std::ranges::all_of(cells, [](std::string_view cell) { return number_in<double>(cell) == 0; })) {
            row.fail("no jobs in column " + jobs->name + ", but a sum that is not 0");
        }
        return true;
    }

    std::optional<std::string> jobs_;
    std::vector<Column> columns_;
    bool has_names_ = false;
    std::size_t left_out_ = 0;
};

// Reads the columns. A note counts the rows that are left out.
std::vector<Column> read_columns(const IntervalOptions& read) {
    Table table(read.jobs);
    const CsvFormat format{.name = "table", .written_by = "compare -o", .columns = {}, .has_any_columns = true};
    read_csv(read.table, format, [&](const CsvRow& row) { table.add(row); });
    refuse_if<InputError>(table.columns().empty(), read.table,
                          ": expected a column with the names of rows, and others with numbers");
    refuse_if<InputError>(table.columns().front().values.empty(), read.table, ": expected a row of numbers");
    if (table.left_out() > 0) {
        note(read.table + ": " + counted(table.left_out(), "row") + " with an empty cell or without jobs left out");
    }
    return std::move(table.columns());
}

std::size_t place_of(const std::vector<Column>& columns, const std::string& name, const char* option) {
    const auto found = std::ranges::find(columns, name, &Column::name);
    refuse_if(found == columns.end(), [&] { return unknown_name(option, name, mapped(columns, &Column::name)); });
    return static_cast<std::size_t>(found - columns.begin());
}

// Computes means and changes of columns, and their intervals.
class Samples {
 public:
    // `jobs`: how many jobs each row has, whose sums the columns have.
    Samples(Column jobs, Sample sample) : jobs_(std::move(jobs)), sample_(sample) {}

    std::optional<double> mean(const Column& column, std::optional<std::size_t> without = {}) const {
        const double jobs = sum_without(jobs_, without);
        return jobs > 0 ? std::optional(sum_without(column, without) / jobs) : std::nullopt;
    }
    std::optional<double> difference(const Column& one, const Column& other,
                                     std::optional<std::size_t> without = {}) const {
        const std::optional<double> ours = mean(one, without);
        const std::optional<double> theirs = mean(other, without);
        return ours && theirs ? std::optional(*ours - *theirs) : std::nullopt;
    }
    // The logarithm of the ratio, which varies alike upwards and downwards. None unless both means are above 0.
    std::optional<double> log_ratio(const Column& one, const Column& other,
                                    std::optional<std::size_t> without = {}) const {
        const std::optional<double> ours = mean(one, without);
        const std::optional<double> theirs = mean(other, without);
        return ours > 0 && theirs > 0 ? std::optional(std::log(*ours / *theirs)) : std::nullopt;
    }
    // `statistic(without)`: a mean or difference without a row.
    std::optional<Interval> interval(const auto& statistic) const {
        const std::optional<double> value = statistic(std::optional<std::size_t>());
        if (!value || jobs_.values.size() < fewest_of(sample_)) {
            return std::nullopt;
        }
        const std::optional<WeeklySeries> series = analysis::jackknife(
            *value, jobs_.values.size(), [&](std::size_t row) { return statistic(std::optional<std::size_t>(row)); });
        return series ? std::optional(analysis::interval_around(*value, series->weeks, sample_, 1)) : std::nullopt;
    }

 private:
    static double sum_without(const Column& column, std::optional<std::size_t> without) {
        return column.sum - (without ? column.values[*without] : 0);
    }

    Column jobs_;
    Sample sample_;
};

void print(std::vector<Column> columns, const IntervalOptions& read) {
    const std::size_t count = columns.front().values.size();
    Column jobs{"", std::vector<double>(count, 1), static_cast<double>(count)};
    if (read.jobs) {
        const std::size_t place = place_of(columns, *read.jobs, "column of --jobs");
        jobs = std::move(columns[place]);
        columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(place));
        refuse_if<InputError>(columns.empty(), read.table, ": expected another column than that of jobs");
    }
    const Column& baseline = columns[read.baseline ? place_of(columns, *read.baseline, "baseline") : 0];
    const Samples samples(jobs, read.weeks ? Sample::weeks : Sample::workloads);
    analysis::Rows rows{analysis::with_intervals({{"name", "name"}, {"rows", "rows"}}, "value"), {}};
    for (const Column& column : columns) {
        std::vector<analysis::Cell>& row = rows.rows.emplace_back();
        row = {column.name, analysis::Number{static_cast<double>(count), analysis::Unit::count}};
        const auto mean = [&](std::optional<std::size_t> without) { return samples.mean(column, without); };
        std::optional<Interval> interval = samples.interval(mean);
        if (interval && std::ranges::min(column.values) >= 0) {
            interval->low = std::max(interval->low, 0.0);
        }
        append(row, mean({}), interval, analysis::Unit::ratio);
        const auto difference = [&](std::optional<std::size_t> without) {
            return read.relative ? samples.log_ratio(column, baseline, without)
                                 : samples.difference(column, baseline, without);
        };
        std::optional<double> change = difference({});
        std::optional<Interval> of_change = samples.interval(difference);
        if (read.relative && change) {
            change = std::expm1(*change);
            if (of_change) {
                of_change = Interval{std::expm1(of_change->low), std::expm1(of_change->high)};
            }
        }
        append(row, change, of_change, read.relative ? analysis::Unit::share : analysis::Unit::ratio);
    }
    analysis::write_rows(std::cout, rows, read.format);
}

}  // namespace

void intervals(const Arguments& arguments) {
    IntervalOptions read;
    Options options;
    options.add_positional("table", text(read.table).required());
    options.group("Input");
    options.add("weeks", read.weeks,
                "the rows are consecutive weeks of one log, in the order of time, instead of independent workloads");
    options.add(
        "jobs", text(read.jobs, "COLUMN"),
        "column with the number of jobs of each row: the others are sums over these jobs, and means are over jobs");
    options.group("Output");
    options.add("baseline", text(read.baseline, "COLUMN"), "column to compare the others with; by default the first");
    options.add("relative", read.relative, "differences are shares of the baseline's mean");
    add_table_format_option(options, read.format);
    parse(
        options, arguments,
        {"batfill intervals TABLE.csv [OPTION]...",
         "Prints the mean of each column of a table, and its difference to that of the first column, with confidence intervals\n"
         "of 95 %, by the method of docs/metrics.md. The table has a line of names, and a row for each workload, as\n"
         "batfill compare -o writes it, or for each week. Its first column names the rows. An interval needs five workloads\n"
         "or 20 weeks. That of a mean without negative values begins at 0 or above.",
         {"intervals values.csv --baseline easy", "intervals weeks.csv --weeks --jobs jobs --relative --format csv"}});
    print(read_columns(read), read);
}

}  // namespace batfill::commands
