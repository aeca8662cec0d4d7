#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>

#include "command.hpp"

namespace batfill::commands {

// The options of `batfill report`.
struct ReportOptions {
    std::vector<std::string> prefixes;   // of the runs, at least one
    std::vector<std::string> workloads;  // paths; none: users, queues and deadlines are unknown
    std::string platform;                // as --platform takes it; empty if not given
    MetricsOptions metrics;              // with what is known of the machine
    std::size_t baseline = 0;            // an index in `prefixes`
    std::optional<std::string> title;    // none: the names of the runs
    std::string output;                  // path of the page
    std::string command;                 // the options as the page shows them
};

// Returns none after printing the help.
// Throws: UsageError; InputError for a platform or a folder that cannot be used.
std::optional<ReportOptions> parse_report_options(const Arguments& arguments);

// Reads the runs, as read_any_schedule() does, and returns their page.
// Throws: InputError as report::report_page(), and for files that cannot be read.
std::string make_report(const ReportOptions& options);

// Prints the line that says what was written.
void print_report(const ReportOptions& options, std::ostream& out);

}  // namespace batfill::commands
