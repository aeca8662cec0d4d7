#include "src/report/report.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/commands/inputs.hpp"
#include "src/runs/run_files.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"

namespace batfill::commands {

namespace {

// Returns the index of the baseline in `prefixes`, and behind them that of the log, which `log` names, or the word
// "log". Inserts a missing baseline at the front.
std::size_t place_of_baseline(const std::string& baseline, const std::optional<std::string>& log,
                              std::vector<std::string>& prefixes) {
    const bool is_among_runs = std::ranges::find(prefixes, baseline) != prefixes.end();
    if (log && (baseline == *log || (baseline == "log" && !is_among_runs))) {
        return prefixes.size();
    }
    const std::string file = runs::jobs_file(baseline);  // a run may be named by its prefix or by this file
    const auto found = std::find_if(prefixes.begin(), prefixes.end(),
                                    [&](const std::string& prefix) { return runs::jobs_file(prefix) == file; });
    if (found == prefixes.end()) {
        prefixes.insert(prefixes.begin(), baseline);
        return 0;
    }
    return static_cast<std::size_t>(found - prefixes.begin());
}

}  // namespace

void report(const Arguments& arguments) {
    report::ReportRequest request;
    std::string baseline;
    Options options;
    options.add_positional("prefixes", text(request.prefixes).required());
    options.group("Input");
    options.add("workload,w", text(request.workloads, "FILE"),
                "workload of all the runs, for users, queues, deadlines and licences; several become w0, w1, ...");
    add_machine_options(options, request.metrics, &request.platform, &request.windows);
    options.add(
        "log", text(request.log, "FILE"),
        "the log of the workload (.swf), or the jobs.csv that batfill import --schedule wrote of it: what happened "
        "on its machine is one more run, and all runs have only its jobs");
    options.group("Measures");
    options.add("baseline", text(baseline, "PREFIX"),
                "run to compare the others with, or log, that of --log; by default the first");
    add_measure_options(options, request.metrics.tau, request.metrics.short_deadline);
    options.group("Output");
    options.add("output,o", output_file(request.output, "FILE.html", page_endings).required(), "the page");
    options.add("title", text(request.title, "TEXT"), "title of the page; by default the names of the runs");
    parse(
        options, arguments,
        {"batfill report PREFIX... -o FILE.html [OPTION]...",
         "Makes one HTML page of one or more runs, side by side. It needs no other file and no network. It shows a Gantt chart\n"
         "of the machine, its use and the queue over time, the distribution of waits, and the metrics with differences to a\n"
         "baseline; with the workload also users, queues and deadlines. docs/metrics.md explains everything on the page.\n"
         "PREFIX is the prefix of the files that simulate or Batsim wrote: PREFIX_jobs.csv, and, if they exist,\n"
         "PREFIX_schedule.csv, PREFIX_statistics.csv, PREFIX_guarantees.csv, PREFIX_broken_guarantees.csv and PREFIX_explain.csv.",
         {"report easy dc -o page.html", "report easy dc -w sp2.json -p sdsc-sp2 --baseline easy -o page.html"}});
    request.command = command_line(arguments);
    if (request.log) {
        refuse_if(request.workloads.size() != 1, "--log shows the jobs of one workload, expected one -w, found " +
                                                     std::to_string(request.workloads.size()));
        require_no_input("output", request.output, {*request.log});
    }
    if (options.given("baseline")) {
        request.baseline = place_of_baseline(baseline, request.log, request.prefixes);
    }
    require_no_input("output", request.output, mapped(request.prefixes, runs::jobs_file));
    require_no_input("output", request.output, request.workloads);
    write_file(request.output, report::render_report(request, note));
    std::cout << one_line(request.output) << ": " << counted(request.prefixes.size() + (request.log ? 1 : 0), "run")
              << '\n';
}

}  // namespace batfill::commands
