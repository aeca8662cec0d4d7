#include <cstdint>
#include <filesystem>
#include <system_error>

#include <batfill/core/error.hpp>

#include "report.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/sha256.hpp"
#include "src/workloads/any_workload.hpp"

namespace batfill::report {

namespace {

// The file of the same run whose name has `kind` instead of "jobs"; none if it is not there.
std::optional<std::string> file_beside(std::string jobs_path, const std::string& kind) {
    const std::size_t at = jobs_path.rfind("jobs.csv");
    if (at == std::string::npos) {
        return std::nullopt;
    }
    jobs_path.replace(at, 4, kind);
    return std::filesystem::is_regular_file(jobs_path) ? std::optional(jobs_path) : std::nullopt;
}

SourceFile source_file(const std::string& path) {
    std::error_code is_no_file;
    const std::uintmax_t size = std::filesystem::file_size(path, is_no_file);
    return {path, is_no_file ? 0 : size, sha256_of_file(path)};
}

// Reads a run and the files that simulate or Batsim wrote beside its jobs.csv. Adds all these files to `files`.
Run read_run(const std::string& prefix, const Note& note, std::vector<SourceFile>& files) {
    const std::string path = jobs_file(prefix);
    Run run{"", read_any_schedule(path, note)};
    files.push_back(source_file(path));
    const auto take = [&](const char* kind, auto read, auto& into) {
        if (const auto beside = file_beside(path, kind)) {
            into = read(*beside);
            files.push_back(source_file(*beside));
        }
    };
    take("schedule", read_summary, run.summary);
    take("statistics", read_statistics, run.statistics);
    take("guarantees", read_guarantees, run.guarantees);
    take("broken_guarantees", read_broken_guarantees, run.broken_guarantees);
    return run;
}

std::string default_title(const std::vector<Run>& runs) {
    std::string title;
    for (const Run& run : runs) {
        title += (title.empty() ? "" : ", ") + run.label;
    }
    return title;
}

}  // namespace

std::string render_report(const ReportRequest& request, const Note& note) {
    Report page;
    page.command = "batfill report " + request.command;
    page.options = request.metrics;
    page.baseline = request.baseline;
    for (const std::string& prefix : request.prefixes) {
        page.runs.push_back(read_run(prefix, note, page.files));
        require_machine_of(page.runs.back().schedule, page.options);
    }
    const std::vector<std::string> names = run_labels(request.prefixes);
    for (std::size_t i = 0; i < names.size(); ++i) {
        page.runs[i].label = names[i];
    }
    page.workloads = read_any_workloads(request.workloads, note);
    for (const std::string& path : request.workloads) {
        page.files.push_back(source_file(path));
    }
    if (!request.platform.empty() && !number_of_hosts(request.platform)) {
        page.files.push_back(source_file(platform_file(request.platform)));
    }
    page.title = request.title ? *request.title : default_title(page.runs);
    return report_page(page);
}

}  // namespace batfill::report
