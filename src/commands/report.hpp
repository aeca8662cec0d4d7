#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>

#include "command.hpp"

namespace batfill::commands {

// What the options of `batfill report` say.
struct ReportOptions {
    std::vector<std::string> prefixes;   // of the runs, at least one
    std::vector<std::string> workloads;  // paths; none: users, queues and deadlines are unknown
    std::string platform;                // as --platform takes it; empty if it is not given
    MetricsOptions metrics;              // with what is known of the machine
    std::size_t baseline = 0;            // a place in `prefixes`
    std::optional<std::string> title;    // none: the names of the runs
    std::string output;                  // path of the page
    std::string command;                 // the options as the page shows them
};

// None after printing the help. Throws UsageError, and InputError for a platform or a folder that cannot be used.
std::optional<ReportOptions> parse_report_options(const Arguments& arguments);

// Reads the runs, as read_any_schedule() does, and returns their page. Throws InputError as report::report_page() and
// for files that cannot be read.
std::string make_report(const ReportOptions& options);

// The line that says what was written.
void print_report(const ReportOptions& options, std::ostream& out);

}  // namespace batfill::commands
