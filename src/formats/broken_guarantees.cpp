#include <array>

#include <batfill/formats/schedule.hpp>

#include "src/formats/job_id.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/csv_text.hpp"

namespace batfill {

namespace {

// In the order of the file.
enum Column : std::size_t { job_id, lost_at, guaranteed_start, new_guaranteed_start, workload_name, column_count };

constexpr std::array<std::string_view, column_count> column_names{"job_id", "lost_at", "guaranteed_start",
                                                                  "new_guaranteed_start", "workload_name"};

constexpr CsvFormat format{"broken_guarantees.csv", "batfill simulate", column_names};

BrokenGuarantee read_broken(const CsvRow& row) {
    return {row.job(workload_name, job_id), row.time(lost_at), row.planned_time(guaranteed_start),
            row.optional_planned_time(new_guaranteed_start)};
}

}  // namespace

std::vector<BrokenGuarantee> read_broken_guarantees(const std::string& path) {
    std::vector<BrokenGuarantee> broken;
    read_csv(path, format, [&](const CsvRow& row) { broken.push_back(read_broken(row)); });
    return broken;
}

std::vector<BrokenGuarantee> parse_broken_guarantees(std::string_view text, const std::string& path) {
    std::vector<BrokenGuarantee> broken;
    parse_csv(text, path, format, [&](const CsvRow& row) { broken.push_back(read_broken(row)); });
    return broken;
}

std::string broken_guarantees_csv_header() {
    return format.header();
}

void append_csv(const BrokenGuarantee& broken, std::string& out) {
    const JobIdParts id(broken.job_id);
    append_csv_field(id.name, out);
    out += ',';
    broken.lost_at.append_to(out);
    out += ',';
    broken.guaranteed_start.append_to(out);
    out += ',';
    if (broken.new_start) {
        broken.new_start->append_to(out);
    }
    out += ',';
    append_csv_field(id.workload, out);
    out += '\n';
}

}  // namespace batfill
