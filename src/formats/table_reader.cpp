#include <array>
#include <chrono>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr auto known_fields = std::to_array<std::string_view>(
    {"id", "submit", "start", "end", "wait", "run-time", "walltime", "walltime-minutes", "processors",
     "requested-processors", "allocated-processors", "state", "user", "queue"});

consteval std::size_t place_of(std::string_view field) {
    return place_in(known_fields, field);
}

class Reader {
 public:
    Reader(const AccountingData& data, LogBuilder& builder) : data_(data), builder_(builder) {
        column_of_.fill(none);
        for (const auto& [field, column] : data.mapping) {
            const auto* const known = std::ranges::find(known_fields, field);
            if (known != known_fields.end()) {
                column_of_[static_cast<std::size_t>(known - known_fields.begin())] = columns_.size();
            } else {
                others_.emplace_back(field, columns_.size());
            }
            columns_.push_back(column);
        }
        if (!maps(place_of("id")) || !maps(place_of("submit")) ||
            !(maps(place_of("processors")) || maps(place_of("requested-processors")) ||
              maps(place_of("allocated-processors"))) ||
            !(maps(place_of("run-time")) || (maps(place_of("start")) && maps(place_of("end"))))) {
            throw UsageError(
                "the mapping of columns: expected columns for id, submit, processors, and run-time or start and end, as "
                "in id=JobID,submit=Submit,processors=NCPUS,run-time=Elapsed");
        }
    }

    CsvFormat format() const {
        CsvFormat format{"table of jobs", "", columns_, 0, data_.separator.value_or(',')};
        format.is_mapped = true;
        return format;
    }

    void add(const CsvRow& row) {
        AccountedJob job;
        job.id = field(row, place_of("id")).text;
        job.submit = field(row, place_of("submit")).instant(builder_.zone(), data_.times);
        job.start = field(row, place_of("start")).instant(builder_.zone(), data_.times);
        job.end = field(row, place_of("end")).instant(builder_.zone(), data_.times);
        if (data_.times == TimeFormat::automatic) {
            look_at_instants(row);
        }
        job.wait = field(row, place_of("wait")).length();
        job.run_time = field(row, place_of("run-time")).length();
        job.walltime = maps(place_of("walltime-minutes"))
                           ? field(row, place_of("walltime-minutes")).limit(Duration::seconds(60))
                           : field(row, place_of("walltime")).limit();
        read_size(row, job);
        const RecordField state = field(row, place_of("state"));
        job.state = state.is_missing() ? "" : state.text;
        job.user = field(row, place_of("user")).name_or_empty();
        job.queue = field(row, place_of("queue")).name_or_empty();
        if (!job.run_time && !(job.start && job.end)) {
            builder_.leave_out("never started, or has not ended");
            return;
        }
        for (const auto& [name, column] : others_) {
            if (const RecordField other{name, trimmed(row.text(column))}; !other.is_missing()) {
                builder_.add_field(name, other.text);
            }
        }
        builder_.add(job, row.line());
    }

    // Throws: InputError if the instants of all rows have the form of another format than seconds.
    void finish() const {
        if (rows_ > 0 && dates_ == rows_) {
            throw InputError(
                "all instants look like dates such as 20240301, expected seconds since 1970, 20240301000000 or "
                "2024-03-01; if they are seconds, say --times seconds");
        }
        if (rows_ > 0 && days_ == rows_ && has_fraction_) {
            throw InputError(
                "all instants look like days of a spreadsheet, expected seconds since 1970; say --times days, or "
                "--times seconds if they are seconds");
        }
    }

 private:
    // Counts rows whose instants all are dates without separators, or numbers of days as spreadsheets have them.
    void look_at_instants(const CsvRow& row) {
        bool are_dates = true;
        bool are_days = true;
        std::optional<Duration> first;
        Duration last;
        for (const std::size_t place : {place_of("submit"), place_of("start"), place_of("end")}) {
            const RecordField instant = field(row, place);
            if (instant.text.empty()) {
                continue;
            }
            are_dates = are_dates && looks_like_date(instant.text);
            const auto day = are_days ? Duration::parse(instant.text) : std::nullopt;
            are_days = day && *day >= earliest_day && *day < latest_day;
            if (are_days) {
                has_fraction_ = has_fraction_ || instant.text.find('.') != std::string_view::npos;
                first = first.value_or(*day);
                last = *day;
            }
        }
        ++rows_;
        dates_ += are_dates ? 1U : 0U;
        // A job takes days, not months.
        days_ += are_days && first && last - *first < Duration::seconds(31) ? 1U : 0U;
    }

    static bool looks_like_date(std::string_view text) {
        const auto number = text.size() == 8 ? number_in<int>(text) : std::nullopt;
        if (!number || *number < 0) {
            return false;
        }
        const std::chrono::year_month_day date{std::chrono::year(*number / 10'000),
                                               std::chrono::month(static_cast<unsigned>(*number / 100 % 100)),
                                               std::chrono::day(static_cast<unsigned>(*number % 100))};
        return date.ok() && date.year() >= std::chrono::year(1980) && date.year() < std::chrono::year(2100);
    }

    // 1980 and 2100, in days of a spreadsheet.
    static constexpr Duration earliest_day = Duration::seconds(29'221);
    static constexpr Duration latest_day = Duration::seconds(73'051);

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    bool maps(std::size_t place) const { return column_of_[place] != none; }
    RecordField field(const CsvRow& row, std::size_t place) const {
        const std::size_t column = column_of_[place];
        return column == none ? RecordField{} : RecordField{columns_[column], trimmed(row.text(column))};
    }

    void read_size(const CsvRow& row, AccountedJob& job) const {
        const std::optional<long long> both = field(row, place_of("processors")).number();
        const std::optional<long long> requested = field(row, place_of("requested-processors")).number();
        const std::optional<long long> allocated = field(row, place_of("allocated-processors")).number();
        job.requested = requested.value_or(both.value_or(-1));
        job.allocated = allocated > 0 ? *allocated : both.value_or(requested.value_or(-1));
    }

    const AccountingData& data_;
    LogBuilder& builder_;
    std::vector<std::string_view> columns_;
    std::array<std::size_t, known_fields.size()> column_of_{};
    std::vector<std::pair<std::string_view, std::size_t>> others_;
    std::size_t rows_ = 0;
    std::size_t dates_ = 0;
    std::size_t days_ = 0;
    bool has_fraction_ = false;
};

}  // namespace

std::vector<std::string> table_fields() {
    return {known_fields.begin(), known_fields.end()};
}

void read_table(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    Reader reader(data, builder);
    const CsvFormat format = reader.format();
    for_each_row(
        path, format, builder, [](const CsvRow&) {}, [&](const CsvRow& row) { reader.add(row); });
    with_place_in_errors(path, [&] { reader.finish(); });
}

}  // namespace batfill
