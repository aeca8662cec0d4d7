#include <algorithm>
#include <array>

#include <batfill/formats/schedule.hpp>

#include "src/formats/job_id.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/text.hpp"

// guarantees.csv, broken_guarantees.csv, eligible.csv and tasks.csv.
namespace batfill {

namespace {

// In the order of the files, as the enumerations below.
constexpr std::array<std::string_view, 4> guarantee_columns{"job_id", "guaranteed_start", "actual_start",
                                                            "workload_name"};
constexpr CsvFormat guarantees{"guarantees.csv", "batfill simulate", guarantee_columns};
constexpr std::array<std::string_view, 3> eligible_columns{"job_id", "eligible_time", "workload_name"};
constexpr CsvFormat eligible_times{"eligible.csv", "batfill simulate", eligible_columns};
constexpr std::array<std::string_view, 4> tasks_columns{"job", "host", "cores", "workload_name"};
constexpr CsvFormat tasks{"tasks.csv", "batfill simulate", tasks_columns};
constexpr std::array<std::string_view, 6> broken_columns{
    "job_id", "lost_at", "guaranteed_start", "new_guaranteed_start", "workload_name", "cause"};
constexpr CsvFormat broken_guarantees{"broken_guarantees.csv", "batfill simulate", broken_columns, 1};

// In the order of the enumeration; a window is the cause by its name.
constexpr std::array<std::string_view, 3> causes{"loss", "estimate", "parked"};

void read(const CsvRow& row, std::vector<Guarantee>& out) {
    enum : std::size_t { job_id, guaranteed_start, actual_start, workload_name };
    out.push_back({row.job(workload_name, job_id), row.optional_planned_time(guaranteed_start),
                   row.optional_planned_time(actual_start)});
}

void read(const CsvRow& row, std::vector<EligibleTime>& out) {
    enum : std::size_t { job_id, eligible_time, workload_name };
    out.push_back({row.job(workload_name, job_id), row.optional_planned_time(eligible_time)});
}

void read(const CsvRow& row, std::vector<HostCores>& out) {
    enum : std::size_t { job, host, cores, workload_name };
    const auto number = number_in<int>(row.text(host));
    const auto amount = number_in<Amount>(row.text(cores));
    row.fail_if(!number || *number < 0, host, "the number of a host");
    row.fail_if(!amount || *amount < 0, cores, "a number of cores");
    out.push_back({row.job(workload_name, job), *number, *amount});
}

void read(const CsvRow& row, std::vector<BrokenGuarantee>& out) {
    enum : std::size_t { job_id, lost_at, guaranteed_start, new_guaranteed_start, workload_name, cause };
    const auto* const found = row.has(cause) ? std::ranges::find(causes, row.text(cause)) : causes.begin();
    row.fail_if(found == causes.end() && row.text(cause).empty(), cause,
                "loss, estimate, parked or the name of a window");
    out.push_back({row.job(workload_name, job_id), row.time(lost_at), row.planned_time(guaranteed_start),
                   row.optional_planned_time(new_guaranteed_start),
                   static_cast<GuaranteeBreakCause>(found - causes.begin()),
                   std::string(found == causes.end() ? row.text(cause) : "")});
}

template <class Record>
std::vector<Record> records_in(const std::string& path, const CsvFormat& format, std::optional<std::string_view> text) {
    std::vector<Record> records;
    read_csv(
        path, format, [&](const CsvRow& row) { read(row, records); }, text);
    return records;
}

// The line of a job without its end: its times between the two parts of its id.
void append_line(const std::string& job_id, std::initializer_list<std::optional<Time>> times, std::string& out) {
    const JobIdParts id(job_id);
    append_csv_field(id.name, out);
    for (const std::optional<Time>& time : times) {
        out += ',';
        if (time) {
            time->append_to(out);
        }
    }
    out += ',';
    append_csv_field(id.workload, out);
}

}  // namespace

std::vector<Guarantee> read_guarantees(const std::string& path, std::optional<std::string_view> text) {
    return records_in<Guarantee>(path, guarantees, text);
}

std::vector<BrokenGuarantee> read_broken_guarantees(const std::string& path, std::optional<std::string_view> text) {
    return records_in<BrokenGuarantee>(path, broken_guarantees, text);
}

std::vector<EligibleTime> read_eligible_times(const std::string& path, std::optional<std::string_view> text) {
    return records_in<EligibleTime>(path, eligible_times, text);
}

std::string eligible_csv_header() {
    return "job_id,eligible_time,workload_name\n";
}

void append_csv(const EligibleTime& job, std::string& out) {
    append_line(job.job_id, {job.eligible}, out);
    out += '\n';
}

std::vector<HostCores> read_host_cores(const std::string& path, std::optional<std::string_view> text) {
    return records_in<HostCores>(path, tasks, text);
}

std::string tasks_csv_header() {
    return "job,host,cores,workload_name\n";
}

void append_csv(const HostCores& row, std::string& out) {
    const JobIdParts id(row.job_id);
    append_csv_field(id.name, out);
    out += ',' + std::to_string(row.host) + ',' + std::to_string(row.cores) + ',';
    append_csv_field(id.workload, out);
    out += '\n';
}

std::string guarantees_csv_header() {
    return "job_id,guaranteed_start,actual_start,workload_name\n";
}

std::string broken_guarantees_csv_header(bool with_cause) {
    return std::string("job_id,lost_at,guaranteed_start,new_guaranteed_start,workload_name") +
           (with_cause ? ",cause\n" : "\n");
}

void append_csv(const Guarantee& guarantee, std::string& out) {
    append_line(guarantee.job_id, {guarantee.guaranteed_start, guarantee.actual_start}, out);
    out += '\n';
}

void append_csv(const BrokenGuarantee& broken, std::string& out, bool with_cause) {
    append_line(broken.job_id, {broken.lost_at, broken.guaranteed_start, broken.new_start}, out);
    if (with_cause) {
        out += ',';
        append_csv_field(broken.cause == GuaranteeBreakCause::window
                             ? std::string_view(broken.window)
                             : causes.at(static_cast<std::size_t>(broken.cause)),
                         out);
    }
    out += '\n';
}

}  // namespace batfill
