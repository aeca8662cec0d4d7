#include "src/report/report.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "platform_option.hpp"
#include "src/support/files.hpp"
#include "src/support/sha256.hpp"

namespace batfill::commands {

namespace {

constexpr const char* report_summary =
    "Draws one or more runs side by side: one HTML page that needs no other file and no network, with a Gantt chart "
    "of\n"
    "the machine, its use and the queue over time, the distribution of waits, and the metrics with differences to a\n"
    "baseline. PREFIX is that of the files which simulate or Batsim wrote: PREFIX_jobs.csv, and PREFIX_schedule.csv,\n"
    "PREFIX_statistics.csv, PREFIX_guarantees.csv and PREFIX_broken_guarantees.csv if they are there. With the\n"
    "workload also by user and by queue, and deadlines. docs/report.md says what everything shows.";

constexpr std::size_t max_summary_size = 1 << 20;

// The file of the same run whose name has `kind` instead of "jobs"; none if it is not there.
std::optional<std::string> file_beside(std::string jobs_path, const std::string& kind) {
    const std::size_t at = jobs_path.rfind("jobs.csv");
    if (at == std::string::npos) {
        return std::nullopt;
    }
    jobs_path.replace(at, 4, kind);
    return std::filesystem::is_regular_file(jobs_path) ? std::optional(jobs_path) : std::nullopt;
}

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> result;
    std::size_t from = 0;
    for (std::size_t comma = line.find(','); comma != std::string::npos; comma = line.find(',', from)) {
        result.push_back(line.substr(from, comma - from));
        from = comma + 1;
    }
    result.push_back(line.substr(from));
    return result;
}

// The columns of a schedule.csv, which has one line below their names.
std::vector<std::pair<std::string, std::string>> read_summary(const std::string& path) {
    const std::string text = InputFile(path).read_all(max_summary_size);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) {
        throw InputError(path + ":1: expected a line of values below the names of the columns");
    }
    const std::vector<std::string> names = fields(text.substr(0, end));
    const std::vector<std::string> values = fields(text.substr(end + 1, text.find('\n', end + 1) - end - 1));
    if (names.size() != values.size()) {
        throw InputError(path + ":2: expected " + std::to_string(names.size()) +
                         " values as there are columns, found " + std::to_string(values.size()));
    }
    std::vector<std::pair<std::string, std::string>> columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
        columns.emplace_back(names[i], values[i]);
    }
    return columns;
}

// The lines of a statistics.csv below the names of its two columns.
std::vector<std::pair<std::string, std::string>> read_statistics(const std::string& path) {
    std::vector<std::pair<std::string, std::string>> statistics;
    std::istringstream text(InputFile(path).read_all(max_summary_size));
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        const std::vector<std::string> values = fields(line);
        if (values.size() != 2) {
            throw InputError(path + ":" + std::to_string(number) + ": expected a statistic and its value, found " +
                             std::to_string(values.size()) + " values");
        }
        if (number > 1) {
            statistics.emplace_back(values[0], values[1]);
        }
    }
    return statistics;
}

report::SourceFile source_file(const std::string& path) {
    std::error_code is_no_file;
    const std::uintmax_t size = std::filesystem::file_size(path, is_no_file);
    return {path, is_no_file ? 0 : size, sha256_of_file(path)};
}

report::Run read_run(const std::string& prefix, std::vector<report::SourceFile>& files) {
    const std::string path = jobs_file(prefix);
    report::Run run{"", read_any_schedule(path)};
    files.push_back(source_file(path));
    if (const auto beside = file_beside(path, "schedule")) {
        run.summary = read_summary(*beside);
        files.push_back(source_file(*beside));
    }
    if (const auto beside = file_beside(path, "statistics")) {
        run.statistics = read_statistics(*beside);
        files.push_back(source_file(*beside));
    }
    if (const auto beside = file_beside(path, "guarantees")) {
        run.guarantees = read_guarantees(*beside);
        files.push_back(source_file(*beside));
    }
    if (const auto beside = file_beside(path, "broken_guarantees")) {
        run.broken_guarantees = read_broken_guarantees(*beside);
        files.push_back(source_file(*beside));
    }
    return run;
}

// Where the baseline is among `prefixes`, to which it is added in front if it is not there.
std::size_t place_of_baseline(const Options& options, std::vector<std::string>& prefixes) {
    if (!options.given("baseline")) {
        return 0;
    }
    const auto baseline = options.get<std::string>("baseline");
    const auto found = std::find(prefixes.begin(), prefixes.end(), baseline);
    if (found == prefixes.end()) {
        prefixes.insert(prefixes.begin(), baseline);
        return 0;
    }
    return static_cast<std::size_t>(found - prefixes.begin());
}

std::string default_title(const std::vector<report::Run>& runs) {
    std::string title;
    for (const report::Run& run : runs) {
        title += (title.empty() ? "" : ", ") + run.label;
    }
    return title;
}

}  // namespace

int report(const Arguments& arguments) {
    Options options;
    options.add_positional("prefixes", Value<std::vector<std::string>>().required());
    options.add("output,o", Value<std::string>("FILE.html").required(), "the page");
    options.add("workload,w", Value<std::vector<std::string>>("FILE"),
                "workload of all the runs, for users, queues, deadlines and licences; several become w0, w1, ...");
    add_machine_options(options);
    options.add("baseline", Value<std::string>("PREFIX"),
                "run that the others are compared with, instead of the first one");
    add_tau_option(options);
    options.add("short-deadline", Value<std::string>("SECONDS").otherwise("86400"),
                "a deadline at most this long after the submission is a short one");
    options.add("title", Value<std::string>("TEXT"), "of the page, instead of the names of the runs");
    if (!options.parse(arguments, "batfill report PREFIX... -o FILE.html [OPTION]...", report_summary)) {
        return 0;
    }
    auto prefixes = options.get<std::vector<std::string>>("prefixes");
    const auto workload_paths = options.get<std::vector<std::string>>("workload");
    const auto output = options.get<std::string>("output");
    require_ending("output", output, {".html", ".htm", ".html.gz", ".htm.gz"});
    report::Report page;
    page.command = "batfill report " + command_line(arguments);
    page.options.tau = tau_option(options);
    page.options.short_deadline = seconds_option("--short-deadline", options.get<std::string>("short-deadline"));
    page.baseline = place_of_baseline(options, prefixes);
    require_writable_folder(output);
    machine_options(options, page.options);
    for (const std::string& prefix : prefixes) {
        page.runs.push_back(read_run(prefix, page.files));
        require_machine_of(page.runs.back().schedule, page.options);
    }
    const std::vector<std::string> names = run_labels(prefixes);
    for (std::size_t i = 0; i < names.size(); ++i) {
        page.runs[i].label = names[i];
    }
    page.workloads = read_workloads(workload_paths);
    for (const std::string& path : workload_paths) {
        page.files.push_back(source_file(path));
    }
    if (options.given("platform") && !number_of_hosts(options.get<std::string>("platform"))) {
        page.files.push_back(source_file(platform_file(options.get<std::string>("platform"))));
    }
    page.title = options.given("title") ? options.get<std::string>("title") : default_title(page.runs);
    OutputFile file(output);
    file.write(report::report_page(page));
    file.commit();
    std::cout << output << ": " << page.runs.size() << (page.runs.size() == 1 ? " run\n" : " runs\n");
    return 0;
}

}  // namespace batfill::commands
