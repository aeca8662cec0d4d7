#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

// The page that `batfill report` writes.
namespace batfill::report {

// One of the runs that stand side by side.
struct Run {
    std::string label;
    Schedule schedule;
    std::vector<std::pair<std::string, std::string>> summary{};       // columns of schedule.csv and their values
    std::vector<std::pair<std::string, std::string>> statistics{};    // what the algorithm counted, and how many
    std::optional<std::vector<Guarantee>> guarantees{};               // none: no such file
    std::optional<std::vector<BrokenGuarantee>> broken_guarantees{};  // none: no such file
};

// A file that the page was made of, for who wants to make it again.
struct SourceFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::string sha256;
};

// Throws InputError if the file cannot be read.
SourceFile source_file(const std::string& path);

// Reads what simulate or Batsim has written beside the jobs.csv of a run, and adds all these files to `files`, the
// jobs.csv as well. Throws InputError naming a file that is not as it was written.
void read_files_beside(const std::string& jobs_path, Run& run, std::vector<SourceFile>& files);

struct Report {
    std::string title;
    std::string command;  // by which it was made
    std::vector<SourceFile> files;
    MetricsOptions options;
    std::vector<Workload> workloads;  // of all runs; none: users, queues and deadlines are unknown
    std::vector<Run> runs;            // at least one
    std::size_t baseline = 0;         // the run that the others are compared with
};

// The data of the page as one JSON object, as page.js reads it; no text in it can end an element of HTML. The metrics
// are those of compute_metrics(), and so are its errors. Throws InputError for runs of different workloads, too.
// O(n log n).
std::string report_data(const Report& report);

// The page: one HTML file that needs no other and no network.
std::string report_page(const Report& report);

}  // namespace batfill::report
