#include <algorithm>
#include <iostream>
#include <iterator>
#include <optional>

#include <batfill/core/error.hpp>

#include "command.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/analysis/job_measures.hpp"
#include "src/replay/comparison.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/names.hpp"
#include "src/support/progress.hpp"
#include "src/support/text_table.hpp"

namespace batfill::commands {

namespace {

std::string for_people(std::optional<double> value) {
    return value ? rounded(*value, 3) : "-";
}

void print_table(const Comparison& comparison, const std::string& metric) {
    std::vector<std::vector<std::string>> lines{{metric}};
    std::vector<std::string> means{"mean"};
    for (std::size_t column = 0; column < comparison.schedulers.size(); ++column) {
        lines.front().push_back(comparison.schedulers[column]);
        std::vector<double> values;
        for (const Comparison::Row& row : comparison.rows) {
            if (row.values[column]) {
                values.push_back(*row.values[column]);
            }
        }
        means.push_back(for_people(analysis::mean(values)));
    }
    for (const auto& [workload, values] : comparison.rows) {
        std::vector<std::string>& line = lines.emplace_back(1, workload);
        std::transform(values.begin(), values.end(), std::back_inserter(line), for_people);
    }
    lines.push_back(std::move(means));
    write_aligned(std::cout, lines);
}

void add_compare_options(Options& options) {
    options.add_positional("schedulers", Value<std::vector<std::string>>());
    options.group("Input");
    add_replayed_options(options);
    options.group("Measure");
    options.add("metric", Value<std::string>("NAME").otherwise("mean_bounded_slowdown"),
                "metric to compare: " + list_of(ReplayMetric::known_names()));
    add_tau_option(options);
    options.group("Replays");
    add_threads_option(options);
    add_master_host_option(options);
    options.group("Output");
    options.add("output,o", Value<std::string>("FILE"),
                "also write the values as csv with full precision, gzipped if it ends in .gz");
    options.group("Schedulers");
    add_plugin_option(options);
}

ComparisonRequest read_compare_options(const Options& options) {
    const auto schedulers = options.get<std::vector<std::string>>("schedulers");
    if (schedulers.empty()) {
        throw UsageError(
            "no scheduler to compare, expected some before -w (which takes all arguments up to an option)");
    }
    load_plugins(options);
    ComparisonRequest read{{},
                           options.get<std::vector<std::string>>("workload"),
                           options.get<std::string>("platform"),
                           options.get<std::string>("master-host"),
                           ReplayMetric(options.get<std::string>("metric"), tau_option(options)),
                           threads_option(options)};
    std::transform(schedulers.begin(), schedulers.end(), std::back_inserter(read.schedulers), read_scheduler);
    return read;
}

}  // namespace

int compare(const Arguments& arguments) {
    Options options;
    add_compare_options(options);
    if (!options.parse(
            arguments, "batfill compare SCHEDULER... -p PLATFORM.xml -w WORKLOAD.json... [OPTION]...",
            "Replays each workload on an empty machine under each scheduler, in memory, and prints a metric of each replay.\n"
            "A SCHEDULER is NAME[,KEY=VALUE]..., say easy,order=saf,backfill-order=spf, or the path of a JSON file\n"
            "{\"algorithm\": NAME, \"params\": {KEY: VALUE}}.",
            {"compare fcfs easy easy,order=saf -p sdsc-sp2 -w sp2.json",
             "compare conservative pc dc -p 128 -w week-*.json --metric mean_wait -o waits.csv"})) {
        return 0;
    }
    const ComparisonRequest request = read_compare_options(options);
    const Comparison comparison = batfill::compare(request, show_progress("replays"));
    if (options.given("output")) {
        write_csv(comparison, options.get<std::string>("output"));
    }
    print_table(comparison, request.metric.name());
    return 0;
}

}  // namespace batfill::commands
