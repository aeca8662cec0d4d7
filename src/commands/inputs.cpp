#include "src/commands/inputs.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <thread>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/replay/replay.hpp>

#include "src/support/files.hpp"
#include "src/support/text.hpp"

namespace batfill::commands {

void add_plugin_option(Options& options, std::vector<std::string>* paths) {
    const auto load = [paths](const std::string& path) {
        load_plugin(path);
        if (paths != nullptr) {
            paths->push_back(path);
        }
    };
    options.add("plugin", Value("FILE", load).repeatable(), "shared object with further algorithms; repeatable");
}

void add_machine_options(Options& options, MetricsOptions& metrics, std::string* platform, std::string* windows) {
    struct Names {
        std::string platform;
        MachineDetails machine;
    };
    const auto names = std::make_shared<Names>();
    options.add("platform,p", text(names->platform, platform_value), platform_help);
    add_machine_details(options, names->machine);
    options.add("processors", number(metrics.processors, "N", 1), "number of processors, instead of a platform");
    const auto set_machine = [&metrics](const Platform& machine) {
        std::ranges::for_each(machine.notes, note);
        metrics.set_machine(machine.machine());
    };
    options.add_rule([&options, &metrics, platform, windows, names, set_machine] {
        if (windows != nullptr) {
            *windows = names->machine.windows;
        }
        if (!options.given("platform")) {
            const bool has_details = names->machine.has_resources();
            refuse_if(has_details && !options.given("processors"),
                      "--pool, --capacity, --windows and --limits are of a machine, expected --platform, such as -p N");
            if (has_details) {
                set_machine(named_platform(std::nullopt, names->machine, *metrics.processors));
            }
            return;
        }
        refuse_if(options.given("processors"),
                  "--processors and --platform both give the number of processors, expected one of them");
        set_machine(named_platform(names->platform, names->machine));
        if (platform != nullptr) {
            *platform = names->platform;
        }
    });
}

void add_threads_option(Options& options, unsigned& threads) {
    constexpr unsigned most = 1024;
    threads = std::clamp(std::thread::hardware_concurrency(), 1U, most);
    options.add("threads", number(threads, "N", 1, most),
                "number of replays at a time; by default the number of cores");
}

void add_metrics_option(Options& options, std::vector<std::string>& chosen) {
    const auto read = [&chosen](const std::string& list) { chosen = chosen_metrics(list); };
    options.add("metrics", Value("NAME,...|paper", read),
                "show only these metrics, by their names in csv and in this order; paper: mean_wait, "
                "wait_percentile_99, mean_bounded_slowdown, utilisation and makespan");
}

void add_groupings_option(Options& options, std::vector<JobGrouping>& groupings) {
    const auto read = [&groupings](const std::string& text) {
        const Words<JobGrouping> known(job_groupings.begin(), job_groupings.end());
        std::istringstream rest(text);
        for (std::string name; std::getline(rest, name, ',');) {
            const JobGrouping grouping = meaning_of(name, known, "grouping");
            refuse_if(std::ranges::find(groupings, grouping) != groupings.end(),
                      "expected each grouping once, found '" + name + "' twice");
            groupings.push_back(grouping);
        }
        refuse_if(groupings.empty(), "expected one or more of " + list_of(names_of(known)));
    };
    options.add(
        "by", Value("GROUPS", read),
        "instead of the metrics: number of jobs, waits and bounded slowdowns per group of jobs, by width, length, user, queue, partition, or several, such as width,length");
}

void add_table_format_option(Options& options, MetricsFormat& format) {
    options.add("format,f", value(format, "NAME", metrics_format).otherwise("table"),
                "table, csv, json, markdown or latex (package booktabs)");
}

void add_output_option(Options& options, std::string& output, const std::string& help) {
    options.add("output,o", text(output, "FILE").required(), help);
}

std::string short_text_in(const std::string& path) {
    constexpr std::size_t max_size = std::size_t{1} << 20;
    return InputFile(path).read_all(max_size);
}

std::string metric_names_help() {
    return '\n' + list_of(ReplayMetric::known_names(), ",\n");
}

void note(const std::string& text) {
    if (!text.empty()) {
        std::cerr << "batfill: note: " << one_line(text) << '\n';
    }
}

}  // namespace batfill::commands
