#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

#include "src/formats/named_values.hpp"
#include "src/replay/explanation.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill {
struct ComparisonRequest;
}

// The page that `batfill report` writes.
namespace batfill::report {

// One of the runs that the page shows side by side.
struct Run {
    std::string label;
    Schedule schedule;
    NamedValues summary{};                                            // columns of schedule.csv and their values
    NamedValues statistics{};                                         // names and values of the algorithm's counts
    std::optional<std::vector<Guarantee>> guarantees{};               // none: no such file
    std::optional<std::vector<BrokenGuarantee>> broken_guarantees{};  // none: no such file
    std::vector<ExplainedReason> wait_reasons{};                      // of explain.csv
    bool is_of_log = false;                                           // what happened on a log's own machine
};

// A file that the page was made from, for readers who want to make it again.
struct SourceFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::string sha256;
};

struct Report {
    std::string title;
    std::string command;  // the command that makes it
    std::vector<SourceFile> files;
    MetricsOptions options;
    std::vector<Workload> workloads;   // of all runs; none: users, queues and deadlines are unknown
    std::vector<Run> runs;             // at least one
    std::size_t baseline = 0;          // the run to compare the others with
    std::vector<std::string> notes{};  // what may surprise a reader of the runs; sentences without a full stop
};

// Whether the page shows what jobs take of pools and shared hosts, and their partitions: the machine has some, and
// there are workloads, which say it.
bool shows_resources(const Report& report);

// Returns the data of the page as one JSON object, as page_data.js reads it. No text in it can end an HTML element. The
// metrics are those of compute_metrics().
// Throws: as compute_metrics(); InputError for runs of different workloads, too.
// Cost: O(n log n).
std::string report_data(const Report& report);

// Returns the page: one HTML file that needs no other file and no network.
std::string report_page(const Report& report);

// The runs of a page, and the file that it goes to.
struct ReportRequest {
    std::vector<std::string> prefixes;  // of the runs, at least one
    // A log, or a jobs.csv of one, which LogColumn reads: its schedule of the one workload is one more run, the last,
    // and all runs have only its jobs. Needs a workload. Where jobs share hosts, a log does not say which hosts its
    // jobs had: it has waits, and no place on the charts of hosts.
    std::optional<std::string> log{};
    std::vector<std::string> workloads;  // paths; none: users, queues and deadlines are unknown
    std::string platform;                // as --platform takes it; empty if not given
    std::string windows;                 // as --windows takes it; likewise
    MetricsOptions metrics;              // with what is known of the machine
    std::size_t baseline = 0;            // an index in `prefixes`, or behind them: the log
    std::optional<std::string> title;    // none: the names of the runs
    std::string output;                  // path of the page
    std::string command;                 // the options as the page shows them
};

// Reads the runs, as runs::read_run() does, and the files beside them. Returns their page. `note` hears what may
// surprise a reader of the runs, which the page says too. Throws: InputError as report_page() and LogColumn, and for
// files that cannot be read or are not as they were written.
std::string render_report(const ReportRequest& request, const Note& note);

// Returns the page of the one workload of the request under each scheduler, without files in between. `command` is the
// command that the page shows.
// Requires: the request has one workload, and no weeks.
// Throws: as compare().
std::string comparison_page(const ComparisonRequest& request, const std::string& command);

}  // namespace batfill::report
