#include <algorithm>
#include <iostream>

#include <batfill/core/error.hpp>

#include "src/commands/inputs.hpp"
#include "src/runs/measured_runs.hpp"
#include "src/runs/run_files.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::commands {

namespace {

// The rules of --by, which shows groups in place of metrics.
void check_groupings(const Options& options, const std::vector<JobGrouping>& groupings) {
    for (const char* option : {"waited-in-any-run", "baseline", "intervals", "metrics"}) {
        refuse_if(options.given(option), "--by shows groups of jobs in place of the metrics of runs, expected no --",
                  option);
    }
    refuse_if(std::ranges::any_of(groupings, needs_workload) && !options.given("workload"),
              "--by: the workload tells users, queues and partitions, expected --workload");
}

void check_rules(const Options& options, runs::MeasureRequest& request) {
    for (const char* option : {"waited-in-any-run", "per-job"}) {
        refuse_if(options.given(option) && request.workloads.empty(),
                  "--" + std::string(option) + " tells regular jobs by the workload, expected --workload");
    }
    if (options.given("by")) {
        check_groupings(options, request.groupings);
    }
    request.intervals = options.given("intervals");
    refuse_if(request.intervals && request.waited_in_any_run,
              "--intervals are of all finished jobs, expected no --waited-in-any-run");
    refuse_if(request.intervals && options.given("metrics"),
              "--intervals are those of all metrics of single jobs, expected no --metrics");
}

// The files that the command reads, except the platform.
std::vector<std::string> files_of(const runs::MeasureRequest& request) {
    std::vector<std::string> files = mapped(request.schedules, runs::jobs_file);
    files.insert(files.end(), request.workloads.begin(), request.workloads.end());
    if (request.baseline) {
        files.push_back(runs::jobs_file(*request.baseline));
    }
    if (request.waits_from_eligible) {
        std::ranges::copy(mapped(request.schedules, runs::eligible_file), std::back_inserter(files));
    }
    return files;
}

void add_metrics_options(Options& options, runs::MeasureRequest& request, std::vector<std::string>& chosen) {
    options.add_positional("schedules", text(request.schedules).required());
    options.group("Input");
    options.add(
        "workload,w", text(request.workloads, "FILE"),
        "workload of all the runs, for its deadlines, licences, users and what jobs take of resources; several become w0, w1, ...");
    options.add_rule([&options, &request] { check_rules(options, request); });
    add_machine_options(options, request.options);
    options.group("Measures");
    add_measure_options(options, request.options.tau, request.options.short_deadline);
    add_metrics_option(options, chosen);
    add_wait_from_option(options, request.waits_from_eligible,
                         "where the PREFIX_eligible.csv beside a PREFIX_jobs.csv says that a job had no other jobs to "
                         "wait for");
    options.add("waited-in-any-run", request.waited_in_any_run,
                "metrics of regular jobs: count only jobs that waited in at least one run");
    options.add(
        "baseline", text(request.baseline, "FILE"),
        "jobs.csv or log of the run to compare waits with, such as that of conservative; may be one of the shown runs");
    add_groupings_option(options, request.groupings);
    options.add(
        "intervals",
        "instead of the metrics: those of single jobs (means, percentiles, worst and widest) with confidence intervals of 95 %, over weeks; with --baseline, also of the difference");
}

}  // namespace

void metrics(const Arguments& arguments) {
    runs::MeasureRequest request;
    MetricsFormat format{};
    std::vector<std::string> chosen;
    Options options;
    add_metrics_options(options, request, chosen);
    options.group("Output");
    add_table_format_option(options, format);
    options.add("per-job", text(request.per_job, "FILE"),
                "also write wait and stretch of every job in every run, csv, gzipped if it ends in .gz");
    parse(
        options, arguments,
        {"batfill metrics SCHEDULE... [OPTION]...",
         "Prints the metrics of one or more runs, side by side. Each is defined in docs/metrics.md. A SCHEDULE is a\n"
         "PREFIX_jobs.csv, the PREFIX alone, or a log, whose own schedule it is. Utilisation, system usage and lost capacity\n"
         "need the number of processors (--processors or --platform), the metrics of deadlines and users\n"
         "need the workload, as do the options --waited-in-any-run and --per-job; usage of licences, pools and shared hosts\n"
         "needs platform and workload. With --baseline,\n"
         "waits are also shown as an improvement over another run's. With --by or --intervals, groups of jobs or confidence\n"
         "intervals are shown instead.",
         {"metrics easy dc_jobs.csv -p sdsc-sp2", "metrics easy dc -w sp2.json --by width,length --format csv"}});
    if (request.per_job) {
        require_no_input("per-job", request.per_job, files_of(request));
    }
    const runs::MeasuredRuns measured = runs::measure_runs(request, note);
    if (!request.groupings.empty()) {
        write_groups(std::cout, measured.groups, request.groupings, format);
    } else if (request.intervals) {
        write_intervals(std::cout, measured.intervals, format);
    } else {
        write_metrics(std::cout, measured.metrics, format, chosen);
    }
}

}  // namespace batfill::commands
