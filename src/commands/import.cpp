#include "import.hpp"

#include <algorithm>
#include <iostream>

#include <batfill/core/error.hpp>
#include <batfill/formats/swf.hpp>

#include "inputs.hpp"
#include "options.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

constexpr const char* import_summary =
    "Converts accounting data of a batch system to a Batsim workload, and prints what was left out, dropped and changed.\n"
    "FORMAT is sacct (Slurm: sacct --parsable2), pbs (accounting logs of PBS and TORQUE), csv (any table, with --map), or a\n"
    "published data set: pm100, f-data, frontier, philly, helios, kestrel. Several files are read one after the other.";

void add_import_options(Options& options) {
    options.add_positional("kind", Value<std::string>());
    options.add_positional("files", Value<std::vector<std::string>>());
    options.group("Output");
    options.add(
        "output,o", Value<std::string>("PATH"),
        "the workload (Batsim JSON, gzipped if it ends in .gz), or with --split a folder; without -o, import only prints the table");
    options.group("Columns and times");
    options.add("map", Value<std::string>("FIELD=COLUMN[,...]"),
                "columns of a table: " + list_of(table_fields()) +
                    "; any other field is kept in the workload under its name, as in gpus=NGPUS");
    options.add("separator", Value<std::string>("CHARACTER").otherwise(","), "of columns of a table; tab is one, too");
    options.add(
        "times", Value<std::string>("FORMAT").otherwise("auto"),
        "instants of a table: auto (2024-03-01 12:00:00, with an offset or without, or seconds since 1970), month-first, "
        "day-first, milliseconds, microseconds, nanoseconds");
    options.add(
        "time-zone", Value<std::string>("ZONE"),
        "zone of instants without an offset, such as Europe/Berlin; by default UTC, or that of the data set's machine");
    options.add("nodes", "sacct, pbs: the machine's processors are nodes, and jobs take whole ones");
    options.group("Jobs");
    options.add("queue", Value<std::vector<std::string>>("NAME"),
                "keep jobs of this queue or partition only (repeatable)");
    options.add("exclude-queue", Value<std::vector<std::string>>("NAME"), "drop jobs of this queue (repeatable)");
    add_conversion_options(options);
}

char separator_of(const Options& options) {
    const auto text = options.get<std::string>("separator");
    if (text == "tab") {
        return '\t';
    }
    if (text.size() != 1) {
        throw UsageError("--separator: expected one character, or tab, found '" + text + "'");
    }
    return text.front();
}

bool is_table(const std::string& format) {
    return format != "sacct" && format != "pbs" && format != "frontier" && format != "philly";
}

AccountingData data_of(const Options& options) {
    AccountingData data;
    data.format = options.get<std::string>("kind");
    const std::vector<std::string> known = accounting_formats();
    if (data.format.empty()) {
        throw UsageError("expected a format (" + list_of(known) + ") and a file, found none");
    }
    if (std::find(known.begin(), known.end(), data.format) == known.end()) {
        throw UsageError(unknown_name("format", data.format, known));
    }
    data.paths = options.get<std::vector<std::string>>("files");
    if (data.paths.empty()) {
        throw UsageError("expected a file after " + data.format + ", found none");
    }
    for (const char* option : {"map", "separator", "times"}) {
        if (options.given(option) && !is_table(data.format)) {
            throw UsageError(std::string("--") + option + " is for tables, and " + data.format +
                             " has a format of its own");
        }
    }
    data.counts_nodes = options.given("nodes");
    if (data.counts_nodes && data.format != "sacct" && data.format != "pbs") {
        throw UsageError("--nodes is for sacct and pbs; --map processors=COLUMN chooses what jobs are made of");
    }
    data.mapping = parse_mapping(options.get<std::string>("map"));
    data.separator = separator_of(options);
    const std::vector<std::string> words = time_format_words();
    const std::string times = word_option(options, "times", words);
    data.times = static_cast<TimeFormat>(std::find(words.begin(), words.end(), times) - words.begin());
    data.time_zone = options.get<std::string>("time-zone");
    return data;
}

}  // namespace

std::optional<ConversionOptions> parse_import_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    add_import_options(options);
    if (!options.parse(arguments, "batfill import FORMAT FILE... [-o WORKLOAD.json[.gz]] [OPTION]...", import_summary,
                       {"import sacct jobs.txt -o jobs.json", "import pbs 2024*.log --nodes -o jobs.json"}, origin)) {
        return std::nullopt;
    }
    const AccountingData data = data_of(options);
    ConversionOptions read = conversion_options(options, data.paths.front());
    read.conversion.accounting = data;
    read.conversion.conversion.kept_queue_names = options.get<std::vector<std::string>>("queue");
    read.conversion.conversion.excluded_queue_names = options.get<std::vector<std::string>>("exclude-queue");
    return read;
}

int import(const Arguments& arguments) {
    if (const std::optional<ConversionOptions> options = parse_import_options(arguments)) {
        print_converted_log(convert_log(options->conversion), *options, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
