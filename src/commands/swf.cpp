#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

#include "inputs.hpp"
#include "parsers.hpp"
#include "src/support/numbers.hpp"

namespace batfill::commands {

namespace {

std::pair<long long, std::string> queue_name(std::string_view text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const auto queue = number_in<long long>(text.substr(0, equals));
    if (!queue || equals + 1 >= text.size()) {
        throw UsageError("expected NUMBER=NAME, found '" + std::string(text) + "'");
    }
    return {*queue, std::string(text.substr(equals + 1))};
}

using QueueNames = std::map<long long, std::string>;

Value queue_names(QueueNames& names) {
    return {"N=NAME[,N=NAME]...", [&names](const std::string& text) {
                std::istringstream entries(text + ',');
                for (std::string entry; std::getline(entries, entry, ',');) {
                    const auto [place, is_new] = names.insert(queue_name(entry));
                    if (!is_new) {
                        throw UsageError("expected one name for queue " + std::to_string(place->first) + ", found two");
                    }
                }
            }};
}

void add_swf_options(Options& options, ConversionOptions& read) {
    SwfConversion& conversion = read.conversion.conversion;
    options.add_positional("log", text(read.conversion.log).required());
    options.group("Output");
    options.add(
        "output,o", text(read.conversion.output, "PATH"),
        "the workload (Batsim JSON, gzipped if it ends in .gz), or with --split a folder; without -o, swf only prints the table");
    options.group("Jobs");
    options.add("exclude-queue", number(conversion.excluded_queues, "N"), "drop jobs of this queue (repeatable)");
    options.add("queue-names", queue_names(conversion.queue_names), "give queues a name instead of their number");
    options.add("partition", number(conversion.partitions, "N"), "keep jobs of this partition only (repeatable)");
    options.add("exclude-status", number(conversion.excluded_statuses, "N"),
                "drop jobs with this status: 0 failed, 1 completed, 5 cancelled (repeatable)");
    add_conversion_options(options, read);
    options.add("header", text(read.conversion.header, "FILE"),
                "write the log's header comments (acknowledgements, terms of use) to this file");
}

}  // namespace

std::optional<ConversionOptions> parse_swf_options(const Arguments& arguments, OptionsFrom origin) {
    ConversionOptions read;
    Options options;
    add_swf_options(options, read);
    if (!options.parse(
            arguments, "batfill swf LOG.swf[.gz] [-o WORKLOAD.json[.gz]] [OPTION]...",
            "Converts a log of the Parallel Workloads Archive to a Batsim workload, and prints what was dropped and why.\nJobs without a known run time are always dropped.",
            {"swf SP2.swf.gz -o sp2.json", "swf SP2.swf.gz -o weeks --split 7"}, origin)) {
        return std::nullopt;
    }
    require_other_file("header", read.conversion.header, "output", read.conversion.output);
    require_other_file("schedule", read.conversion.schedule, "header", read.conversion.header);
    return read;
}

int swf(const Arguments& arguments) {
    if (const std::optional<ConversionOptions> options = parse_swf_options(arguments, OptionsFrom::command_line)) {
        print_converted_log(convert_log(options->conversion), *options, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
