#include "swf.hpp"

#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

#include "inputs.hpp"
#include "options.hpp"
#include "src/support/numbers.hpp"

namespace batfill::commands {

namespace {

std::pair<long long, std::string> queue_name(std::string_view text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto queue = number_in<long long>(text.substr(0, equals));
    if (!queue || equals + 1 >= text.size()) {
        throw UsageError("--queue-names: expected NUMBER=NAME, found '" + std::string(text) + "'");
    }
    return {*queue, std::string(text.substr(equals + 1))};
}

std::map<long long, std::string> queue_names(const Options& options) {
    std::map<long long, std::string> names;
    if (!options.given("queue-names")) {
        return names;
    }
    std::istringstream entries(options.get<std::string>("queue-names") + ',');
    for (std::string entry; std::getline(entries, entry, ',');) {
        const auto [place, is_new] = names.insert(queue_name(entry));
        if (!is_new) {
            throw UsageError("--queue-names: expected one name for queue " + std::to_string(place->first) +
                             ", found two");
        }
    }
    return names;
}

void add_swf_options(Options& options) {
    options.add_positional("log", Value<std::string>().required());
    options.group("Output");
    options.add(
        "output,o", Value<std::string>("PATH"),
        "the workload (Batsim JSON, gzipped if it ends in .gz), or with --split a folder; without -o, swf only prints the table");
    options.group("Jobs");
    options.add("exclude-queue", Value<std::vector<long long>>("N"), "drop jobs of this queue (repeatable)");
    options.add("queue-names", Value<std::string>("N=NAME[,N=NAME]..."), "give queues a name instead of their number");
    options.add("partition", Value<std::vector<long long>>("N"), "keep jobs of this partition only (repeatable)");
    options.add("exclude-status", Value<std::vector<long long>>("N"),
                "drop jobs with this status: 0 failed, 1 completed, 5 cancelled (repeatable)");
    add_conversion_options(options);
    options.add("header", Value<std::string>("FILE"),
                "write the log's header comments (acknowledgements, terms of use) to this file");
}

}  // namespace

std::optional<ConversionOptions> parse_swf_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    add_swf_options(options);
    if (!options.parse(
            arguments, "batfill swf LOG.swf[.gz] [-o WORKLOAD.json[.gz]] [OPTION]...",
            "Converts a log of the Parallel Workloads Archive to a Batsim workload, and prints what was dropped and why.\nJobs without a known run time are always dropped.",
            {"swf SP2.swf.gz -o sp2.json", "swf SP2.swf.gz -o weeks --split 7"}, origin)) {
        return std::nullopt;
    }
    ConversionOptions read = conversion_options(options, options.get<std::string>("log"));
    require_other_file(options, "header", "output");
    require_other_file(options, "schedule", "header");
    SwfConversion& conversion = read.conversion.conversion;
    conversion.excluded_queues = options.get<std::vector<long long>>("exclude-queue");
    conversion.excluded_statuses = options.get<std::vector<long long>>("exclude-status");
    conversion.partitions = options.get<std::vector<long long>>("partition");
    conversion.queue_names = queue_names(options);
    read.conversion.header = optional_text(options, "header");
    return read;
}

int swf(const Arguments& arguments) {
    if (const std::optional<ConversionOptions> options = parse_swf_options(arguments)) {
        print_converted_log(convert_log(options->conversion), *options, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
