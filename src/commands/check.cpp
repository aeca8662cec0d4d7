#include <algorithm>
#include <iostream>

#include <batfill/analysis/check_schedule.hpp>

#include "src/commands/inputs.hpp"
#include "src/runs/check_files.hpp"
#include "src/support/text.hpp"

namespace batfill::commands {

namespace {

void print_report(const CheckReport& report, std::size_t first, bool with_broken) {
    const std::size_t shown = std::min(first, report.violations.size());
    for (std::size_t i = 0; i < shown; ++i) {
        std::cout << one_line(report.violations[i].text) << '\n';
    }
    std::cout << report.jobs << " jobs, ";
    if (report.violations.empty()) {
        std::cout << "no violations";
    } else {
        std::cout << counted(report.violations.size(), "violation");
        if (shown < report.violations.size()) {
            std::cout << ", the first " << shown << " shown";
        }
    }
    std::cout << " (" << report.rejected << " rejected";
    if (report.deadlines > 0) {
        std::cout << "; " << report.missed_deadlines << " of " << report.deadlines << " deadlines missed";
    }
    if (report.resubmitted > 0) {
        std::cout << "; " << report.resubmitted << " submitted again";
    }
    if (report.guarantees > 0) {
        std::cout << "; " << report.broken_guarantees << " of " << report.guarantees << " guarantees broken";
        if (with_broken) {
            std::cout << ", " << report.listed_broken_guarantees << " of these listed";
        }
    }
    std::cout << ")\n";
}

// Minutes, as in slurm.conf, or a length with a unit.
Duration minutes(const std::string& text) {
    const bool has_unit = text.find_first_not_of("0123456789.") != std::string::npos;
    return read_length(has_unit ? text : text + 'm', Duration());
}

void add_check_options(Options& options, runs::CheckRequest& read) {
    options.add_positional("schedule", text(read.schedule).required());
    options.group("Run");
    options.add("workload,w", text(read.workloads, "FILE").required(),
                "workload of the run; several become w0, w1, ...");
    options.add("platform,p", text(read.platform, platform_value).required(), platform_help);
    add_machine_details(options, read.machine);
    options.add("events", text(read.events, "FILE"),
                "events file of the run: no job may start on a processor that is unavailable; repeatable");
    options.add("forward-unknown-events", read.unknown_events_allowed,
                "allow events of unknown type in the events files");
    options.add("guarantees", text(read.guarantees, "FILE"),
                "PREFIX_guarantees.csv of the run: no job may start later than guaranteed");
    options.add(
        "broken-guarantees", text(read.broken_guarantees, "FILE"),
        "PREFIX_broken_guarantees.csv of the run: guarantees that losses of processors, windows and outlived estimates have moved later, or that have ended");
    options.group("Rules");
    options.add(
        "on-failure",
        word(read.options.jobs_survive_losses, "NAME", {{"continue", true}, {"kill", false}, {"requeue", false}}),
        "the run's parameter on-failure: continue, kill or requeue; after the last two, no job may run on lost processors");
    options.add("placement",
                word(read.options.placement, "NAME",
                     {{"lowest", Placement::lowest},
                      {"contiguous", Placement::contiguous},
                      {"best-effort-contiguous", Placement::best_effort_contiguous},
                      {"snug", Placement::snug},
                      {"fullest", Placement::fullest},
                      {"machine", Placement::machine}})
                    .otherwise("lowest"),
                "what every job's processors must be: contiguous, of one machine (machine), or any (the others)");
    options.add("deadlines", read.options.deadlines_bind, "count a missed deadline as a violation");
    options.add("allow-rejections", read.options.rejections_allowed,
                "allow rejections of jobs that have a walltime and fit on the machine");
    options.add(
        "by-seconds", read.options.decided_by_seconds,
        "the scheduler decides by whole seconds, as slurm: starts and conditions count from the second in which they "
        "lie, tasks of arrays may run in any order, jobs with the field tasks may have different numbers of cores on "
        "their hosts, and rejections are not judged");
    options.add("launch-delay", length(read.options.run_limits.launch_delay, "SECONDS", Duration()),
                "the run's parameter launch-delay of slurm: jobs hold their processors so long before they run");
    options.add("timeout-check", length(read.options.run_limits.timeout_check, "SECONDS", Duration()),
                "the run's parameter timeout-check of slurm: jobs are stopped at its multiples");
    options.add("over-time-limit",
                value(read.options.run_limits.over_time_limit, "MINUTES", minutes, {Type::Scalar::length}),
                "the run's parameter over-time-limit of slurm: jobs may run on so long behind their limits");
    options.add("daemon-start", length(read.options.run_limits.checks_from, "SECONDS"),
                "the run's parameter daemon-start of slurm, from which --timeout-check counts");
    options.add("tolerance", length(read.options.tolerance, "SECONDS", Duration()).otherwise("0.000001"),
                "largest difference between times that should be equal");
}

}  // namespace

void check(const Arguments& arguments) {
    runs::CheckRequest request;
    unsigned first = 0;
    Options options;
    add_check_options(options, request);
    options.group("Output");
    options.add("first", number(first, "N").otherwise("10"), "violations to print");
    parse(
        options, arguments,
        {"batfill check SCHEDULE -w WORKLOAD.json -p PLATFORM.xml [OPTION]...",
         "Audits a schedule from any source. Each job of the workloads must be there once. It must start after its submission, on\n"
         "as many processors as it requests, which no other job uses then and which are available. It must run and end as its\n"
         "profile and walltime demand, and may be rejected only if it cannot run. Columns must agree, and licences and\n"
         "guarantees must be kept.\n"
         "A SCHEDULE is a PREFIX_jobs.csv, the PREFIX alone, or a log for the schedule in it.\n"
         "Exit status 0 without violations; 1 with violations, the first of which are printed.",
         {"check easy -w sp2.json -p sdsc-sp2", "check dc -w sp2.json -p sdsc-sp2 --guarantees dc_guarantees.csv"}});
    refuse_if(request.broken_guarantees && !request.guarantees,
              "--broken-guarantees says what became of --guarantees: give both");
    refuse_if(options.given("on-failure") && request.events.empty(),
              "--on-failure says what became of jobs in --events: give both");
    const CheckReport report = runs::check_files(request, note);
    print_report(report, first, request.broken_guarantees.has_value());
    if (!report.violations.empty()) {
        throw Ended{1};
    }
}

}  // namespace batfill::commands
