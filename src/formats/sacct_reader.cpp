#include <array>
#include <unordered_map>
#include <vector>

#include <batfill/core/error.hpp>

#include "accounting_readers.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/numbers.hpp"

namespace batfill {

namespace {

constexpr auto columns =
    std::to_array<std::string_view>({"JobID", "Submit",  "Start",   "End",       "Elapsed", "Timelimit",  "AllocCPUS",
                                     "NCPUS", "ReqCPUS", "NNodes",  "State",     "User",    "Account",    "Partition",
                                     "QOS",   "ReqMem",  "ReqTRES", "AllocTRES", "JobName", "Reservation"});

const CsvFormat format{"table of jobs", "sacct --parsable2", columns, columns.size() - 2, '|', false};

consteval std::size_t column(std::string_view name) {
    return place_in(columns, name);
}

RecordField field(const CsvRow& row, std::size_t column) {
    return {columns[column], row.has(column) ? row.text(column) : std::string_view()};
}

// "4Gn" is for each node, "4000Mc" for each processor. `processors` returns their number.
std::optional<long long> memory_of(std::string_view text, long long nodes, const auto& processors) {
    long long parts = 1;
    if (text.ends_with('n') || text.ends_with('c')) {
        parts = text.back() == 'n' ? nodes : processors();
        text.remove_suffix(1);
    }
    const auto bytes = read_bytes(text, 1 << 20);
    return bytes && *bytes > 0 && parts > 0 && *bytes <= most_bytes / parts ? std::optional(*bytes * parts)
                                                                            : std::nullopt;
}

// Reads the rows of one file.
class Reader {
 public:
    Reader(const AccountingData& data, LogBuilder& builder) : data_(data), builder_(builder) {}

    void add(const CsvRow& row) {
        const std::string_view id = row.text(column("JobID"));
        if (id.find('.') != std::string_view::npos) {
            builder_.leave_out("job step");
            return;
        }
        AccountedJob job;
        job.submit = field(row, column("Submit")).instant(builder_.zone());
        job.start = field(row, column("Start")).instant(builder_.zone());
        job.end = field(row, column("End")).instant(builder_.zone());
        job.run_time = field(row, column("Elapsed")).length();
        read_size(row, job);
        job.state = field(row, column("State")).text;
        job.user = field(row, column("User")).text;
        job.queue = field(row, column("Partition")).text;
        const std::size_t plus = id.find('+');
        job.id = id.substr(0, plus);
        if (plus == std::string_view::npos) {
            add_run(row, job);
            return;
        }
        std::vector<std::optional<std::size_t>>& runs = heterogeneous_[std::string(job.id)];
        const std::size_t run = rows_of_component_[std::string(id)]++;
        if (run >= runs.size()) {
            runs.push_back(add_run(row, job));
        } else if (runs[run]) {
            builder_.join(*runs[run], job);
        } else {
            builder_.leave_out("component of a heterogeneous job that is left out");
        }
    }

 private:
    // Returns the place of the job in the log; none if it is left out.
    std::optional<std::size_t> add_run(const CsvRow& row, AccountedJob& job) {
        if (!job.start) {
            builder_.leave_out("never started");
            return std::nullopt;
        }
        job.walltime = field(row, column("Timelimit")).length();
        if (!job.walltime) {
            builder_.note("time limit missing, UNLIMITED or Partition_Limit: unknown");
        }
        read_fields(row);
        return builder_.add(job, row.line());
    }

    static long long processors_in(const CsvRow& row, std::initializer_list<std::size_t> candidates, std::size_t tres) {
        for (const std::size_t candidate : candidates) {
            if (const auto number = field(row, candidate).number()) {
                return *number;
            }
        }
        return number_in<long long>(item_of(field(row, tres).text, "cpu").value_or("")).value_or(-1);
    }
    static long long requested_processors(const CsvRow& row) {
        return processors_in(row, {column("ReqCPUS")}, column("ReqTRES"));
    }
    static long long allocated_processors(const CsvRow& row) {
        return processors_in(row, {column("AllocCPUS"), column("NCPUS")}, column("AllocTRES"));
    }

    void read_size(const CsvRow& row, AccountedJob& job) const {
        if (data_.counts_nodes) {
            job.requested = job.allocated = field(row, column("NNodes")).number().value_or(-1);
            return;
        }
        job.requested = requested_processors(row);
        job.allocated = allocated_processors(row);
        job.allocated = job.allocated >= 0 ? job.allocated : job.requested;
    }

    void read_fields(const CsvRow& row) {
        const auto text = [&](std::size_t column) { return field(row, column).text; };
        builder_.add_field("account", text(column("Account")));
        builder_.add_field("qos", text(column("QOS")));
        builder_.add_field("name", text(column("JobName")));
        builder_.add_field("reservation", text(column("Reservation")));
        const std::string_view requested = text(column("ReqTRES"));
        const std::string_view tres = requested.empty() ? text(column("AllocTRES")) : requested;
        builder_.add_field("gpus", item_of(tres, "gres/gpu").value_or(""));
        const long long nodes = field(row, column("NNodes")).number().value_or(-1);
        if (nodes > 0) {
            builder_.add_field("nodes", nodes);
        }
        const std::string_view memory = text(column("ReqMem"));
        const auto processors = [&row] {
            const long long number = requested_processors(row);
            return number > 0 ? number : allocated_processors(row);
        };
        if (const auto bytes =
                memory_of(memory.empty() ? item_of(tres, "mem").value_or("") : memory, nodes, processors)) {
            builder_.add_field("memory", *bytes);
        }
    }

    const AccountingData& data_;
    LogBuilder& builder_;
    // The place of each run of a heterogeneous job; none if it was left out. A requeued job has several runs, and each
    // of its components a row for each run.
    std::unordered_map<std::string, std::vector<std::optional<std::size_t>>> heterogeneous_;
    std::unordered_map<std::string, std::size_t> rows_of_component_;
};

}  // namespace

void read_sacct(const std::string& path, const AccountingData& data, LogBuilder& builder) {
    Reader reader(data, builder);
    for_each_row(path, format, [&](const CsvRow& row) { reader.add(row); });
}

}  // namespace batfill
