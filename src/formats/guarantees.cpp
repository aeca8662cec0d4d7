#include <array>

#include <batfill/formats/schedule.hpp>

#include "src/formats/job_id.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/csv_text.hpp"

namespace batfill {

namespace {

// In the order of the file.
enum Column : std::size_t { job_id, guaranteed_start, actual_start, workload_name, column_count };

constexpr std::array<std::string_view, column_count> column_names{"job_id", "guaranteed_start", "actual_start",
                                                                  "workload_name"};

constexpr CsvFormat format{"guarantees.csv", "batfill simulate", column_names};

Guarantee read_guarantee(const CsvRow& row) {
    return {row.job(workload_name, job_id), row.optional_planned_time(guaranteed_start),
            row.optional_planned_time(actual_start)};
}

}  // namespace

std::vector<Guarantee> read_guarantees(const std::string& path) {
    std::vector<Guarantee> guarantees;
    read_csv(path, format, [&](const CsvRow& row) { guarantees.push_back(read_guarantee(row)); });
    return guarantees;
}

std::vector<Guarantee> parse_guarantees(std::string_view text, const std::string& path) {
    std::vector<Guarantee> guarantees;
    parse_csv(text, path, format, [&](const CsvRow& row) { guarantees.push_back(read_guarantee(row)); });
    return guarantees;
}

std::string guarantees_csv_header() {
    return format.header();
}

void append_csv(const Guarantee& guarantee, std::string& out) {
    const JobIdParts id(guarantee.job_id);
    append_csv_field(id.name, out);
    out += ',';
    if (guarantee.guaranteed_start) {
        guarantee.guaranteed_start->since_zero().append_to(out);
    }
    out += ',';
    if (guarantee.actual_start) {
        guarantee.actual_start->since_zero().append_to(out);
    }
    out += ',';
    append_csv_field(id.workload, out);
    out += '\n';
}

}  // namespace batfill
