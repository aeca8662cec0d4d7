#include <array>
#include <chrono>

#include <batfill/core/error.hpp>

#include "src/formats/accounting_readers.hpp"
#include "src/formats/logged_conditions.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

constexpr auto known_fields = std::to_array<std::string_view>(
    {"id", "submit", "start", "end", "wait", "run-time", "walltime", "walltime-minutes", "processors",
     "requested-processors", "allocated-processors", "state", "user", "queue"});

consteval std::size_t field_number(std::string_view field) {
    return place_in(known_fields, field);
}

class TableReader {
 public:
    TableReader(const AccountingData& data, LogBuilder& builder) : data_(data), builder_(builder) {
        column_of_.fill(none);
        for (const auto& [field, column] : data.mapping) {
            const auto* const known = std::ranges::find(known_fields, field);
            if (known != known_fields.end()) {
                column_of_[static_cast<std::size_t>(known - known_fields.begin())] = columns_.size();
            } else {
                others_.emplace_back(field, columns_.size());
                look_at_other(field, columns_.size());
            }
            columns_.push_back(column);
        }
        refuse_if(
            !maps(field_number("id")) || !maps(field_number("submit")) ||
                !(has_size() || (data.fields.per_host && amount_columns_[cores] != none)) ||
                !(maps(field_number("run-time")) || (maps(field_number("start")) && maps(field_number("end")))),
            "the mapping of columns: expected columns for id, submit, processors, and run-time or start and end, as "
            "in id=JobID,submit=Submit,processors=NCPUS,run-time=Elapsed; with fields per-host, cores and nodes may "
            "take the place of processors, and without nodes each job is one of one host");
        refuse_if(
            data.fields.per_host && amount_columns_[nodes] == none && amount_columns_[cores] == none,
            "fields per-host: expected a column for the hosts of a job, as in nodes=NNodes (processors are then its "
            "cores), or one for its cores, as in cores=NCPUS (processors are then its hosts)");
        refuse_if(data.fields.memory_pool && amount_columns_[memory] == none,
                  "fields memory-pool: expected a column for the memory of a job, as in memory=ReqMem");
        refuse_if(data.fields.after && dependency_column_ == none,
                  "fields after: expected a column for what a job waited for, as Slurm writes it, as in "
                  "dependency=Dependency");
        refuse_if(data.fields.begin && waits_[0] == none && !data.fields.as_far_as_known,
                  "fields begin: expected a column for the instant that a job waited for, as in begin=Begin");
    }

    CsvFormat format() const {
        CsvFormat format{"table of jobs", "", columns_, 0, data_.separator.value_or(',')};
        format.is_mapped = true;
        return format;
    }

    void add(const CsvRow& row) {
        AccountedJob job;
        job.id = field(row, field_number("id")).text;
        job.submit = field(row, field_number("submit")).instant(builder_.zone(), data_.times);
        job.start = field(row, field_number("start")).instant(builder_.zone(), data_.times);
        job.end = field(row, field_number("end")).instant(builder_.zone(), data_.times);
        if (data_.times == TimeFormat::automatic) {
            look_at_instants(row);
        }
        job.wait = field(row, field_number("wait")).length();
        job.run_time = field(row, field_number("run-time")).length();
        job.walltime = maps(field_number("walltime-minutes"))
                           ? field(row, field_number("walltime-minutes")).limit(Duration::seconds(60))
                           : field(row, field_number("walltime")).limit();
        read_size(row, job);
        if (data_.fields.per_host || data_.fields.memory_pool) {
            read_amounts(row, job);
        }
        const RecordField state = field(row, field_number("state"));
        job.state = state.is_missing() ? "" : state.text;
        job.user = field(row, field_number("user")).text;
        job.queue = field(row, field_number("queue")).text;
        if (!job.run_time && !(job.start && job.end)) {
            builder_.leave_out("never started, or has not ended");
            return;
        }
        if (!has_size() && amount_columns_[nodes] == none) {
            builder_.note(host_rules::one_host);
        }
        if (data_.fields.partition && partition_column_ != none) {
            job.partition = RecordField{"partition", trimmed(row.text(partition_column_))}.name_or_empty();
            job.partition_column = columns_[partition_column_];
            if (job.partition->empty()) {
                builder_.note(host_rules::no_partition);
            }
        }
        if (data_.fields.partition && partition_column_ == none && maps(field_number("queue"))) {
            job.partition_column = columns_[column_of_[field_number("queue")]];
        }
        if (data_.fields.after) {
            job.conditions_column = columns_[dependency_column_];
            const RecordField dependency{"dependency", trimmed(row.text(dependency_column_))};
            job.conditions =
                conditions_of_slurm(dependency.is_missing() ? std::string_view() : dependency.text, job.id);
        }
        read_begin_and_array(row, job);
        for (const auto& [name, column] : others_) {
            if (std::ranges::find(waits_, column) != waits_.end()) {
                continue;
            }
            if ((data_.fields.partition && column == partition_column_) ||
                (data_.fields.after && column == dependency_column_)) {
                continue;
            }
            if (const RecordField other{name, trimmed(row.text(column))}; !other.is_missing()) {
                builder_.add_field(name, other.text);
            }
        }
        builder_.add(job, row.line());
    }

    // Throws: InputError if the instants of all rows have the form of another format than seconds.
    void finish() const {
        refuse_if<InputError>(
            rows_ > 0 && dates_ == rows_,
            "all instants look like dates such as 20240301, expected seconds since 1970, 20240301000000 or "
            "2024-03-01; if they are seconds, say --times seconds");
        refuse_if<InputError>(
            rows_ > 0 && days_ == rows_ && has_fraction_,
            "all instants look like days of a spreadsheet, expected seconds since 1970; say --times days, or "
            "--times seconds if they are seconds");
    }

 private:
    // Counts rows whose instants all are dates without separators, or numbers of days as spreadsheets have them.
    void look_at_instants(const CsvRow& row) {
        bool are_dates = true;
        bool are_days = true;
        std::optional<Duration> first;
        Duration last;
        for (const std::size_t place : {field_number("submit"), field_number("start"), field_number("end")}) {
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
    bool has_size() const {
        return maps(field_number("processors")) || maps(field_number("requested-processors")) ||
               maps(field_number("allocated-processors"));
    }
    RecordField field(const CsvRow& row, std::size_t place) const {
        const std::size_t column = column_of_[place];
        return column == none ? RecordField{} : RecordField{columns_[column], trimmed(row.text(column))};
    }

    void read_size(const CsvRow& row, AccountedJob& job) const {
        const std::optional<long long> both = field(row, field_number("processors")).number();
        const std::optional<long long> requested = field(row, field_number("requested-processors")).number();
        const std::optional<long long> allocated = field(row, field_number("allocated-processors")).number();
        job.requested = requested.value_or(both.value_or(-1));
        job.allocated = allocated > 0 ? *allocated : both.value_or(requested.value_or(-1));
    }

    std::string_view size_column(const CsvRow& row) const {
        const RecordField allocated = field(row, field_number("allocated-processors"));
        return allocated.text.empty() ? field(row, field_number("processors")).name : allocated.name;
    }

    // Columns of other fields that say what a job took of its hosts.
    enum AmountColumn : std::size_t { nodes, cores, gpus, memory, exclusive };
    static constexpr auto amount_names =
        std::to_array<std::string_view>({"nodes", "cores", "gpus", "memory", "exclusive"});

    void look_at_other(std::string_view field, std::size_t column) {
        const auto* const amount = std::ranges::find(amount_names, field);
        if (amount != amount_names.end()) {
            amount_columns_[static_cast<std::size_t>(amount - amount_names.begin())] = column;
        }
        if (field == "partition") {
            partition_column_ = column;
        } else if (field == "dependency") {
            dependency_column_ = column;
        } else if (const auto* const wait = std::ranges::find(wait_names, field); wait != wait_names.end()) {
            waits_[static_cast<std::size_t>(wait - wait_names.begin())] = column;
        }
    }

    void read_begin_and_array(const CsvRow& row, AccountedJob& job) {
        const auto of = [&](std::size_t place) {
            const std::size_t column = waits_[place];
            return column == none ? RecordField{} : RecordField{columns_[column], trimmed(row.text(column))};
        };
        if (data_.fields.begin) {
            const auto begin = of(0).instant(builder_.zone(), data_.times);
            job.conditions.begin = begin ? std::optional(begin->first) : std::nullopt;
            job.begin_column = of(0).name;
        }
        if (data_.fields.array) {
            job.conditions.array = of(1).is_missing() ? std::string_view() : of(1).text;
            job.conditions.array_limit = std::max(of(2).number().value_or(0), 0LL);
        }
    }

    RecordField amount(const CsvRow& row, AmountColumn which) const {
        const std::size_t column = amount_columns_[which];
        return column == none ? RecordField{} : RecordField{columns_[column], trimmed(row.text(column))};
    }

    // Amounts in a table are those of the whole job. With `per_host`, its size becomes its number of hosts.
    void read_amounts(const CsvRow& row, AccountedJob& job) {
        constexpr auto exclusive_words =
            std::to_array<std::string_view>({"yes", "true", "1", "y", "exclusive", "excl", "exclhost"});
        const bool has_nodes = amount_columns_[nodes] != none;
        const long long hosts = has_nodes ? amount(row, nodes).number().value_or(-1) : has_size() ? job.allocated : 1;
        HostAmounts amounts(hosts);
        if (amount_columns_[cores] != none) {
            amounts.set_cores(amount(row, cores).number(), amount(row, cores).name);
        } else {
            amounts.set_cores(job.allocated, size_column(row));
        }
        if (const RecordField list = amount(row, gpus); data_.fields.per_host && !list.is_missing()) {
            amounts.set_gpus(gpus_of(list, hosts), list.name);
        }
        read_memory(amount(row, memory), data_.memory_is_of_host ? hosts : 1, amounts);
        if (is_word_of(amount(row, exclusive).text, exclusive_words)) {
            amounts.take_whole_hosts();
        }
        if (data_.fields.per_host) {
            job.requested = job.allocated = hosts;
        }
        job.amounts = std::move(amounts);
    }

    // A number, or a list as Slurm writes it.
    static GpuCount gpus_of(const RecordField& field, long long hosts) {
        GpuCount listed = count_gpus(field.text, std::max(hosts, 1LL));
        if (!listed.total()) {
            listed.add("gpu", field.number().value_or(0));
        }
        return listed;
    }

    // `times`: how many times what the table says the job has.
    void read_memory(const RecordField& field, long long times, HostAmounts& amounts) const {
        const bool has_unit = !field.text.empty() && (field.text.back() < '0' || field.text.back() > '9');
        const auto bytes = field.bytes(data_.memory_unit > 0 ? data_.memory_unit : mebibyte);
        if (bytes && times > 0) {
            if (*bytes > most_bytes / times) {
                field.fail("at most " + std::to_string(most_bytes) + " bytes for the job");
            }
            amounts.set_memory(*bytes * times, field.name);
        }
        if (amounts.whole_memory() && !has_unit && data_.memory_unit == 0) {
            amounts.note(host_rules::no_unit);
        }
    }

    const AccountingData& data_;
    LogBuilder& builder_;
    std::vector<std::string_view> columns_;
    std::array<std::size_t, known_fields.size()> column_of_{};
    std::vector<std::pair<std::string_view, std::size_t>> others_;
    std::array<std::size_t, amount_names.size()> amount_columns_{none, none, none, none, none};
    std::size_t partition_column_ = none;
    std::size_t dependency_column_ = none;
    // Of `begin`, `array` and `array_limit`, which are no fields of another meaning.
    static constexpr auto wait_names = std::to_array<std::string_view>({"begin", "array", "array_limit"});
    std::array<std::size_t, wait_names.size()> waits_{none, none, none};
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
    TableReader reader(data, builder);
    const CsvFormat format = reader.format();
    for_each_row(
        path, format, builder, [](const CsvRow&) {}, [&](const CsvRow& row) { reader.add(row); }, [](const CsvRow&) {});
    with_place_in_errors(path, [&] { reader.finish(); });
}

}  // namespace batfill
