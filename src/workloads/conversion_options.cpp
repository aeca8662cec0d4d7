#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string_view>

#include "src/options/file_rules.hpp"
#include "src/support/calendar.hpp"
#include "src/support/mapped.hpp"
#include "src/workloads/workload_options.hpp"
#include "src/workloads/workload_values.hpp"

namespace batfill {

using namespace options;  // NOLINT(google-build-using-namespace): this file declares options

namespace {

using MissingWalltime = SwfConversion::MissingWalltime;
using Estimates = SwfConversion::Estimates;
using ShortEstimates = SwfConversion::ShortEstimates;

constexpr std::size_t max_periods = std::numeric_limits<int>::max();

// A word, or a length of time.
Value missing_walltime(SwfConversion& conversion) {
    const Words<MissingWalltime> words{
        {"exact", MissingWalltime::exact}, {"omit", MissingWalltime::omit}, {"drop", MissingWalltime::drop}};
    const auto read = [&conversion, words](const std::string& text) {
        const auto word = std::ranges::find(words, text, &Words<MissingWalltime>::value_type::first);
        if (word != words.end()) {
            conversion.missing_walltime = word->second;
            return;
        }
        const std::optional<Duration> given = parse_duration(text);
        refuse_if(!given || *given <= Duration(),
                  "expected " + list_of(names_of(words)) + " or a number of seconds above 0, found '" + text + "'");
        conversion.missing_walltime = MissingWalltime::given;
        conversion.given_walltime = *given;
    };
    return {"HOW", read, {Type::Scalar::length, names_of(words)}};
}

// What --format says of the workload and of what is printed.
Value formats(ConversionOptions& read) {
    struct Given {
        std::string printed;
        std::string written;
    };
    const std::vector<std::string> words{"table", "json", "batsim4", "batsim5"};
    const auto take = [&read, words, given = std::make_shared<Given>()](const std::string& word) {
        refuse_if(std::ranges::find(words, word) == words.end(), unknown_name("value", word, words));
        const bool is_printed = word == "table" || word == "json";
        std::string& before = is_printed ? given->printed : given->written;
        refuse_if(!before.empty(), std::string("expected one of ") +
                                       (is_printed ? "table and json" : "batsim4 and batsim5") + ", found " + before +
                                       " and " + word);
        before = word;
        if (is_printed) {
            read.prints_json = word == "json";
        } else {
            read.conversion.format = word == "batsim5" ? WorkloadFormat::batsim5 : WorkloadFormat::batsim4;
        }
    };
    return Value("FORMAT", take, {Type::Scalar::none, words}).repeatable();
}

// An instant of the log's clock, or a date.
Value instant(std::optional<Duration>& since_zero, std::optional<std::string>& date) {
    const auto read = [&](const std::string& text) {
        since_zero = parse_duration(text);
        TimeZone utc("");
        if (!since_zero && read_date(text, DateOrder::year_month_day, utc)) {
            date = text;
            return;
        }
        refuse_if(!since_zero,
                  "expected a number of seconds, a length with units (90s, 15m, 1h, 30d), or a date (2024-03-01, "
                  "2024-03-01 12:00:00), found '" +
                      text + "'");
    };
    return {"TIME", read, {Type::Scalar::length}};
}

// The length of a period: a number of days, or a length with a unit.
std::optional<Duration> days_in(const std::string& text) {
    // A plain number reads as seconds.
    const std::optional<Duration> days = Duration::parse(text);
    const std::optional<Duration> length = days && *days <= Duration::seconds(1'000'000) ? *days * 86'400
                                           : days                                        ? std::nullopt
                                                                                         : parse_duration(text);
    return length > Duration() && length <= Duration::days(1'000'000) ? length : std::nullopt;
}

void check_walltimes(const Options& options, SwfConversion& conversion) {
    const auto name = [&](const char* option) { return options.written(option); };
    if (options.given("drop-longer-than-estimate")) {
        refuse_if(options.given("short-estimates") && conversion.short_estimates != ShortEstimates::drop,
                  name("drop-longer-than-estimate") + " means " + name("short-estimates") +
                      " drop, expected no other " + name("short-estimates"));
        conversion.short_estimates = ShortEstimates::drop;
    }
    const bool omits = conversion.missing_walltime == MissingWalltime::omit;
    refuse_if(
        conversion.estimates != Estimates::log && (omits || conversion.missing_walltime == MissingWalltime::given),
        name("missing-walltime") + ": expected exact or drop with " + name("estimates") +
            " exact, factor or modal, which gives every job a walltime, found '" +
            (omits ? "omit" : conversion.given_walltime.to_shortest_string()) + "'");
}

// The split is there already, and stays only if the user wants it.
void check_outputs(const Options& options, LogConversion& request) {
    const auto name = [&](const char* option) { return options.written(option); };
    SwfConversion& conversion = request.conversion;
    if (options.given("split")) {
        refuse_if(conversion.shift,
                  name("split") + " counts times from the beginning of each period, expected no " + name("shift"));
        refuse_if(options.given("schedule"), name("schedule") + " is of a whole log, expected no " + name("split") +
                                                 " (" + name("from") + " and " + name("until") + " choose a part)");
        conversion.split->begin = conversion.from.value_or(Duration());
    } else {
        for (const char* option : {"skip", "periods", "count-from", "crossing"}) {
            refuse_if(options.given(option), name(option) + " is about periods, expected " + name("split"));
        }
        conversion.split.reset();
    }
    refuse_if(request.schedule && conversion.load,
              name("schedule") + " is what the log says, expected no " + name("load") + ", which moves submissions");
    std::vector<std::string> inputs =
        request.accounting ? request.accounting->paths : std::vector<std::string>{request.log};
    if (request.machine) {
        inputs.push_back(*request.machine);
    }
    if (!conversion.split) {
        require_no_input("output", request.output, inputs);
    }
    require_no_input("schedule", request.schedule, inputs);
    require_no_input("header", request.header, inputs);
    require_no_input("platform", request.platform, inputs);
    require_no_input("limits", request.limits, inputs);
    require_other_file("platform", request.platform, "output", request.output);
    require_other_file("platform", request.platform, "schedule", request.schedule);
    require_other_file("platform", request.platform, "header", request.header);
    require_other_file("schedule", request.schedule, "output", request.output);
    require_other_file("header", request.header, "output", request.output);
    require_other_file("schedule", request.schedule, "header", request.header);
}

// Which jobs to keep, and what their sizes are.
void add_options_of_jobs(Options& options, LogConversion& request) {
    SwfConversion& conversion = request.conversion;
    const bool has_header = !request.accounting;
    options
        .add("from", instant(conversion.from, request.from_date),
             "drop jobs submitted before this instant: seconds of the log's clock, or a date in --time-zone")
        .called("since");
    options.add("until", instant(conversion.until, request.until_date), "drop jobs submitted at or after it");
    options.group("Walltimes");
    options.add(
        "short-estimates",
        word(conversion.short_estimates, "HOW",
             {{"cut", ShortEstimates::cut},
              {"raise", ShortEstimates::raise},
              {"drop", ShortEstimates::drop},
              {"believe", ShortEstimates::believe}})
            .otherwise_as_declared(),
        "jobs that ran longer than they requested: cut (the walltime is the requested time, and the job stops there), raise (the walltime is the run time), drop, or believe (walltimes stop no job: field walltimes of the workload)");
    options.add("drop-longer-than-estimate", "the same as --short-estimates drop");
    options.add(
        "estimates",
        estimates_value(conversion.estimates, [&conversion](Decimal factor) { conversion.estimate_factor = factor; },
                        {{"log", Estimates::log},
                         {"exact", Estimates::exact},
                         {"modal", Estimates::modal},
                         {"factor:K", Estimates::factor}})
            .otherwise("log"),
        "walltimes of all jobs: log (what they requested), exact (the run time), factor:K or K (K times the run time) or modal (the run time, rounded up to the values users choose)");
    options.add(
        "missing-walltime", missing_walltime(conversion).otherwise("exact"),
        "walltime of a job without requested time: exact (its run time), omit (none) or a number of seconds; or drop such jobs");
    options.add("keep-zero-run-times", conversion.keep_zero_run_times,
                "keep jobs that ran for 0 s and were not cancelled; they run for a microsecond");
    options.group("Sizes");
    options.add("size",
                word(conversion.size, "WHICH",
                     {{"requested", SwfConversion::Size::requested}, {"allocated", SwfConversion::Size::allocated}})
                    .otherwise_as_declared(),
                "processors of a job: requested (allocated where unknown) or allocated");
    options.add("keep-unallocated", conversion.keep_unallocated,
                "keep jobs whose allocated processors are unknown, if they requested some");
    options.add("unit", number(conversion.unit, "N", 1),
                "smallest allocation in processors; sizes are rounded up to units, and counted in them");
    options.add("processors", number(conversion.processors, "N", 1),
                std::string("size of the machine, nb_res, in units; by default ") +
                    (has_header ? "the size in the log's header, else " : "") + "the widest job");
    options.add("max-processors", number(conversion.max_processors, "N", 1), "drop jobs wider than this, in units");
}

void add_options_of_outputs(Options& options, ConversionOptions& read) {
    LogConversion& conversion = read.conversion;
    SwfSplit& split = conversion.conversion.split.emplace();
    options.group("Periods");
    options
        .add(
            "split",
            value(split.period, "DAYS", days_in,
                  "a number of days above 0, up to 1000000, or a length with units (7d, 12h)", {Type::Scalar::length}),
            "split the log by submission time into periods of this length: days (7 for weeks, 30 for months), or a length such as 12h; the output is a new folder with a workload per period")
        .called("days");
    options.add(
        "count-from",
        word(conversion.count_from_first_job, "WHERE", {{"zero", false}, {"first-job", true}}).otherwise_as_declared(),
        "period 1: zero (it begins at the log's time 0, or at --from) or first-job (it has the log's first job)");
    options.add("skip", number(split.skipped, "N", 0, max_periods).otherwise_as_declared(),
                "periods to skip at the beginning");
    options.add("periods", number(split.periods, "N", 1, max_periods), "periods to keep after these (default: all)");
    options.add("crossing", word(split.keep_crossing, "HOW", {{"drop", false}, {"keep", true}}).otherwise_as_declared(),
                "jobs that started in one period and ended in another: drop or keep");
    options.group("Times");
    options.add("load", offered_load_value(conversion.conversion.load),
                "scale the gaps between submissions to this offered load, " + load_range +
                    "; with --split, inside each period");
    options.add("shift", conversion.conversion.shift,
                "shift submission times so that the first kept job is submitted at 0");
    options.group("Further output");
    options
        .add("schedule", text(conversion.schedule, "FILE"),
             "write the log's own schedule of these jobs as a jobs.csv, to compare with others")
        .not_in_calls();
    options
        .add(
            "platform", text(conversion.platform, "FILE.xml"),
            "write the machine that the log must have had at least, by what its jobs took, or that of --machine, for -p; needs --fields")
        .not_in_calls();
    options
        .add(
            "format", formats(read),
            "format of the printed table: table (default) or json; of the workload: batsim4 (default) or batsim5; repeatable")
        .not_in_calls();
}

std::optional<char> separator_in(const std::string& text) {
    if (text == "tab") {
        return '\t';
    }
    return text.size() == 1 && static_cast<unsigned char>(text.front()) < 0x80 ? std::optional(text.front())
                                                                               : std::nullopt;
}

// NAME=LENGTH[,...]
Value limits(std::map<std::string, Duration, std::less<>>& limits) {
    const std::string expected = "NAME=LENGTH with a length such as 1h or 1-00:00:00";
    const auto add = [&limits, expected](const std::string& name, const std::string& text) {
        const std::optional<Duration> limit = parse_duration(text);
        refuse_if(!limit || *limit <= Duration(), "expected " + expected + ", found '" + name + "=" + text + "'");
        refuse_if(!limits.emplace(name, *limit).second, "expected one limit for " + name + ", found two");
    };
    return entries("NAME=LENGTH[,...]", expected, add, {Type::Scalar::length, {}, Type::Scalar::text}, Divider::last);
}

// FIELD=COLUMN[,...]
Value columns(ColumnMapping& mapping) {
    const auto add = [&mapping](const std::string& field, const std::string& column) {
        add_column(mapping, field, column);
    };
    return entries("FIELD=COLUMN[,...]", "FIELD=COLUMN", add, {Type::Scalar::text, {}, Type::Scalar::text});
}

// per-host,partition
Value fields_value(std::vector<std::pair<std::string, bool*>> fields, bool& all) {
    fields.emplace_back("all", &all);
    const std::vector<std::string> words = mapped(fields, &std::pair<std::string, bool*>::first);
    const auto read = [fields, words](const std::string& text) {
        for (const std::string_view part : split(text, ',')) {
            const std::string word(trimmed(part));
            const auto field = std::ranges::find(fields, word, &std::pair<std::string, bool*>::first);
            refuse_if(field == fields.end(), unknown_name("field", word, words));
            refuse_if(*field->second, "expected " + word + " once, found it twice");
            *field->second = true;
        }
    };
    return Value(words.size() > 1 ? "FIELD[,FIELD]" : "FIELD", read, {Type::Scalar::none, words}).repeatable();
}

// Which data say what jobs wait for, and when they became eligible.
void check_waits(const Options& options, const AccountingData& data) {
    const std::string field = options.written("fields") + (data.fields.after   ? " after"
                                                           : data.fields.begin ? " begin"
                                                                               : " array");
    refuse_if(data.submits_when_eligible && data.format != "sacct" && data.format != "pbs",
              options.written("submit") + " eligible is for sacct and pbs; " + options.written("map") +
                  " submit=COLUMN chooses the submission in a table");
    refuse_if(data.submits_when_eligible && data.fields.waits(),
              options.written("submit") + " eligible leaves out the wait for " +
                  (data.fields.after   ? "other jobs"
                   : data.fields.begin ? "an instant"
                                       : "other tasks") +
                  ", which " + field + " repeats: expected one of them");
}

// Sizes are hosts with `per_host`, which jobs share. `all` becomes the fields that the format has.
void check_fields(const Options& options, ConversionOptions& read) {
    AccountingData& data = *read.conversion.accounting;
    ResourceFields& fields = data.fields;
    const bool has_waits = data.format != "frontier" && data.format != "philly";
    const bool has_memory = has_waits;
    if (fields.as_far_as_known) {
        refuse_if(fields.per_host || fields.partition || fields.memory_pool || fields.licenses || fields.waits(),
                  options.written("fields") + " all: expected no other field beside it");
        fields = {.per_host = true,
                  .partition = true,
                  .licenses = data.format == "sacct",
                  .after = has_waits && !data.submits_when_eligible,
                  .begin = has_waits && !data.submits_when_eligible,
                  .array = has_waits && !data.submits_when_eligible,
                  .as_far_as_known = true};
    }
    refuse_if(fields.licenses && data.format != "sacct",
              options.written("fields") + " licenses is for sacct, whose AllocTRES names them");
    const std::string of_data = ": the data of " + data.format + " do not say ";
    refuse_if(fields.after && !has_waits, options.written("fields") + " after" + of_data + "what jobs waited for");
    refuse_if(fields.begin && (!has_waits || data.format == "pbs") && !fields.as_far_as_known,
              options.written("fields") + " begin" + of_data + "what instants jobs waited for");
    refuse_if(fields.array && !has_waits, options.written("fields") + " array" + of_data + "what arrays jobs were of");
    refuse_if(fields.memory_pool && !has_memory,
              options.written("fields") + " memory-pool" + of_data + "how much memory jobs have");
    // Otherwise sizes count processors, and hosts have several.
    data.keeps_hosts = (read.conversion.platform || read.conversion.machine) && (fields.per_host || data.counts_nodes);
    if (read.conversion.machine) {
        refuse_if(!fields.per_host, options.written("machine") + " is for what jobs take of hosts: expected " +
                                        options.written("fields") + " per-host or all");
        refuse_if(
            read.conversion.conversion.processors.has_value(),
            options.written("machine") + " has its own number of hosts, expected no " + options.written("processors"));
    }
    refuse_if(
        read.conversion.platform && !fields.per_host && !fields.partition && !fields.memory_pool && !fields.licenses,
        options.written("platform") + " is the machine of what jobs take: expected " + options.written("fields") +
            " per-host, partition, memory-pool, licenses or all");
    check_waits(options, data);
    if (!data.fields.per_host) {
        return;
    }
    const std::string given = options.written("fields") + " per-host";
    refuse_if(data.counts_nodes, options.written("nodes") + " lets jobs take whole nodes, expected no " + given);
    refuse_if(read.conversion.conversion.unit > 1,
              options.written("unit") + " counts processors, expected no " + given);
    refuse_if(read.conversion.conversion.load.has_value(),
              options.written("load") + " counts whole hosts, expected no " + given + ": jobs share them");
}

// N=NAME[,N=NAME]...
Value queue_names(std::map<long long, std::string>& names) {
    const auto add = [&names](const std::string& number, const std::string& name) {
        const auto queue = number_in<long long>(number);
        refuse_if(!queue, "expected NUMBER=NAME, found '" + number + "=" + name + "'");
        refuse_if(!names.emplace(*queue, name).second, "expected one name for queue " + number + ", found two");
    };
    return entries("N=NAME[,N=NAME]...", "NUMBER=NAME", add, {Type::Scalar::text, {}, Type::Scalar::whole_number});
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
                  options.written(option) + " is for tables, and " + format + " has a format of its own");
    }
    refuse_if(data.counts_nodes && format != "sacct" && format != "pbs",
              options.written("nodes") + " is for sacct and pbs; " + options.written("map") +
                  " processors=COLUMN chooses what jobs are made of");
}

// The options that swf and import have in common.
void add_conversion_options(Options& options, ConversionOptions& read) {
    add_options_of_jobs(options, read.conversion);
    add_options_of_outputs(options, read);
    options.add_rule([&options, &conversion = read.conversion] {
        check_walltimes(options, conversion.conversion);
        check_outputs(options, conversion);
        conversion.name = workload_name(conversion.log);
    });
}

}  // namespace

void add_import_options(Options& options, ConversionOptions& read) {
    AccountingData& data = *read.conversion.accounting;
    SwfConversion& conversion = read.conversion.conversion;
    options.group("Columns and times");
    options
        .add("map", columns(data.mapping),
             "columns of a table: " + list_of(table_fields()) +
                 "; any other field is kept in the workload under its name, as in gpus=NGPUS (repeatable)")
        .called("mapping,map");
    options.add("separator", value(data.separator, "CHARACTER", separator_in, "one character of ASCII, or tab"),
                "of columns: one character of ASCII, or tab; by default a comma in tables, and | in sacct");
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
            .otherwise_as_declared(),
        "instants of a table: auto (2024-03-01 12:00:00, with an offset or without, or seconds since 1970), month-first, "
        "day-first, milliseconds, microseconds, nanoseconds, seconds, days (since 1899-12-30, as spreadsheets count)");
    options.add(
        "time-zone", text(data.time_zone, "ZONE"),
        "zone of instants without an offset, also of dates in --from and --until, such as Europe/Berlin; by default UTC, or that of the data set's machine");
    options.add("nodes", data.counts_nodes, "sacct, pbs: the machine's processors are nodes, and jobs take whole ones");
    options.add(
        "fields",
        fields_value({{"per-host", &data.fields.per_host},
                      {"partition", &data.fields.partition},
                      {"memory-pool", &data.fields.memory_pool},
                      {"licenses", &data.fields.licenses},
                      {"after", &data.fields.after},
                      {"begin", &data.fields.begin},
                      {"array", &data.fields.array}},
                     data.fields.as_far_as_known),
        "what jobs get for machines with capacities and partitions: per-host (res is the number of hosts, per_host what "
        "the job took of each: cores, gpus, gpus_TYPE, memory in MiB; of the allocation, else of the request), partition "
        "(that of the job, or its queue), memory-pool (the memory of the whole job in MiB is of the pool memory, not of "
        "its hosts), licenses (of sacct: licences and burst buffers are amounts of pools), after (the jobs that it waited for: --dependency of Slurm, depend of PBS, the field dependency of a "
        "table), begin (the instant that it waited for: --begin of Slurm, the field begin of a table), array (the array whose task it is, and how many tasks ran at once: ids such as 12_7 and --array=0-99%4, the fields array and array_limit of a table); "
        "or all (per-host, partition, licenses, after, begin and array, as far as the data have them; memory-pool where they do not say "
        "the hosts); repeatable");
    options.add(
        "machine", text(read.conversion.machine, "FILE"),
        "the machine of the log: what scontrol show node, sinfo -N -o \"%N %P %c %m %G\" or pbsnodes -F json prints, or a "
        "platform; its hosts are the size, and jobs that do not fit there are dropped; needs --fields per-host or all");
    options.add(
        "submit",
        word(data.submits_when_eligible, "WHEN", {{"submission", false}, {"eligible", true}}).otherwise_as_declared(),
        "sacct and pbs: when a job counts as submitted: submission, or eligible (Eligible or etime, where it is known: "
        "waits for other jobs, --begin and holds are then no waits)");
    options
        .add("limits", text(read.conversion.limits, "FILE"),
             "sacct: write what users, accounts and QOS may use at once to this file, for --limits of simulate; needs "
             "--qos-dump or --assoc-dump")
        .not_in_calls();
    options.add("qos-dump", text(read.conversion.qos_dump, "FILE"), "what sacctmgr -P show qos prints, for --limits")
        .not_in_calls();
    options
        .add("assoc-dump", text(read.conversion.assoc_dump, "FILE"), "what sacctmgr -P show assoc prints, for --limits")
        .not_in_calls();
    options.group("Rows and limits");
    options.add("bad-rows",
                word(data.drops_bad_rows, "HOW", {{"error", false}, {"drop", true}}).otherwise_as_declared(),
                "rows that cannot be read: error, or drop, which counts them and shows the first of each kind");
    options.add("equal-rows",
                word(data.keeps_equal_rows, "HOW", {{"drop", false}, {"keep", true}}).otherwise_as_declared(),
                "rows of one file that are equal in all that is read: drop all but one, or keep them as jobs of their "
                "own, as tasks of arrays that share an id");
    options
        .add("partition-limit", limits(data.partition_limits),
             "walltime of jobs of this partition or queue that have no time limit, or an unlimited one, as in "
             "debug=1h,long=7-00:00:00 (repeatable)")
        .called("partition_limits");
    options.group("Jobs");
    options.add("queue", text(conversion.kept_queue_names, "NAME"),
                "keep jobs of this queue or partition only (repeatable)");
    options.add("exclude-queue", text(conversion.excluded_queue_names, "NAME"), "drop jobs of this queue (repeatable)");
    options.add_rule([&options, &data, &read] {
        check_data(options, data);
        refuse_if(data.format == "csv" && !options.given("map"),
                  options.written("map") + ": expected the columns of " + list_of(table_fields()) + ", found none");
        read.conversion.log = data.paths.front();
        check_fields(options, read);
        const bool has_dump = read.conversion.qos_dump || read.conversion.assoc_dump;
        refuse_if(read.conversion.limits.has_value() != has_dump,
                  "--limits goes with --qos-dump, --assoc-dump or both: expected ",
                  has_dump ? "--limits FILE" : "one of them");
        refuse_if(has_dump && data.format != "sacct", "--limits is of sacct, expected no dump of sacctmgr");
    });
    add_conversion_options(options, read);
}

void add_swf_options(Options& options, ConversionOptions& read) {
    SwfConversion& conversion = read.conversion.conversion;
    options.group("Jobs");
    options.add("exclude-queue", number(conversion.excluded_queues, "N"), "drop jobs of this queue (repeatable)");
    options.add("queue-names", queue_names(conversion.queue_names),
                "give queues a name instead of their number (repeatable)");
    options.add("partition", number(conversion.partitions, "N"), "keep jobs of this partition only (repeatable)");
    options.add("exclude-status", number(conversion.excluded_statuses, "N"),
                "drop jobs with this status: 0 failed, 1 completed, 5 cancelled (repeatable)");
    options.add("time-zone", text(read.conversion.time_zone, "ZONE"),
                "zone of dates in --from and --until, such as Europe/Stockholm, by default UTC; and of the workload's "
                "origin, by default what the header says");
    ResourceFields& fields = read.conversion.fields;
    options.add(
        "fields",
        fields_value({{"partition", &fields.partition}, {"memory-pool", &fields.memory_pool}, {"after", &fields.after}},
                     fields.as_far_as_known),
        "what jobs get besides: partition (column 16), memory-pool (the memory of the whole job in MiB, of the "
        "pool memory: column 10 for each processor), after (any:N+SECONDS of the preceding job and the think "
        "time, columns 17 and 18), or all; repeatable");
    options.add_rule([&options, &fields, &platform = read.conversion.platform] {
        if (fields.as_far_as_known) {
            refuse_if(fields.any(), options.written("fields") + " all: expected no other field beside it");
            fields = {.partition = true, .memory_pool = true, .after = true, .as_far_as_known = true};
        }
        refuse_if(platform && !fields.partition && !fields.memory_pool,
                  options.written("platform") + " is the machine of what jobs take: expected " +
                      options.written("fields") + " partition, memory-pool or all");
    });
    add_conversion_options(options, read);
    options
        .add("header", text(read.conversion.header, "FILE"),
             "write the log's header comments (acknowledgements, terms of use) to this file")
        .not_in_calls();
}

}  // namespace batfill
