#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/analysis/metrics.hpp>

#include "src/workloads/named_workload.hpp"

namespace batfill::runs {

// What to measure of one or more runs.
struct MeasureRequest {
    std::vector<std::string> schedules;  // paths or prefixes, at least one
    std::vector<std::string> workloads;  // paths
    MetricsOptions options;
    bool waits_from_eligible = false;     // waits begin when jobs become eligible, as the eligible.csv of a run says
    bool waited_in_any_run = false;       // regular jobs that waited in no run do not count
    std::optional<std::string> baseline;  // path or prefix
    std::optional<std::string> per_job;   // path of a file to write
    // What replaces the metrics: groups, or else intervals.
    std::vector<JobGrouping> groupings;
    bool intervals = false;
};

// The requested measures of each run; the other two lists are empty.
struct MeasuredRuns {
    std::vector<RunMetrics> metrics;
    std::vector<RunGroups> groups;
    std::vector<RunIntervals> intervals;
};

// Reads the runs, as read_run() does, and measures them. Then writes the file for each job, if requested.
// Throws: InputError for files that cannot be read, and as require_machine_of() and the functions that measure.
MeasuredRuns measure_runs(const MeasureRequest& request, const Note& note);

}  // namespace batfill::runs
