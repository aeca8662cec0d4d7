#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/analysis/metrics.hpp>
#include <batfill/replay/replay.hpp>

#include "src/choice/named_scheduler.hpp"
#include "src/formats/named_platform.hpp"
#include "src/replay/log_column.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill {

// The jobs of a workload that some schedulers reject, and the first reason that was found: "w0!2, under easy: it ...".
struct RejectedJobs {
    std::set<std::string> ids;
    std::string first;
};

// One replay of a comparison.
struct ReplayToMeasure {
    const Replay* replay = nullptr;
    const NamedScheduler* scheduler = nullptr;
    const StartedInLog* counted = nullptr;  // the jobs that count; null: all, and none may be rejected
};

// What came of it.
struct MeasuredReplay {
    std::optional<Metrics> metrics;  // none: some jobs are rejected, and nobody has said which jobs count
    RejectedJobs rejected;
};

// Makes replays, and hands over what came of each, with its place, in any order and by one thread.
// Throws: what the first of them throws that fails.
using ReplaysElsewhere = std::function<void(const std::vector<ReplayToMeasure>& replays,
                                            const std::function<void(std::size_t, MeasuredReplay)>& take)>;

// Workloads to replay under each of several schedulers.
struct ComparisonRequest {
    std::vector<NamedScheduler> schedulers;
    std::vector<std::string> workloads;   // paths, of logs too
    std::optional<std::string> platform;  // as named_platform() takes it; none: as many hosts as the workload says
    MachineDetails machine;
    std::optional<ReplayMetric> metric;  // the only one to measure; none: all metrics
    MetricsOptions metrics;              // what the machine has is not looked at
    std::vector<std::string> shown{};    // metrics that the user wants to see; empty: those that say something
    unsigned threads = 1;
    bool weeks = false;                     // replay each week on its own; logs are split as by `swf --split 7`
    bool fields_are_read = false;           // schedulers of others may look at any field of a job
    Note note = [](const std::string&) {};  // also hears the notes of notes.hpp, before the first replay
    RunOptions run{};                       // of each replay; its progress is called by several threads
    // A log of SWF, or a jobs.csv, of the same jobs: its schedule is the last column, called log. All columns then have
    // only the jobs that started in the log.
    std::optional<std::string> log{};
    // The scheduler to compare the others with, or log; none: the first one.
    std::optional<std::string> baseline{};
    ReplaysElsewhere elsewhere{};  // in place of the threads, if it is not empty
};

struct Comparison {
    // The metrics of one workload under each scheduler.
    struct Row {
        std::string workload;  // name of the file without ending; the whole path if two files share a name
        std::vector<Metrics> values;
        std::size_t group = 0;  // rows of workloads with the same jobs have the same number
    };

    std::vector<std::string> schedulers;  // names of the columns
    std::vector<Row> rows;
    std::size_t baseline = 0;  // the column that the others are compared with
    Sample sample = Sample::workloads;
    std::size_t left_out = 0;  // jobs of all workloads that no column counts, since they did not run in all of them
    // Why: "w0!2, under easy: it waits for ...". Empty: they did not start in the log.
    std::string first_rejected;
};

// The column of the baseline.
// Throws: UsageError, which lists the names, for one that is no column.
std::size_t baseline_of(const ComparisonRequest& request);

// The replays of a request, which have not run, and their names.
struct PreparedReplays {
    std::vector<std::string> names;
    std::vector<Replay> replays;
};
PreparedReplays prepare_replays(const ComparisonRequest& request);

// Replays, and measures by the `metric`, the `metrics` and the `run` of the request. Several threads may do this at
// once. Throws: InputError, which names workload and scheduler, for a replay that fails.
MeasuredReplay measure_replay(const ReplayToMeasure& one, const ComparisonRequest& request);

// As compare(), of replays that are prepared already, with these names. Ignores the workloads of the request.
Comparison compare(const std::vector<Replay>& replays, std::vector<std::string> names, const ComparisonRequest& request,
                   const std::function<void(std::size_t, std::size_t)>& progress);

// Replays each workload under each scheduler. `progress` hears how many replays are done, and of how many.
// Throws: InputError for files that cannot be read, and for weeks of a workload with a job that is submitted before 0.
// Throws: UsageError, before the first replay, for a metric to show of a pool or capacity that no machine has.
// Throws: InputError as LogColumn.
// Only jobs that run in all columns count; a note says how many others there are, and why the first was rejected.
// Throws: InputError, which names workload and scheduler, for a replay that fails, and which names the workload and a
// job, if no job of a workload runs under all schedulers.
Comparison compare(const ComparisonRequest& request, const std::function<void(std::size_t, std::size_t)>& progress);

// Replays the one workload of the request under each scheduler, and groups its jobs. `progress` and errors are as
// above. A log of the request comes last. Classes of run time go by the longest one of each job in any column.
// Requires: the request has one workload, and no weeks.
std::vector<RunGroups> compare_groups(const ComparisonRequest& request, const std::vector<JobGrouping>& groupings,
                                      const std::function<void(std::size_t, std::size_t)>& progress);

// Writes the values of one metric as csv, in full precision: a row per workload, a column per scheduler.
// Throws: InputError if the file cannot be written.
void write_csv(const Comparison& comparison, const std::string& metric, const std::string& path);

// The groups of the rows.
WorkloadGroups groups_of(const Comparison& comparison);

// As reason_for_no_intervals(), of the workloads that have jobs.
std::string reason_for_no_intervals(const Comparison& comparison);

// Writes the metrics: the mean over the workloads and, if there are enough, its 95 % confidence interval (see
// mean_over_groups()). Marks the best mean and those that may be as good, so that it holds for the whole table
// (src/analysis/told_apart.hpp). Leaves out metrics of deadlines if no job has one, and counts that are 0. The table
// for people begins with which scheduler is best, and how sure that is. csv and json have a line or object for each
// metric and scheduler, with the difference to the baseline, its own interval, and the mark. If `chosen` is not empty,
// writes these metrics, in this order, and leaves none out.
// Requires: `chosen` has names of metric_names(); there is a row.
void write_comparison(std::ostream& out, const Comparison& comparison, MetricsFormat format,
                      const std::vector<std::string>& chosen = {});

}  // namespace batfill
