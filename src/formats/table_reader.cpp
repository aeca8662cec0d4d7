#include <algorithm>
#include <array>
#include <cmath>

#include <batfill/core/error.hpp>

#include "accounting_readers.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"

namespace batfill {

namespace {

// In the order of table_fields().
enum Field : std::size_t {
    id,
    submit,
    start,
    end,
    wait,
    run_time,
    walltime,
    walltime_minutes,
    processors,
    requested_processors,
    allocated_processors,
    state,
    user,
    queue,
    known_fields
};

// The numbers that Slurm writes for INFINITE and NO_VAL.
constexpr long long slurm_infinite = 4'294'967'295;
constexpr long long slurm_none = 4'294'967'294;

// Programs write these for a missing value.
bool is_missing(std::string_view text) {
    constexpr std::array<std::string_view, 9> words = {"",     "NaN",  "nan",     "NaT",       "None",
                                                       "none", "null", "Unknown", "1970-01-01"};
    return std::find(words.begin(), words.end(), text) != words.end();
}

class Reader {
 public:
    Reader(const AccountingData& data, LogBuilder& builder) : data_(data), builder_(builder) {
        column_of_.fill(CsvColumn::none);
        for (const auto& [field, column] : data.mapping) {
            const std::vector<std::string>& fields = table_fields();
            const auto known = std::find(fields.begin(), fields.end(), field);
            if (known != fields.end()) {
                column_of_[static_cast<std::size_t>(known - fields.begin())] = columns_.size();
            } else {
                others_.emplace_back(field, columns_.size());
            }
            columns_.push_back(column);
        }
    }

    CsvFormat format() const {
        return {"table of jobs", "--map names its columns, and the program that wrote it", columns_, 0,
                data_.separator};
    }
    void add(const CsvRow& row);

 private:
    struct CsvColumn {
        static constexpr std::size_t none = static_cast<std::size_t>(-1);
    };

    std::string_view text(const CsvRow& row, Field field) const {
        return column_of_[field] == CsvColumn::none ? std::string_view() : row.text(column_of_[field]);
    }
    std::optional<Duration> instant(const CsvRow& row, Field field);
    std::optional<Duration> length(const CsvRow& row, Field field) const;
    long long number(const CsvRow& row, Field field) const;
    std::optional<Duration> walltime_of(const CsvRow& row) const;

    const AccountingData& data_;
    LogBuilder& builder_;
    std::vector<std::string_view> columns_;
    std::array<std::size_t, known_fields> column_of_;
    std::vector<std::pair<std::string, std::size_t>> others_;
};

// A number of units since 1970, each of which `per_second` make a second.
std::optional<Duration> since_1970(std::string_view text, long long per_second) {
    const auto number = number_in<long long>(text);
    if (!number) {
        const auto seconds = Duration::parse(text);
        return seconds ? std::optional(Duration::microseconds(seconds->count() / per_second)) : std::nullopt;
    }
    return Duration::microseconds(static_cast<Microseconds>(*number) * 1'000'000 / per_second);
}

std::optional<Duration> Reader::instant(const CsvRow& row, Field field) {
    const std::string_view value = text(row, field);
    if (is_missing(value)) {
        return std::nullopt;
    }
    std::optional<Duration> read;
    const char* expected = "seconds since 1970, or a time such as 2024-03-01 12:00:00";
    switch (data_.times) {
        case TimeFormat::automatic:
            read = Duration::parse(value);
            read = read ? read : read_date(value, DateOrder::year_month_day, builder_.zone());
            break;
        case TimeFormat::month_first:
            read = read_date(value, DateOrder::month_day_year, builder_.zone());
            expected = "a time such as 03/31/2024 12:00:00";
            break;
        case TimeFormat::day_first:
            read = read_date(value, DateOrder::day_month_year, builder_.zone());
            expected = "a time such as 31/03/2024 12:00:00";
            break;
        case TimeFormat::milliseconds:
        case TimeFormat::microseconds:
        case TimeFormat::nanoseconds:
            read = since_1970(value, data_.times == TimeFormat::milliseconds   ? 1'000
                                     : data_.times == TimeFormat::microseconds ? 1'000'000
                                                                               : 1'000'000'000);
            expected = "a number of units since 1970";
            break;
    }
    if (!read) {
        row.fail(column_of_[field], expected);
    }
    return read;
}

std::optional<Duration> Reader::length(const CsvRow& row, Field field) const {
    const std::string_view value = text(row, field);
    if (is_missing(value) || value == "UNLIMITED" || value == "INFINITE" || value == "Partition_Limit") {
        return std::nullopt;
    }
    const std::optional<Duration> read = read_length(value);
    if (!read) {
        row.fail(column_of_[field], "seconds, or a length such as 1-12:00:00");
    }
    return read;
}

std::optional<Duration> Reader::walltime_of(const CsvRow& row) const {
    if (column_of_[walltime_minutes] == CsvColumn::none) {
        return length(row, walltime);
    }
    const std::optional<Duration> minutes = length(row, walltime_minutes);
    if (!minutes || *minutes == Duration::seconds(slurm_infinite) || *minutes == Duration::seconds(slurm_none)) {
        return std::nullopt;
    }
    return *minutes * 60;
}

// Programs that know no missing integers write 4.0 for 4.
long long Reader::number(const CsvRow& row, Field field) const {
    const std::string_view value = text(row, field);
    if (is_missing(value)) {
        return -1;
    }
    const auto whole = number_in<double>(value);
    if (!whole || std::trunc(*whole) != *whole || *whole < -1 || *whole > static_cast<double>(most_processors)) {
        row.fail(column_of_[field], "a whole number up to " + std::to_string(most_processors));
    }
    return static_cast<long long>(*whole);
}

void Reader::add(const CsvRow& row) {
    AccountedJob job;
    job.id = text(row, id);
    job.submit = instant(row, submit);
    job.start = instant(row, start);
    job.end = instant(row, end);
    job.wait = length(row, wait);
    job.run_time = length(row, run_time);
    job.walltime = walltime_of(row);
    const long long both = number(row, processors);
    const long long requested = number(row, requested_processors);
    const long long allocated = number(row, allocated_processors);
    job.requested = requested >= 0 ? requested : both;
    job.allocated = allocated > 0 ? allocated : both >= 0 ? both : requested;
    job.state = text(row, state);
    job.user = text(row, user);
    job.queue = text(row, queue);
    if (!job.run_time && !(job.start && job.end)) {
        builder_.leave_out("never started, or has not ended");
        return;
    }
    for (const auto& [name, column] : others_) {
        if (!is_missing(row.text(column))) {
            builder_.add_field(name, row.text(column));
        }
    }
    builder_.add(job, row.line());
}

bool maps(const AccountingData& data, std::initializer_list<const char*> fields) {
    return std::any_of(data.mapping.begin(), data.mapping.end(), [&](const auto& entry) {
        return std::find(fields.begin(), fields.end(), entry.first) != fields.end();
    });
}

void require_mapping(const AccountingData& data) {
    if (!maps(data, {"id"}) || !maps(data, {"submit"}) ||
        !maps(data, {"processors", "requested-processors", "allocated-processors"}) ||
        (!maps(data, {"run-time"}) && !(maps(data, {"start"}) && maps(data, {"end"})))) {
        throw UsageError(
            "--map: expected columns for id, submit, processors, and run-time or start and end, as in "
            "--map id=JobID,submit=Submit,processors=NCPUS,run-time=Elapsed");
    }
}

}  // namespace

const std::vector<std::string>& table_fields() {
    static const std::vector<std::string> fields = {"id",
                                                    "submit",
                                                    "start",
                                                    "end",
                                                    "wait",
                                                    "run-time",
                                                    "walltime",
                                                    "walltime-minutes",
                                                    "processors",
                                                    "requested-processors",
                                                    "allocated-processors",
                                                    "state",
                                                    "user",
                                                    "queue"};
    return fields;
}

void read_table(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    require_mapping(data);
    Reader reader(data, builder);
    const CsvFormat format = reader.format();
    for_each_row(path, format, [&](const CsvRow& row) { reader.add(row); });
}

}  // namespace batfill
