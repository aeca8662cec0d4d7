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

// One of the runs that the page shows side by side.
struct Run {
    std::string label;
    Schedule schedule;
    std::vector<std::pair<std::string, std::string>> summary{};       // columns of schedule.csv and their values
    std::vector<std::pair<std::string, std::string>> statistics{};    // names and values of the algorithm's counts
    std::optional<std::vector<Guarantee>> guarantees{};               // none: no such file
    std::optional<std::vector<BrokenGuarantee>> broken_guarantees{};  // none: no such file
};

// A file that the page was made from, for readers who want to make it again.
struct SourceFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::string sha256;
};

// Throws: InputError if the file cannot be read.
SourceFile source_file(const std::string& path);

// Reads the files that simulate or Batsim wrote beside the jobs.csv of a run. Adds all these files, and the jobs.csv,
// to `files`.
// Throws: InputError, which names a file that is not as it was written.
void read_files_beside(const std::string& jobs_path, Run& run, std::vector<SourceFile>& files);

struct Report {
    std::string title;
    std::string command;  // the command that makes it
    std::vector<SourceFile> files;
    MetricsOptions options;
    std::vector<Workload> workloads;  // of all runs; none: users, queues and deadlines are unknown
    std::vector<Run> runs;            // at least one
    std::size_t baseline = 0;         // the run to compare the others with
};

// Returns the data of the page as one JSON object, as page.js reads it. No text in it can end an HTML element. The
// metrics are those of compute_metrics().
// Throws: as compute_metrics(); InputError for runs of different workloads, too.
// Cost: O(n log n).
std::string report_data(const Report& report);

// Returns the page: one HTML file that needs no other file and no network.
std::string report_page(const Report& report);

}  // namespace batfill::report
