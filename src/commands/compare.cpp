#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/campaign/comparison_page.hpp"
#include "src/replay/comparison.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/file_kind.hpp"
#include "src/support/files.hpp"
#include "src/support/names.hpp"
#include "src/support/progress.hpp"
#include "src/support/text_table.hpp"
#include "src/workloads/any_workload.hpp"

namespace batfill::commands {

namespace {

constexpr const char* default_metric = "mean_bounded_slowdown";

constexpr const char* compare_summary =
    "Replays each workload on an empty machine under each scheduler, in memory, and prints all metrics side by side.\n"
    "A SCHEDULER is NAME[,KEY=VALUE]..., say easy,order=saf,backfill-order=spf, or the path of a JSON file\n"
    "{\"algorithm\": NAME, \"params\": {KEY: VALUE}}. A WORKLOAD is Batsim's JSON or a log (.swf), also gzipped. Of several\n"
    "workloads, or with --weeks, the table has means with confidence intervals of 95 %. * marks the best, ~ what is not\n"
    "told apart from it.";

struct CompareOptions {
    ComparisonRequest request;
    std::string metric;  // of the values in `output`
    MetricsFormat format = MetricsFormat::table;
    std::optional<std::string> output;
    std::optional<std::string> report;
    std::string command;
};

std::string for_people(std::optional<double> value) {
    return value ? rounded(*value, 3) : "-";
}

// The values of a single metric for each workload, and their means.
void print_metric(const Comparison& comparison, const std::string& metric) {
    std::vector<std::vector<std::string>> lines{{metric}};
    std::vector<std::string> means{"mean"};
    for (std::size_t column = 0; column < comparison.schedulers.size(); ++column) {
        lines.front().push_back(comparison.schedulers[column]);
        std::vector<double> values;
        for (const Comparison::Row& row : comparison.rows) {
            if (const std::optional<double> value = row.values[column][metric]) {
                values.push_back(*value);
            }
        }
        means.push_back(for_people(analysis::mean(values)));
    }
    for (const auto& [workload, values] : comparison.rows) {
        std::vector<std::string>& line = lines.emplace_back(1, workload);
        std::transform(values.begin(), values.end(), std::back_inserter(line),
                       [&](const Metrics& metrics) { return for_people(metrics[metric]); });
    }
    lines.push_back(std::move(means));
    write_aligned(std::cout, lines);
}

void print_all(const Comparison& comparison, MetricsFormat format) {
    if (format == MetricsFormat::table && comparison.rows.size() > 1) {
        std::cout << "mean over " << comparison.rows.size() << " workloads, each replayed on an empty machine\n";
    }
    write_comparison(std::cout, comparison, format);
}

void add_compare_options(Options& options) {
    options.add_positional("schedulers", Value<std::vector<std::string>>());
    options.group("Input");
    options.add("workload,w", Value<std::vector<std::string>>("FILE...").multitoken(),
                "workloads or logs, each replayed on its own; all arguments up to the next option");
    options.add(
        "weeks",
        "replay each week of submissions on its own; logs are split as by batfill swf --split 7, workloads keep all jobs");
    options.add("platform,p", Value<std::string>(platform_value),
                std::string(platform_help) + "; by default as many hosts as each workload says (nb_res)");
    add_master_host_option(options);
    add_plugin_option(options);
    options.group("Measures");
    options.add("metric", Value<std::string>("NAME"),
                "print only this metric, for each workload: " + metric_names_help());
    add_measure_options(options);
    options.group("Output");
    options.add("format,f", Value<std::string>("NAME").otherwise("table"), metrics_format_help);
    options.add("report", Value<std::string>("FILE.html"),
                "also write the page of batfill report of the workload, with --weeks of all of it");
    options.add(
        "output,o", Value<std::string>("FILE"),
        "also write this metric (by default mean_bounded_slowdown) of each workload as csv with full precision, "
        "gzipped if it ends in .gz");
    options.group("Speed");
    add_threads_option(options);
}

bool is_workload(const std::string& argument) {
    const FileKind kind = kind_of_file(argument);
    return kind == FileKind::log || kind == FileKind::workload || is_log(argument);
}

// Tells schedulers from workloads among the arguments without an option.
void read_arguments(const Options& options, ComparisonRequest& request) {
    request.workloads = options.get<std::vector<std::string>>("workload");
    for (const std::string& argument : options.get<std::vector<std::string>>("schedulers")) {
        if (is_workload(argument)) {
            request.workloads.push_back(argument);
        } else {
            request.schedulers.push_back(read_scheduler(argument));
        }
    }
    if (request.schedulers.empty()) {
        throw UsageError(
            "no scheduler to compare, expected some before -w (which takes all arguments up to an option)");
    }
    if (request.workloads.empty()) {
        throw UsageError("no workload, expected a workload in JSON or a log after the schedulers");
    }
}

CompareOptions read_compare_options(const Options& options) {
    load_plugins(options);
    CompareOptions read;
    ComparisonRequest& request = read.request;
    read_arguments(options, request);
    request.weeks = options.given("weeks");
    request.platform = optional_text(options, "platform");
    request.master_host = options.get<std::string>("master-host");
    MetricsOptions measured;
    measure_options(options, measured);
    request.tau = measured.tau;
    request.short_deadline = measured.short_deadline;
    request.threads = threads_option(options);
    request.note = note;
    read.metric = options.given("metric") ? options.get<std::string>("metric") : default_metric;
    if (options.given("metric")) {
        request.metric.emplace(read.metric, request.tau);
        if (options.given("format")) {
            throw UsageError(
                "--metric prints a metric for each workload, expected no --format, which is for all metrics");
        }
    }
    read.format = metrics_format(options.get<std::string>("format"));
    read.output = optional_text(options, "output");
    read.report = optional_text(options, "report");
    if (read.report) {
        require_ending("report", *read.report, {".html", ".htm", ".html.gz", ".htm.gz"});
        require_writable_folder(*read.report);
        if (request.workloads.size() > 1) {
            throw UsageError("--report shows one workload, expected one, found " +
                             std::to_string(request.workloads.size()));
        }
    }
    return read;
}

}  // namespace

int compare(const Arguments& arguments) {
    Options options;
    add_compare_options(options);
    if (!options.parse(arguments, "batfill compare SCHEDULER... WORKLOAD... [OPTION]...", compare_summary,
                       {"compare fcfs easy easy,order=saf sp2.json -p sdsc-sp2",
                        "compare conservative pc dc SP2.swf.gz --weeks --report page.html"})) {
        return 0;
    }
    const CompareOptions read = read_compare_options(options);
    const Comparison comparison = batfill::compare(read.request, show_progress("replays"));
    if (read.output) {
        write_csv(comparison, read.metric, *read.output);
    }
    if (read.report) {
        ComparisonRequest whole = read.request;
        whole.weeks = false;
        whole.note = [](const std::string&) {};  // it has been said
        write_file(*read.report, campaign::comparison_page(whole, "batfill compare " + command_line(arguments)));
    }
    read.request.metric ? print_metric(comparison, read.metric) : print_all(comparison, read.format);
    return 0;
}

}  // namespace batfill::commands
