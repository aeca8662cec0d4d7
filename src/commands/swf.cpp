#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include "inputs.hpp"
#include "parsers.hpp"
#include "src/support/calendar.hpp"
#include "src/support/durations.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"

// The command swf, and the options that import has, too.
namespace batfill::commands {

namespace {

using MissingWalltime = SwfConversion::MissingWalltime;
using Estimates = SwfConversion::Estimates;
using ShortEstimates = SwfConversion::ShortEstimates;

constexpr std::size_t max_periods = std::numeric_limits<int>::max();

Value missing_walltime(SwfConversion& conversion) {
    return {"HOW", [&conversion](const std::string& text) {
                const std::map<std::string, MissingWalltime> words = {{"exact", MissingWalltime::exact},
                                                                      {"omit", MissingWalltime::omit},
                                                                      {"drop", MissingWalltime::drop}};
                if (const auto word = words.find(text); word != words.end()) {
                    conversion.missing_walltime = word->second;
                    return;
                }
                const std::optional<Duration> given = parse_duration(text);
                refuse_if(!given || *given <= Duration(),
                          "expected exact, omit, drop or a number of seconds above 0, found '" + text + "'");
                conversion.missing_walltime = MissingWalltime::given;
                conversion.given_walltime = *given;
            }};
}

// What --format says of the workload and of what is printed.
Value formats(ConversionOptions& read) {
    struct Given {
        std::string printed;
        std::string written;
    };
    return Value("FORMAT",
                 [&read, given = std::make_shared<Given>()](const std::string& word) {
                     const bool is_printed = word == "table" || word == "json";
                     if (!is_printed && word != "batsim4" && word != "batsim5") {
                         throw UsageError(unknown_name("value", word, {"table", "json", "batsim4", "batsim5"}));
                     }
                     std::string& before = is_printed ? given->printed : given->written;
                     refuse_if(!before.empty(), std::string("expected one of ") +
                                                    (is_printed ? "table and json" : "batsim4 and batsim5") +
                                                    ", found " + before + " and " + word);
                     before = word;
                     if (is_printed) {
                         read.prints_json = word == "json";
                     } else {
                         read.conversion.format = word == "batsim5" ? WorkloadFormat::batsim5 : WorkloadFormat::batsim4;
                     }
                 })
        .repeatable();
}

// An instant of the log's clock, or a date.
Value instant(std::optional<Duration>& since_zero, std::optional<std::string>& date) {
    return {"TIME", [&](const std::string& text) {
                since_zero = parse_duration(text);
                TimeZone utc("");
                if (!since_zero && read_date(text, DateOrder::year_month_day, utc)) {
                    date = text;
                    return;
                }
                refuse_if(
                    !since_zero,
                    "expected a number of seconds, a length with units (90s, 15m, 1h, 30d), or a date (2024-03-01, "
                    "2024-03-01 12:00:00), found '" +
                        text + "'");
            }};
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
    if (options.given("drop-longer-than-estimate")) {
        refuse_if(options.given("short-estimates") && conversion.short_estimates != ShortEstimates::drop,
                  "--drop-longer-than-estimate means --short-estimates drop, expected no other --short-estimates");
        conversion.short_estimates = ShortEstimates::drop;
    }
    const bool omits = conversion.missing_walltime == MissingWalltime::omit;
    refuse_if(
        conversion.estimates != Estimates::log && (omits || conversion.missing_walltime == MissingWalltime::given),
        "--missing-walltime: expected exact or drop with --estimates exact, factor or modal, which gives every job a walltime, found '" +
            (omits ? "omit" : conversion.given_walltime.to_shortest_string()) + "'");
}

// The split is there already, and stays only if the user wants it.
void check_outputs(const Options& options, LogConversion& request) {
    SwfConversion& conversion = request.conversion;
    if (options.given("split")) {
        refuse_if(conversion.shift, "--split counts times from the beginning of each period, expected no --shift");
        refuse_if(options.given("schedule"),
                  "--schedule is of a whole log, expected no --split (--from and --until choose a part)");
        conversion.split->begin = conversion.from.value_or(Duration());
    } else {
        for (const char* option : {"skip", "periods", "count-from", "crossing"}) {
            refuse_if(options.given(option), "--" + std::string(option) + " is about periods, expected --split");
        }
        conversion.split.reset();
    }
    refuse_if(request.schedule && conversion.load,
              "--schedule is what the log says, expected no --load, which moves submissions");
    require_other_file("schedule", request.schedule, "output", request.output);
    const std::vector<std::string> inputs =
        request.accounting ? request.accounting->paths : std::vector<std::string>{request.log};
    if (!conversion.split) {
        require_no_input("output", request.output, inputs);
    }
    require_no_input("schedule", request.schedule, inputs);
    require_no_input("header", request.header, inputs);
}

// Which jobs to keep, and what their sizes are.
void add_options_of_jobs(Options& options, LogConversion& request) {
    SwfConversion& conversion = request.conversion;
    const bool has_header = !request.accounting;
    options.add("from", instant(conversion.from, request.from_date),
                "drop jobs submitted before this instant: seconds of the log's clock, or a date in --time-zone");
    options.add("until", instant(conversion.until, request.until_date), "drop jobs submitted at or after it");
    options.group("Walltimes");
    options.add(
        "short-estimates",
        word(conversion.short_estimates, "HOW",
             {{"cut", ShortEstimates::cut},
              {"raise", ShortEstimates::raise},
              {"drop", ShortEstimates::drop},
              {"believe", ShortEstimates::believe}}),
        "jobs that ran longer than they requested: cut (the walltime is the requested time, and the job stops there; default), raise (the walltime is the run time), drop, or believe (walltimes stop no job: field walltimes of the workload)");
    options.add("drop-longer-than-estimate", "the same as --short-estimates drop");
    options.add(
        "estimates",
        estimates(conversion.estimates, conversion.estimate_factor,
                  {{"log", Estimates::log},
                   {"exact", Estimates::exact},
                   {"modal", Estimates::modal},
                   {"factor:K", Estimates::factor}})
            .otherwise("log"),
        "walltimes of all jobs: log (what they requested), exact (the run time), factor:K (K times the run time) or modal (the run time, rounded up to the values users choose)");
    options.add(
        "missing-walltime", missing_walltime(conversion).otherwise("exact"),
        "walltime of a job without requested time: exact (its run time), omit (none) or a number of seconds; or drop such jobs");
    options.add("keep-zero-run-times", conversion.keep_zero_run_times,
                "keep jobs that ran for 0 s and were not cancelled; they run for a microsecond");
    options.group("Sizes");
    options.add("size",
                word(conversion.size, "WHICH",
                     {{"requested", SwfConversion::Size::requested}, {"allocated", SwfConversion::Size::allocated}})
                    .otherwise("requested"),
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
    options.add(
        "split",
        value(split.period, "DAYS", days_in,
              "a number of days above 0, up to 1000000, or a length with units (7d, 12h)"),
        "split the log by submission time into periods of this length (7 for weeks, 30 for months); the output is a new folder with a workload per period");
    options.add(
        "count-from", word(conversion.count_from_first_job, "WHERE", {{"zero", false}, {"first-job", true}}),
        "period 1: zero (it begins at the log's time 0, or at --from; default) or first-job (it has the log's first job)");
    options.add("skip", number(split.skipped, "N", 0, max_periods), "periods to skip at the beginning (default 0)");
    options.add("periods", number(split.periods, "N", 1, max_periods), "periods to keep after these (default: all)");
    options.add("crossing", word(split.keep_crossing, "HOW", {{"drop", false}, {"keep", true}}),
                "jobs that started in one period and ended in another: drop (default) or keep");
    options.group("Times");
    options.add(
        "load",
        load(conversion.conversion.load, [](const std::string& text) { return decimal_in(text, "0.001", "10"); }),
        "scale the gaps between submissions to this offered load, a share of the machine in 0.001..10; with --split, inside each period");
    options.add("shift", conversion.conversion.shift,
                "shift submission times so that the first kept job is submitted at 0");
    options.group("Further output");
    options.add("schedule", text(conversion.schedule, "FILE"),
                "write the log's own schedule of these jobs as a jobs.csv, to compare with others");
    options.add(
        "format", formats(read),
        "format of the printed table: table (default) or json; of the workload: batsim4 (default) or batsim5; repeatable");
}

// "logs/SP2.swf.gz" is "SP2".
std::string name_of_log(const std::string& path) {
    std::string name = std::filesystem::path(path).filename().string();
    for (const std::string_view suffix : {".gz", ".swf", ".csv", ".txt"}) {
        if (name.ends_with(suffix)) {
            name.resize(name.size() - suffix.size());
        }
    }
    return name;
}

Value queue_names(std::map<long long, std::string>& names) {
    return {"N=NAME[,N=NAME]...", [&names](const std::string& text) {
                std::istringstream entries(text + ',');
                for (std::string entry; std::getline(entries, entry, ',');) {
                    const std::size_t equals = std::min(entry.find('='), entry.size());
                    const auto queue = number_in<long long>(entry.substr(0, equals));
                    if (!queue || equals + 1 >= entry.size()) {
                        throw UsageError("expected NUMBER=NAME, found '" + entry + "'");
                    }
                    const bool is_new = names.emplace(*queue, entry.substr(equals + 1)).second;
                    refuse_if(!is_new, "expected one name for queue " + std::to_string(*queue) + ", found two");
                }
            }};
}

}  // namespace

void add_conversion_options(Options& options, ConversionOptions& read) {
    add_options_of_jobs(options, read.conversion);
    add_options_of_outputs(options, read);
    options.add_rule([&options, &conversion = read.conversion] {
        check_walltimes(options, conversion.conversion);
        check_outputs(options, conversion);
        conversion.name = name_of_log(conversion.log);
    });
}

std::optional<ConversionOptions> parse_swf_options(const Arguments& arguments, OptionsFrom origin) {
    ConversionOptions read;
    Options options;
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
    options.add("time-zone", text(read.conversion.time_zone, "ZONE"),
                "zone of dates in --from and --until, such as Europe/Stockholm; by default UTC");
    add_conversion_options(options, read);
    options.add("header", text(read.conversion.header, "FILE"),
                "write the log's header comments (acknowledgements, terms of use) to this file");
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
        convert_and_print(*options, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
