#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/report/measured_runs.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

constexpr const char* metrics_summary =
    "Prints the metrics of one or more runs, side by side. Each is defined in docs/metrics.md. A SCHEDULE is a\n"
    "PREFIX_jobs.csv, the PREFIX alone, or a log (.swf or .swf.gz), whose own schedule it is. Utilisation, system usage\n"
    "and lost capacity need the number of processors (--processors or --platform), the metrics of deadlines and users\n"
    "need the workload, as do the options --waited-in-any-run and --per-job; licence usage needs platform and workload. With --baseline,\n"
    "waits are also shown as an improvement over another run's. With --by or --intervals, groups of jobs or confidence\n"
    "intervals are shown instead.";

// The groupings of --by, "width,length".
std::vector<JobGrouping> groupings_named(const std::string& names) {
    std::vector<std::string> known;
    std::transform(std::begin(job_groupings), std::end(job_groupings), std::back_inserter(known),
                   [](const auto& named) { return std::string(named.first); });
    std::vector<JobGrouping> result;
    std::istringstream rest(names);
    for (std::string name; std::getline(rest, name, ',');) {
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end()) {
            throw UsageError("--by: " + unknown_name("grouping", name, known));
        }
        const JobGrouping grouping = job_groupings.at(static_cast<std::size_t>(found - known.begin())).second;
        if (std::find(result.begin(), result.end(), grouping) != result.end()) {
            throw UsageError("--by: expected each grouping once, found '" + name + "' twice");
        }
        result.push_back(grouping);
    }
    if (result.empty()) {
        throw UsageError("--by: expected one or more of " + list_of(known));
    }
    return result;
}

// Throws UsageError if an option is given that --by has no use for, or lacks the workload that it needs.
void check_groupings(const Options& options, const std::vector<JobGrouping>& groupings) {
    for (const char* option : {"waited-in-any-run", "baseline", "intervals"}) {
        if (options.given(option)) {
            throw UsageError("--by shows groups of jobs in place of the metrics of runs, expected no --" +
                             std::string(option));
        }
    }
    const bool asks_workload = std::any_of(groupings.begin(), groupings.end(), [](JobGrouping grouping) {
        return grouping == JobGrouping::user || grouping == JobGrouping::queue;
    });
    if (asks_workload && !options.given("workload")) {
        throw UsageError("--by: the workload tells users and queues, expected --workload");
    }
}

// The options of --intervals. Throws UsageError if one is given without it, or is out of its range.
std::optional<IntervalOptions> interval_options(const Options& options) {
    IntervalOptions intervals;
    const bool wanted = options.given("intervals");
    const auto number = [&](const char* option, std::uint64_t otherwise, std::uint64_t min, std::uint64_t max) {
        if (options.given(option) && !wanted) {
            throw UsageError("--" + std::string(option) + " is of confidence intervals, expected --intervals");
        }
        return whole_option(options, option, min, max, otherwise);
    };
    if (wanted && options.given("waited-in-any-run")) {
        throw UsageError("--intervals are of all finished jobs, expected no --waited-in-any-run");
    }
    intervals.resamples = number("resamples", intervals.resamples, 100, 1'000'000);
    intervals.block = number("block", intervals.block, 1, 1000);
    intervals.seed = number("seed", intervals.seed, 0, std::numeric_limits<std::uint64_t>::max());
    return wanted ? std::optional(intervals) : std::nullopt;
}

void add_metrics_options(Options& options) {
    options.add_positional("schedules", Value<std::vector<std::string>>().required());
    options.group("Input");
    options.add("workload,w", Value<std::vector<std::string>>("FILE"),
                "workload of all the runs, for its deadlines, licences and users; several become w0, w1, ...");
    add_machine_options(options);
    options.group("Measures");
    add_measure_options(options);
    options.add("waited-in-any-run", "metrics of regular jobs: count only jobs that waited in at least one run");
    options.add(
        "baseline", Value<std::string>("FILE"),
        "jobs.csv or log of the run to compare waits with, such as that of conservative; may be one of the shown runs");
    options.add(
        "by", Value<std::string>("GROUPS"),
        "instead of the metrics: number of jobs, waits and bounded slowdowns per group of jobs, by width, length, user, queue, or several, such as width,length");
    options.add(
        "intervals",
        "instead of the metrics: those of single jobs (means, percentiles, worst and widest) with confidence intervals of 95 %, by bootstrap over weeks; with --baseline, also of the difference");
    options.add("resamples", Value<std::uint64_t>("N"), "resamples of the bootstrap (default 2000)");
    options.add("block", Value<std::uint64_t>("WEEKS"), "consecutive weeks sampled together (default 1)");
    options.add("seed", Value<std::uint64_t>("N"), "seed of the resamples (default 1)");
    options.group("Output");
    options.add("format,f", Value<std::string>("NAME").otherwise("table"), metrics_format_help);
    options.add("per-job", Value<std::string>("FILE"),
                "also write wait and stretch of every job in every run, csv, gzipped if it ends in .gz");
}

report::MeasureRequest read_metrics_options(const Options& options) {
    report::MeasureRequest read;
    read.schedules = options.get<std::vector<std::string>>("schedules");
    read.workloads = options.get<std::vector<std::string>>("workload");
    measure_options(options, read.options);
    for (const char* option : {"waited-in-any-run", "per-job"}) {
        if (options.given(option) && read.workloads.empty()) {
            throw UsageError("--" + std::string(option) + " tells regular jobs by the workload, expected --workload");
        }
    }
    read.waited_in_any_run = options.given("waited-in-any-run");
    read.per_job = optional_text(options, "per-job");
    read.baseline = optional_text(options, "baseline");
    if (options.given("by")) {
        read.groupings = groupings_named(options.get<std::string>("by"));
        check_groupings(options, read.groupings);
    }
    read.intervals = interval_options(options);
    machine_options(options, read.options);
    return read;
}

}  // namespace

int metrics(const Arguments& arguments) {
    Options options;
    add_metrics_options(options);
    if (!options.parse(
            arguments, "batfill metrics SCHEDULE... [OPTION]...", metrics_summary,
            {"metrics easy dc_jobs.csv -p sdsc-sp2", "metrics easy dc -w sp2.json --by width,length --format csv"})) {
        return 0;
    }
    const MetricsFormat format = metrics_format(options.get<std::string>("format"));
    const report::MeasureRequest request = read_metrics_options(options);
    const report::MeasuredRuns measured = report::measure_runs(request, note);
    if (!request.groupings.empty()) {
        write_groups(std::cout, measured.groups, request.groupings, format);
    } else if (request.intervals) {
        write_intervals(std::cout, measured.intervals, format);
    } else {
        write_metrics(std::cout, measured.metrics, format);
    }
    return 0;
}

}  // namespace batfill::commands
