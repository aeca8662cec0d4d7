#include <iostream>
#include <optional>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/tables.hpp"
#include "src/commands/inputs.hpp"
#include "src/replay/comparison.hpp"
#include "src/report/report.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"
#include "src/support/progress.hpp"
#include "src/support/text_files.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill::commands {

namespace {

struct CompareOptions {
    ComparisonRequest request;
    std::vector<std::string> arguments;            // schedulers, and perhaps workloads
    std::string metric = "mean_bounded_slowdown";  // of the values in `output`
    std::vector<std::string> chosen;               // metrics of the table; empty: all
    MetricsFormat format = MetricsFormat::table;
    std::optional<std::string> output;
    std::optional<std::string> report;
    std::vector<JobGrouping> groupings;  // of the jobs, instead of metrics; none: metrics
};

// The values of a single metric for each workload, and their means.
void print_metric(const Comparison& comparison, const std::string& metric) {
    const auto cell = [](std::optional<double> value) { return analysis::Number{value, analysis::Unit::ratio}; };
    analysis::Rows table{{{metric, metric}}, {}};
    for (const std::string& scheduler : comparison.schedulers) {
        table.columns.push_back({scheduler, scheduler});
    }
    for (const Comparison::Row& of_workload : comparison.rows) {
        std::vector<analysis::Cell>& row = table.rows.emplace_back(1, of_workload.workload);
        for (const Metrics& metrics : of_workload.values) {
            row.emplace_back(cell(metrics[metric]));
        }
    }
    std::vector<analysis::Cell> means{"mean"};
    for (std::size_t column = 0; column < comparison.schedulers.size(); ++column) {
        const auto values = mapped(comparison.rows, [&](const auto& row) { return row.values[column][metric]; });
        means.emplace_back(cell(mean_over_groups(values, groups_of(comparison)).mean));
    }
    table.rows.push_back(std::move(means));
    analysis::write_rows(std::cout, table, MetricsFormat::table);
}

// Prints what the user wants to see, before anything else can fail.
void print(const Comparison& comparison, const CompareOptions& read) {
    if (read.request.metric) {
        print_metric(comparison, read.metric);
    } else {
        write_comparison(std::cout, comparison, read.format, read.chosen);
    }
    std::cout << std::flush;
}

void add_compare_options(Options& options, CompareOptions& read) {
    ComparisonRequest& request = read.request;
    options.add_positional("schedulers", text(read.arguments));
    options.group("Input");
    options.add("workload,w", text(request.workloads, "FILE...").multitoken(),
                "workloads or logs, each replayed on its own; all arguments up to the next option");
    options.add(
        "weeks", request.weeks,
        "replay each week of submissions on its own; logs are split as by batfill swf --split 7, workloads keep all jobs");
    options.add("platform,p", text(request.platform, platform_value),
                std::string(platform_help) + "; by default as many hosts as each workload says (nb_res)");
    add_machine_details(options, request.machine);
    options.add("log", text(request.log, "FILE"),
                "the log of the same jobs (.swf), or the jobs.csv that batfill import --schedule wrote of them: what "
                "happened on its machine is one more column");
    add_plugin_option(options);
    options.group("Measures");
    options.add("metric", text(read.metric, "NAME"),
                "print only this metric, for each workload: " + metric_names_help());
    add_metrics_option(options, read.chosen);
    options.add("baseline", text(request.baseline, "SCHEDULER"),
                "scheduler to compare the others with, or log, that of --log; by default the first");
    add_groupings_option(options, read.groupings);
    add_measure_options(options, request.metrics.tau, request.metrics.short_deadline);
    options.group("Output");
    add_table_format_option(options, read.format);
    options.add("report", output_file(read.report, "FILE.html", page_endings),
                "also write the page of batfill report of the workload, with --weeks of all of it");
    options.add(
        "output,o", text(read.output, "FILE"),
        "also write this metric (by default mean_bounded_slowdown) of each workload as csv with full precision, "
        "gzipped if it ends in .gz");
    options.group("Speed");
    add_threads_option(options, request.threads);
}

// Tells schedulers from workloads among the arguments without an option.
void sort_arguments(const std::vector<std::string>& arguments, ComparisonRequest& request) {
    for (const std::string& argument : arguments) {
        if (is_log(argument) || kind_of_file(argument) == FileKind::workload) {
            request.workloads.push_back(argument);
        } else {
            request.schedulers.push_back(read_scheduler(argument));
        }
    }
    refuse_if(request.schedulers.empty(),
              "no scheduler to compare, expected some before -w (which takes all arguments up to an option)");
    refuse_if(request.workloads.empty(), "no workload, expected a workload in JSON or a log after the schedulers");
}

// The rules of --by, which shows groups of jobs in place of the metrics of workloads.
void check_groupings(const Options& options, const ComparisonRequest& request) {
    for (const char* option : {"metric", "metrics", "baseline", "output"}) {
        refuse_if(options.given(option), "--by shows groups of jobs in place of metrics, expected no --", option);
    }
    refuse_if(request.weeks || request.workloads.size() > 1,
              "--by shows the jobs of one workload, expected one, and no --weeks");
}

void complete(const Options& options, CompareOptions& read) {
    ComparisonRequest& request = read.request;
    sort_arguments(read.arguments, request);
    request.note = note;
    request.shown = read.chosen;
    request.fields_are_read = options.given("plugin");
    refuse_if(options.given("metric") && options.given("format"),
              "--metric prints a metric for each workload, expected no --format, which is for all metrics");
    refuse_if(options.given("metric") && options.given("metrics"),
              "--metric prints a metric for each workload, expected no --metrics, which chooses those of the table");
    refuse_if(options.given("metric") && options.given("baseline") && !options.given("report"),
              "--metric prints a metric for each workload, expected no --baseline, which is of differences");
    if (!read.groupings.empty()) {
        check_groupings(options, request);
    }
    if (options.given("metric")) {
        request.metric.emplace(read.metric, request.metrics.tau);
    }
    if (read.output) {
        require_writable_folder(*read.output);
    }
    require_other_file("report", read.report, "output", read.output);
    std::vector<std::string> inputs = read.arguments;
    inputs.insert(inputs.end(), request.workloads.begin(), request.workloads.end());
    inputs.push_back(request.platform.value_or(""));
    inputs.push_back(request.log.value_or(""));
    require_no_input("output", read.output, inputs);
    require_no_input("report", read.report, inputs);
    refuse_if(read.report && request.workloads.size() > 1,
              "--report shows one workload, expected one, found " + std::to_string(request.workloads.size()));
}

void compare_metrics(const Options& options, const CompareOptions& read) {
    if (read.request.weeks && read.request.workloads.size() > 1) {
        note("the weeks of " + std::to_string(read.request.workloads.size()) +
             " workloads count as one series of weeks, in this order");
    }
    const Comparison comparison = batfill::compare(read.request, show_progress("replays"));
    print(comparison, read);
    // The table for people says it itself.
    if (!options.given("metric") && read.format != MetricsFormat::table) {
        note(reason_for_no_intervals(comparison));
    }
    if (read.output) {
        write_csv(comparison, read.metric, *read.output);
    }
}

}  // namespace

void compare(const Arguments& arguments) {
    CompareOptions read;
    Options options;
    add_compare_options(options, read);
    parse(
        options, arguments,
        {"batfill compare SCHEDULER... WORKLOAD... [OPTION]...",
         "Replays each workload on an empty machine under each scheduler, in memory, and prints all metrics side by side.\n"
         "A SCHEDULER is NAME[,KEY=VALUE]..., say easy,order=saf,backfill-order=spf, or the path of a JSON file\n"
         "{\"algorithm\": NAME, \"params\": {KEY: VALUE}}. A WORKLOAD is Batsim's JSON or a log (.swf), also gzipped. Of several\n"
         "workloads, or with --weeks, the table has means. From five workloads with different jobs on, they have confidence\n"
         "intervals of 95 %, and * marks the best that is told apart from others, ~ what is not told apart from it. With --by, the\n"
         "jobs of one workload are shown in groups, such as those of each partition.",
         {"compare fcfs easy easy,order=saf sp2.json -p sdsc-sp2",
          "compare conservative pc dc SP2.swf.gz --weeks --report page.html"}});
    complete(options, read);
    if (read.groupings.empty()) {
        compare_metrics(options, read);
    } else {
        write_groups(std::cout, compare_groups(read.request, read.groupings, show_progress("replays")), read.groupings,
                     read.format);
        std::cout << std::flush;
    }
    if (read.report) {
        ComparisonRequest whole = read.request;
        whole.weeks = false;
        whole.note = [](const std::string&) {};  // it has been said
        write_file(*read.report, report::comparison_page(whole, "batfill compare " + command_line(arguments)));
    }
}

}  // namespace batfill::commands
