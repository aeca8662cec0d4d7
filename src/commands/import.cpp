#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/formats/accounting.hpp>

#include "inputs.hpp"
#include "parsers.hpp"
#include "src/replay/notes.hpp"
#include "src/support/durations.hpp"
#include "src/support/names.hpp"
#include "src/support/split.hpp"

namespace batfill::commands {

namespace {

Value columns(ColumnMapping& mapping) {
    return {"FIELD=COLUMN[,...]", [&mapping](const std::string& text) { mapping = parse_mapping(text); }};
}

std::optional<char> separator_in(const std::string& text) {
    if (text == "tab") {
        return '\t';
    }
    return text.size() == 1 ? std::optional(text.front()) : std::nullopt;
}

// A length of time as users or batch systems write it: 90, 90s, 1h, 1-00:00:00.
std::optional<Duration> limit_in(std::string_view text) {
    const std::optional<Duration> length = parse_duration(text);
    return length > Duration() ? length : std::nullopt;
}

Value limits(std::map<std::string, Duration, std::less<>>& limits) {
    const auto read = [&limits](const std::string& text) {
        for (const std::string_view entry : split(text, ',')) {
            const std::size_t equals = std::min(entry.rfind('='), entry.size());
            const std::string name(entry.substr(0, equals));
            const auto limit = limit_in(entry.substr(std::min(equals + 1, entry.size())));
            if (name.empty() || !limit) {
                throw UsageError("expected NAME=LENGTH with a length such as 1h or 1-00:00:00, found '" +
                                 std::string(entry) + "'");
            }
            refuse_if(!limits.emplace(name, *limit).second, "expected one limit for " + name + ", found two");
        }
    };
    return Value("NAME=LENGTH[,...]", read).repeatable();
}

void check_data(const Options& options, const AccountingData& data) {
    const std::string& format = data.format;
    const std::vector<std::string> known = accounting_formats();
    refuse_if(format.empty(), "expected a format (" + list_of(known) + ") and a file, found none");
    refuse_if(std::find(known.begin(), known.end(), format) == known.end(), unknown_name("format", format, known));
    refuse_if(data.paths.empty(), "expected a file after " + format + ", found none");
    const bool is_table = format != "sacct" && format != "pbs" && format != "frontier" && format != "philly";
    for (const char* option : {"map", "separator", "times"}) {
        const bool takes = is_table || (std::string_view(option) == "separator" && format == "sacct");
        refuse_if(options.given(option) && !takes,
                  std::string("--") + option + " is for tables, and " + format + " has a format of its own");
    }
    if (data.counts_nodes && format != "sacct" && format != "pbs") {
        throw UsageError("--nodes is for sacct and pbs; --map processors=COLUMN chooses what jobs are made of");
    }
}

void add_import_options(Options& options, ConversionOptions& read) {
    AccountingData& data = read.conversion.accounting.emplace();
    SwfConversion& conversion = read.conversion.conversion;
    options.add_positional("kind", text(data.format));
    options.add_positional("files", text(data.paths));
    options.group("Output");
    options.add(
        "output,o", text(read.conversion.output, "PATH"),
        "the workload (Batsim JSON, gzipped if it ends in .gz), or with --split a folder; without -o, import only prints the table");
    options.group("Columns and times");
    options.add("map", columns(data.mapping),
                "columns of a table: " + list_of(table_fields()) +
                    "; any other field is kept in the workload under its name, as in gpus=NGPUS");
    options.add("separator", value(data.separator, "CHARACTER", separator_in, "one character, or tab"),
                "of columns: one character, or tab; by default a comma in tables, and | in sacct");
    options.add(
        "times",
        word(data.times, "FORMAT",
             {{"auto", TimeFormat::automatic},
              {"month-first", TimeFormat::month_first},
              {"day-first", TimeFormat::day_first},
              {"milliseconds", TimeFormat::milliseconds},
              {"microseconds", TimeFormat::microseconds},
              {"nanoseconds", TimeFormat::nanoseconds},
              {"seconds", TimeFormat::seconds},
              {"days", TimeFormat::days}})
            .otherwise("auto"),
        "instants of a table: auto (2024-03-01 12:00:00, with an offset or without, or seconds since 1970), month-first, "
        "day-first, milliseconds, microseconds, nanoseconds, seconds, days (since 1899-12-30, as spreadsheets count)");
    options.add(
        "time-zone", text(data.time_zone, "ZONE"),
        "zone of instants without an offset, also of dates in --from and --until, such as Europe/Berlin; by default UTC, or that of the data set's machine");
    options.add("nodes", data.counts_nodes, "sacct, pbs: the machine's processors are nodes, and jobs take whole ones");
    options.group("Rows and limits");
    options.add(
        "bad-rows", word(data.drops_bad_rows, "HOW", {{"error", false}, {"drop", true}}),
        "rows that cannot be read: error (default) or drop, which counts them and shows the first of each kind");
    options.add("partition-limit", limits(data.partition_limits),
                "walltime of jobs of this partition or queue that have no time limit, or an unlimited one, as in "
                "debug=1h,long=7-00:00:00 (repeatable)");
    options.group("Jobs");
    options.add("queue", text(conversion.kept_queue_names, "NAME"),
                "keep jobs of this queue or partition only (repeatable)");
    options.add("exclude-queue", text(conversion.excluded_queue_names, "NAME"), "drop jobs of this queue (repeatable)");
    options.add_rule([&options, &data, &read] {
        check_data(options, data);
        read.conversion.log = data.paths.front();
    });
    add_conversion_options(options, read);
}

}  // namespace

std::optional<ConversionOptions> parse_import_options(const Arguments& arguments, OptionsFrom origin) {
    ConversionOptions read;
    Options options;
    add_import_options(options, read);
    if (!options.parse(
            arguments, "batfill import FORMAT FILE... [-o WORKLOAD.json[.gz]] [OPTION]...",
            "Converts accounting data of a batch system to a Batsim workload, and prints what was left out, dropped and changed.\n"
            "FORMAT is sacct (Slurm: sacct --parsable2 or --json), pbs (accounting logs of PBS and TORQUE), csv (any table, with\n"
            "--map), or a published data set: pm100, f-data, frontier, philly, helios, kestrel. Several files are read one after the\n"
            "other.",
            {"import sacct jobs.txt -o jobs.json", "import pbs 2024*.log --nodes -o jobs.json"}, origin)) {
        return std::nullopt;
    }
    return read;
}

int import(const Arguments& arguments) {
    if (const std::optional<ConversionOptions> options = parse_import_options(arguments, OptionsFrom::command_line)) {
        const ConvertedLog converted = convert_and_print(*options, std::cout);
        ReplayNotes notes;
        for (std::size_t i = 0; i < converted.log.other_fields.size(); ++i) {
            notes.add_fields(converted.log.other_fields[i]);
        }
        std::ranges::for_each(notes.texts(), note);
    }
    return 0;
}

}  // namespace batfill::commands
