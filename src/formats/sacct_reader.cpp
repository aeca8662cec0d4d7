#include <array>
#include <unordered_map>

#include <batfill/core/error.hpp>

#include "accounting_readers.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/numbers.hpp"

namespace batfill {

namespace {

enum Column : std::size_t {
    job_id,
    submit,
    start,
    end,
    elapsed,
    time_limit,
    alloc_cpus,
    n_cpus,
    req_cpus,
    n_nodes,
    state,
    user,
    account,
    partition,
    qos,
    req_mem,
    req_tres,
    alloc_tres,
    job_name,
    reservation,
    columns
};

constexpr std::array<std::string_view, columns> names = {
    "JobID", "Submit",  "Start",   "End",       "Elapsed", "Timelimit",  "AllocCPUS",
    "NCPUS", "ReqCPUS", "NNodes",  "State",     "User",    "Account",    "Partition",
    "QOS",   "ReqMem",  "ReqTRES", "AllocTRES", "JobName", "Reservation"};

const CsvFormat format{"table of jobs", "sacct --parsable2", names, columns - 2, '|', false};

// Reads the rows of one file.
class Reader {
 public:
    Reader(const AccountingData& data, LogBuilder& builder) : data_(data), builder_(builder) {}

    void add(const CsvRow& row);

 private:
    std::optional<Duration> instant(const CsvRow& row, Column column);
    std::optional<Duration> time_limit_of(const CsvRow& row);
    void read_size(const CsvRow& row, AccountedJob& job) const;
    void read_fields(const CsvRow& row, const AccountedJob& job);

    const AccountingData& data_;
    LogBuilder& builder_;
    // The place of the first component of each heterogeneous job; none if it was left out.
    std::unordered_map<std::string, std::optional<std::size_t>> heterogeneous_;
};

std::string_view text_of(const CsvRow& row, Column column) {
    return row.has(column) ? row.text(column) : std::string_view();
}

std::optional<long long> number(const CsvRow& row, Column column) {
    const std::string_view text = text_of(row, column);
    if (text.empty()) {
        return std::nullopt;
    }
    const auto value = read_bytes(text, 1);  // large numbers of nodes have a unit, such as 2K
    if (!value || *value > most_processors) {
        row.fail(column, "a number up to " + std::to_string(most_processors));
    }
    return value;
}

std::optional<Duration> Reader::instant(const CsvRow& row, Column column) {
    const std::string_view text = text_of(row, column);
    if (text.empty() || text == "Unknown" || text == "None") {
        return std::nullopt;
    }
    if (const auto epoch = number_in<long long>(text)) {
        return Duration::seconds(*epoch);
    }
    const std::optional<Duration> read = read_date(text, DateOrder::year_month_day, builder_.zone());
    if (!read) {
        row.fail(column, "a time such as 2024-03-01T12:00:00, or seconds since 1970");
    }
    return read;
}

std::optional<Duration> Reader::time_limit_of(const CsvRow& row) {
    const std::string_view text = text_of(row, time_limit);
    if (text.empty() || text == "Partition_Limit" || text == "Partition_limit" || text == "UNLIMITED") {
        builder_.note("time limit missing, UNLIMITED or Partition_Limit: unknown");
        return std::nullopt;
    }
    const std::optional<Duration> limit = read_length(text);
    if (!limit) {
        row.fail(time_limit, "a length such as 1-12:00:00, UNLIMITED or Partition_Limit");
    }
    return limit;
}

void Reader::read_size(const CsvRow& row, AccountedJob& job) const {
    if (data_.counts_nodes) {
        job.requested = job.allocated = number(row, n_nodes).value_or(-1);
        return;
    }
    const auto processors_of = [](std::string_view tres) {
        const auto item = item_of(tres, "cpu");
        return item ? number_in<long long>(*item) : std::nullopt;
    };
    std::optional<long long> allocated = number(row, alloc_cpus);
    allocated = allocated ? allocated : number(row, n_cpus);
    allocated = allocated ? allocated : processors_of(text_of(row, alloc_tres));
    std::optional<long long> requested = number(row, req_cpus);
    requested = requested ? requested : processors_of(text_of(row, req_tres));
    job.requested = requested.value_or(-1);
    job.allocated = allocated.value_or(requested.value_or(-1));
}

// "4Gn" is for each node, "4000Mc" for each processor.
std::optional<long long> memory_of(std::string_view text, long long nodes, long long processors) {
    long long parts = 1;
    if (text.ends_with('n') || text.ends_with('c')) {
        parts = text.back() == 'n' ? nodes : processors;
        text.remove_suffix(1);
    }
    const auto bytes = read_bytes(text, 1 << 20);
    return bytes && *bytes > 0 && parts > 0 ? std::optional(*bytes * parts) : std::nullopt;
}

void Reader::read_fields(const CsvRow& row, const AccountedJob& job) {
    builder_.add_field("account", text_of(row, account));
    builder_.add_field("qos", text_of(row, qos));
    builder_.add_field("name", text_of(row, job_name));
    builder_.add_field("reservation", text_of(row, reservation));
    const std::string_view tres = text_of(row, req_tres).empty() ? text_of(row, alloc_tres) : text_of(row, req_tres);
    if (const auto gpus = item_of(tres, "gres/gpu")) {
        builder_.add_field("gpus", *gpus);
    }
    const long long nodes = number(row, n_nodes).value_or(-1);
    if (nodes > 0) {
        builder_.add_field("nodes", nodes);
    }
    const std::string_view memory =
        text_of(row, req_mem).empty() ? item_of(tres, "mem").value_or("") : text_of(row, req_mem);
    if (const auto bytes = memory_of(memory, nodes, job.requested)) {
        builder_.add_field("memory", *bytes);
    }
}

void Reader::add(const CsvRow& row) {
    const std::string_view id = row.text(job_id);
    if (id.find('.') != std::string_view::npos) {
        builder_.leave_out("job step");
        return;
    }
    AccountedJob job;
    job.submit = instant(row, submit);
    job.start = instant(row, start);
    job.end = instant(row, end);
    if (row.has(elapsed) && !text_of(row, elapsed).empty()) {
        job.run_time = read_length(row.text(elapsed));
        if (!job.run_time) {
            row.fail(elapsed, "a length such as 1-12:00:00");
        }
    }
    read_size(row, job);
    job.state = text_of(row, state);
    job.user = text_of(row, user);
    job.queue = text_of(row, partition);
    const std::size_t plus = id.find('+');
    job.id = id.substr(0, plus);
    if (plus != std::string_view::npos) {
        if (const auto first = heterogeneous_.find(std::string(job.id)); first != heterogeneous_.end()) {
            if (first->second) {
                builder_.join(*first->second, job);
            } else {
                builder_.leave_out("component of a heterogeneous job that is left out");
            }
            return;
        }
    }
    if (!job.start) {
        builder_.leave_out("never started");
        if (plus != std::string_view::npos) {
            heterogeneous_[std::string(job.id)] = std::nullopt;
        }
        return;
    }
    job.walltime = time_limit_of(row);
    read_fields(row, job);
    const std::optional<std::size_t> place = builder_.add(job, row.line());
    if (plus != std::string_view::npos) {
        heterogeneous_[std::string(job.id)] = place;
    }
}

}  // namespace

void read_sacct(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    Reader reader(data, builder);
    for_each_row(path, format, [&](const CsvRow& row) { reader.add(row); });
}

}  // namespace batfill
