#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include <batfill/error.hpp>
#include <batfill/metrics.hpp>
#include <batfill/parameters.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "platform_option.hpp"

namespace batfill::commands {

namespace {

namespace po = boost::program_options;

constexpr const char* summary =
    "Prints the metrics of one or more runs, side by side. Each is defined in docs/metrics.md. A SCHEDULE is a\n"
    "PREFIX_jobs.csv, or a log (.swf or .swf.gz), whose own schedule it is. Utilisation, system usage and lost "
    "capacity\n"
    "need the number of processors (--processors or --platform), the metrics of deadlines and users need the "
    "workload,\n"
    "as do the options --waited-in-any-run and --per-job; licence usage needs platform and workload. With --baseline,\n"
    "waits are also shown as an improvement over another run's. With --by or --intervals, groups of jobs or "
    "confidence\n"
    "intervals are shown instead.";

constexpr std::array<std::pair<std::string_view, MetricsFormat>, 3> formats{
    {{"table", MetricsFormat::table}, {"csv", MetricsFormat::csv}, {"json", MetricsFormat::json}}};

MetricsFormat format_named(const std::string& name) {
    std::string known;
    for (const auto& [text, format] : formats) {
        if (text == name) {
            return format;
        }
        known += (known.empty() ? "" : ", ") + std::string(text);
    }
    throw UsageError("unknown format '" + name + "', known: " + known);
}

// The groupings of --by, "width,length".
std::vector<JobGrouping> groupings_named(const std::string& names) {
    std::vector<JobGrouping> result;
    std::vector<std::string> all(job_groupings.size());
    std::transform(job_groupings.begin(), job_groupings.end(), all.begin(),
                   [](const auto& grouping) { return grouping.first; });
    const std::string known = list_of(all);
    std::istringstream rest(names);
    for (std::string name; std::getline(rest, name, ',');) {
        const auto* const found = std::find_if(job_groupings.begin(), job_groupings.end(),
                                               [&](const auto& grouping) { return grouping.first == name; });
        if (found == job_groupings.end()) {
            throw UsageError("--by: unknown grouping '" + name.append("', known: ") + known);
        }
        if (std::find(result.begin(), result.end(), found->second) != result.end()) {
            throw UsageError("--by: expected each grouping once, found '" + name + "' twice");
        }
        result.push_back(found->second);
    }
    if (result.empty()) {
        throw UsageError("--by: expected one or more of " + known);
    }
    return result;
}

// Throws UsageError if an option is given that --by has no use for, or lacks the workload that it needs.
void check_groupings(const po::variables_map& values, const std::vector<JobGrouping>& groupings) {
    for (const char* option : {"waited-in-any-run", "baseline", "intervals"}) {
        if (values.count(option) != 0) {
            throw UsageError("--by shows groups of jobs in place of the metrics of runs, expected no --" +
                             std::string(option));
        }
    }
    const bool asks_workload = std::any_of(groupings.begin(), groupings.end(), [](JobGrouping grouping) {
        return grouping == JobGrouping::user || grouping == JobGrouping::queue;
    });
    if (asks_workload && values.count("workload") == 0) {
        throw UsageError("--by: the workload tells users and queues, expected --workload");
    }
}

// The options of --intervals. Throws UsageError if one is given without it, or is out of its range.
std::optional<IntervalOptions> interval_options(const po::variables_map& values) {
    IntervalOptions options;
    const bool wanted = values.count("intervals") != 0;
    const auto number = [&](const char* option, std::uint64_t otherwise, std::uint64_t min, std::uint64_t max) {
        if (values.count(option) == 0) {
            return otherwise;
        }
        const auto given = values[option].as<std::uint64_t>();
        if (!wanted) {
            throw UsageError("--" + std::string(option) + " is of confidence intervals, expected --intervals");
        }
        if (given < min || given > max) {
            throw UsageError("--" + std::string(option) + ": expected " + std::to_string(min) + " to " +
                             std::to_string(max) + ", found " + std::to_string(given));
        }
        return given;
    };
    if (wanted && values.count("waited-in-any-run") != 0) {
        throw UsageError("--intervals are of all finished jobs, expected no --waited-in-any-run");
    }
    options.resamples = number("resamples", options.resamples, 100, 1'000'000);
    options.block = number("block", options.block, 1, 1000);
    options.seed = number("seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
    return wanted ? std::optional(options) : std::nullopt;
}

}  // namespace

int metrics(const Arguments& arguments) {
    std::vector<std::string> schedule_paths;
    std::vector<std::string> workload_paths;
    std::string tau;
    std::string format;
    po::options_description options;
    auto add = options.add_options();
    add("schedules", po::value(&schedule_paths)->required());
    add("workload,w", po::value(&workload_paths)->value_name("FILE"),
        "workload of all the runs, for its deadlines, licences and users; several become w0, w1, ...");
    add("platform,p", po::value<std::string>()->value_name(platform_value), platform_help);
    add("master-host,m", po::value<std::string>()->default_value("master_host")->value_name("NAME"),
        "host of the platform that does not compute");
    add("processors", po::value<int>()->value_name("N"), "number of processors, instead of a platform");
    add("tau", po::value(&tau)->default_value("10")->value_name("SECONDS"), "bound of the bounded slowdown");
    add("short-deadline", po::value<std::string>()->default_value("86400")->value_name("SECONDS"),
        "a deadline at most this long after the submission is a short one");
    add("waited-in-any-run",
        "leave the regular jobs that waited in none of the runs out of the metrics of regular jobs");
    add("baseline", po::value<std::string>()->value_name("FILE"),
        "jobs.csv or log of the run that the waits are compared with, say that of conservative; it may be one of those "
        "shown");
    add("per-job", po::value<std::string>()->value_name("FILE"),
        "also write wait and stretch of every job in every run, csv, gzipped if it ends in .gz");
    add("by", po::value<std::string>()->value_name("GROUPS"),
        "in place of the metrics, jobs, waits and bounded slowdowns of groups of jobs: by width, length, user or "
        "queue, or several of them, such as width,length");
    add("intervals",
        "in place of the metrics, mean wait and mean bounded slowdown with confidence intervals of 95 %, by bootstrap "
        "over weeks; with --baseline, also of the difference");
    add("resamples", po::value<std::uint64_t>()->value_name("N"), "of the bootstrap (default 2000)");
    add("block", po::value<std::uint64_t>()->value_name("WEEKS"), "consecutive weeks drawn together (default 1)");
    add("seed", po::value<std::uint64_t>()->value_name("N"), "of the draws (default 1)");
    add("format,f", po::value(&format)->default_value("table")->value_name("NAME"), "table, csv or json");
    po::positional_options_description positional;
    positional.add("schedules", -1);
    po::variables_map values;
    if (!parse(arguments, "batfill metrics SCHEDULE... [OPTION]...", summary, options, positional, values)) {
        return 0;
    }
    const MetricsFormat chosen_format = format_named(format);
    MetricsOptions metrics_options;
    metrics_options.tau = seconds_option("--tau", tau, Duration::microseconds(1));
    metrics_options.short_deadline = seconds_option("--short-deadline", values["short-deadline"].as<std::string>());
    for (const char* option : {"waited-in-any-run", "per-job"}) {
        if (values.count(option) != 0 && workload_paths.empty()) {
            throw UsageError("--" + std::string(option) + " tells regular jobs by the workload, expected --workload");
        }
    }
    std::vector<JobGrouping> groupings;
    if (values.count("by") != 0) {
        groupings = groupings_named(values["by"].as<std::string>());
        check_groupings(values, groupings);
    }
    const std::optional<IntervalOptions> intervals = interval_options(values);
    machine_options(values, metrics_options);
    const std::vector<Workload> workloads = read_workloads(workload_paths);
    const std::vector<std::string> names = run_labels(schedule_paths);
    std::vector<MeasuredSchedule> schedules;
    schedules.reserve(schedule_paths.size());
    for (const std::string& path : schedule_paths) {
        require_machine_of(schedules.emplace_back(measure_any_schedule(path)), metrics_options);
    }
    std::optional<JobIds> waited;
    if (values.count("waited-in-any-run") != 0) {
        waited = jobs_that_waited(schedules);
    }
    const JobIds* const counted = waited ? &*waited : nullptr;
    std::optional<MeasuredSchedule> baseline;
    if (values.count("baseline") != 0) {
        baseline = measure_any_schedule(values["baseline"].as<std::string>());
    }
    // Whatever is wrong with the runs is found before anything is written.
    std::vector<RunMetrics> runs;
    std::vector<RunGroups> groups;
    std::vector<RunIntervals> with_intervals;
    const MeasuredSchedule* const compared = baseline ? &*baseline : nullptr;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        if (!groupings.empty()) {
            groups.push_back({names[i], measure_groups(schedules[i], metrics_options, groupings, workloads)});
        } else if (intervals) {
            with_intervals.push_back(
                {names[i], measure_intervals(schedules[i], metrics_options, *intervals, compared)});
        } else {
            runs.push_back({names[i], compute_metrics(schedules[i], metrics_options, workloads, counted, compared)});
        }
    }
    if (values.count("per-job") != 0) {
        write_compared_jobs(values["per-job"].as<std::string>(), names, schedules, workloads, counted);
    }
    if (!groupings.empty()) {
        write_groups(std::cout, groups, groupings, chosen_format);
    } else if (intervals) {
        write_intervals(std::cout, with_intervals, chosen_format);
    } else {
        write_metrics(std::cout, runs, chosen_format);
    }
    return 0;
}

}  // namespace batfill::commands
