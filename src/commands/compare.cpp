#include <algorithm>
#include <iostream>
#include <iterator>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/replay/replay.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/engine/named_scheduler.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/names.hpp"
#include "src/support/parallel.hpp"
#include "src/support/text_table.hpp"

namespace batfill::commands {

namespace {

// "weeks/sp2-week-01.json.gz" is called "sp2-week-01", or by its whole path if two would be called the same.
std::vector<std::string> names_of(const std::vector<std::string>& paths) {
    std::vector<std::string> names;
    std::transform(paths.begin(), paths.end(), std::back_inserter(names), workload_name);
    return std::set<std::string>(names.begin(), names.end()).size() < names.size() ? paths : names;
}

std::vector<Replay> read_replays(const Options& options, const std::vector<std::string>& paths) {
    const Platform platform = platform_option(options);
    std::vector<Replay> replays;
    replays.reserve(paths.size());
    for (const std::string& path : paths) {
        replays.emplace_back(platform, read_workload(path, "w0"));
    }
    return replays;
}

// The values of one workload under each scheduler; missing where the workload has no jobs that count.
using Row = std::vector<std::optional<double>>;

std::vector<Row> measure(const std::vector<Replay>& replays, const std::vector<NamedScheduler>& schedulers,
                         const ReplayMetric& metric, unsigned threads) {
    std::vector<Row> rows(replays.size(), Row(schedulers.size()));
    const std::size_t total = replays.size() * schedulers.size();
    Progress progress(total);
    for_each_in_parallel(
        total, threads,
        [&](std::size_t number) {
            const Replay& replay = replays[number / schedulers.size()];
            const NamedScheduler& scheduler = schedulers[number % schedulers.size()];
            try {
                rows[number / schedulers.size()][number % schedulers.size()] = replay.measure(scheduler.choice, metric);
            } catch (const std::bad_alloc&) {
                throw;  // is no fault of what was replayed
            } catch (const std::exception& problem) {
                throw InputError(replay.scenario().workloads.front().path + " under " + scheduler.name + ": " +
                                 problem.what());
            }
        },
        [&](std::size_t done) {
            progress.show(done, std::to_string(done) + " of " + std::to_string(total) + " replays");
        });
    return rows;
}

std::string for_people(std::optional<double> value) {
    return value ? rounded(*value, 3) : "-";
}

void print_table(const std::vector<std::string>& names, const std::vector<NamedScheduler>& schedulers,
                 const std::vector<Row>& rows, const ReplayMetric& metric) {
    std::vector<std::vector<std::string>> lines{{metric.name()}};
    std::vector<std::string> means{"mean"};
    for (std::size_t column = 0; column < schedulers.size(); ++column) {
        lines.front().push_back(schedulers[column].name);
        std::vector<double> values;
        for (const Row& row : rows) {
            if (row[column]) {
                values.push_back(*row[column]);
            }
        }
        means.push_back(for_people(analysis::mean(values)));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<std::string>& line = lines.emplace_back(1, names[i]);
        std::transform(rows[i].begin(), rows[i].end(), std::back_inserter(line), for_people);
    }
    lines.push_back(std::move(means));
    write_aligned(std::cout, lines);
}

void write_csv(const std::string& path, const std::vector<std::string>& names,
               const std::vector<NamedScheduler>& schedulers, const std::vector<Row>& rows) {
    OutputFile file(path);
    std::string line = "workload";
    for (const NamedScheduler& scheduler : schedulers) {
        line += ',' + csv_text(scheduler.name);
    }
    file.write(line + '\n');
    for (std::size_t i = 0; i < rows.size(); ++i) {
        line = csv_text(names[i]);
        for (const std::optional<double>& value : rows[i]) {
            line += ',' + (value ? exact(*value) : "");
        }
        file.write(line + '\n');
    }
    file.commit();
}

}  // namespace

int compare(const Arguments& arguments) {
    Options options;
    options.add_positional("schedulers", Value<std::vector<std::string>>());
    add_replayed_options(options);
    options.add("metric", Value<std::string>("NAME").otherwise("mean_bounded_slowdown"),
                "what is compared: " + list_of(ReplayMetric::known_names()));
    add_tau_option(options);
    add_threads_option(options);
    add_master_host_option(options);
    options.add("output,o", Value<std::string>("FILE"),
                "also write the values as csv with full precision, gzipped if it ends in .gz");
    add_plugin_option(options);
    if (!options.parse(
            arguments, "batfill compare SCHEDULER... -p PLATFORM.xml -w WORKLOAD.json... [OPTION]...",
            "Replays each workload on an empty machine under each scheduler, in memory, and prints a metric of each "
            "replay.\nA SCHEDULER is NAME[,KEY=VALUE]..., say easy,order=saf,backfill-order=spf, or the path of a "
            "JSON file\n{\"algorithm\": NAME, \"params\": {KEY: VALUE}}.")) {
        return 0;
    }
    const auto scheduler_arguments = options.get<std::vector<std::string>>("schedulers");
    if (scheduler_arguments.empty()) {
        throw UsageError(
            "no scheduler to compare, expected some before -w (which takes all arguments up to an option)");
    }
    load_plugins(options);
    const ReplayMetric metric(options.get<std::string>("metric"), tau_option(options));
    const unsigned threads = threads_option(options);
    std::vector<NamedScheduler> schedulers;
    std::transform(scheduler_arguments.begin(), scheduler_arguments.end(), std::back_inserter(schedulers),
                   read_scheduler);
    const auto workload_paths = options.get<std::vector<std::string>>("workload");
    const std::vector<std::string> names = names_of(workload_paths);
    const std::vector<Row> rows = measure(read_replays(options, workload_paths), schedulers, metric, threads);
    if (options.given("output")) {
        write_csv(options.get<std::string>("output"), names, schedulers, rows);
    }
    print_table(names, schedulers, rows, metric);
    return 0;
}

}  // namespace batfill::commands
