#include "swf.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

#include "inputs.hpp"
#include "options.hpp"
#include "src/support/durations.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/names.hpp"
#include "src/support/numbers.hpp"

namespace batfill::commands {

namespace {

using Counts = std::vector<SwfWorkload::Count>;

std::optional<Duration> optional_seconds(const Options& options, const std::string& name) {
    if (!options.given(name)) {
        return std::nullopt;
    }
    return seconds_of("--" + name, options.get<std::string>(name));
}

std::optional<int> optional_positive(const Options& options, const std::string& name) {
    if (!options.given(name)) {
        return std::nullopt;
    }
    const int value = options.get<int>(name);
    if (value <= 0) {
        throw UsageError("--" + name + ": expected a number above 0, found " + std::to_string(value));
    }
    return value;
}

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

void read_missing_walltime(const std::string& text, SwfConversion& conversion) {
    using MissingWalltime = SwfConversion::MissingWalltime;
    const std::map<std::string, MissingWalltime> words = {
        {"exact", MissingWalltime::exact}, {"omit", MissingWalltime::omit}, {"drop", MissingWalltime::drop}};
    const auto word = words.find(text);
    if (word != words.end()) {
        conversion.missing_walltime = word->second;
        return;
    }
    const std::optional<Duration> given = parse_duration(text);
    if (!given || *given <= Duration()) {
        throw UsageError("--missing-walltime: expected exact, omit, drop or a number of seconds above 0, found '" +
                         text + "'");
    }
    conversion.missing_walltime = MissingWalltime::given;
    conversion.given_walltime = *given;
}

// Requires: `conversion` already says what becomes of missing walltimes.
void read_estimates(const Options& options, SwfConversion& conversion) {
    using Estimates = SwfConversion::Estimates;
    using MissingWalltime = SwfConversion::MissingWalltime;
    const std::map<std::string, Estimates> known = {{"log", Estimates::log},
                                                    {"exact", Estimates::exact},
                                                    {"modal", Estimates::modal},
                                                    {"factor", Estimates::factor}};
    const EstimatesOption option = estimates_option(options, {"log", "exact", "modal"});
    conversion.estimates = known.at(option.word);
    conversion.estimate_factor = option.factor;
    if (conversion.estimates != Estimates::log && (conversion.missing_walltime == MissingWalltime::omit ||
                                                   conversion.missing_walltime == MissingWalltime::given)) {
        throw UsageError("--missing-walltime: expected exact or drop with --estimates " + option.word +
                         ", which gives every job a walltime, found '" + options.get<std::string>("missing-walltime") +
                         "'");
    }
}

SwfConversion::ShortEstimates short_estimates(const Options& options) {
    using ShortEstimates = SwfConversion::ShortEstimates;
    const std::string word = word_option(options, "short-estimates", {"cut", "raise", "drop"});
    if (!options.given("drop-longer-than-estimate")) {
        return word == "cut" ? ShortEstimates::cut : word == "raise" ? ShortEstimates::raise : ShortEstimates::drop;
    }
    if (options.given("short-estimates") && word != "drop") {
        throw UsageError("--drop-longer-than-estimate means --short-estimates drop, found --short-estimates " + word);
    }
    return ShortEstimates::drop;
}

std::optional<SwfSplit> split_of(const Options& options) {
    if (!options.given("split")) {
        for (const char* option : {"skip", "periods", "count-from", "crossing"}) {
            if (options.given(option)) {
                throw UsageError("--" + std::string(option) + " is about periods, expected --split");
            }
        }
        return std::nullopt;
    }
    if (options.given("shift")) {
        throw UsageError("--split counts times from the beginning of each period, expected no --shift");
    }
    const auto days = options.get<std::string>("split");
    const std::optional<Duration> length = Duration::parse(days);
    SwfSplit split;
    if (!length || *length < Duration::microseconds(1) || *length > Duration::seconds(1'000'000)) {
        throw UsageError("--split: expected a number of days above 0, up to 1000000, found '" + days + "'");
    }
    split.period = *length * 86'400;  // the number was read as seconds but means days
    split.begin = optional_seconds(options, "from").value_or(Duration());
    if (options.given("skip")) {
        const int skip = options.get<int>("skip");
        if (skip < 0) {
            throw UsageError("--skip: expected a number from 0, found " + std::to_string(skip));
        }
        split.skipped = static_cast<std::size_t>(skip);
    }
    if (const std::optional<int> periods = optional_positive(options, "periods")) {
        split.periods = static_cast<std::size_t>(*periods);
    }
    split.keep_crossing = word_option(options, "crossing", {"drop", "keep"}) == "keep";
    return split;
}

SwfConversion conversion_of(const Options& options) {
    SwfConversion conversion;
    conversion.excluded_queues = options.get<std::vector<long long>>("exclude-queue");
    conversion.excluded_statuses = options.get<std::vector<long long>>("exclude-status");
    conversion.partitions = options.get<std::vector<long long>>("partition");
    conversion.queue_names = queue_names(options);
    conversion.from = optional_seconds(options, "from");
    conversion.until = optional_seconds(options, "until");
    conversion.short_estimates = short_estimates(options);
    conversion.keep_zero_run_times = options.given("keep-zero-run-times");
    conversion.size = word_option(options, "size", {"requested", "allocated"}) == "requested"
                          ? SwfConversion::Size::requested
                          : SwfConversion::Size::allocated;
    conversion.keep_unallocated = options.given("keep-unallocated");
    conversion.unit = optional_positive(options, "unit").value_or(1);
    conversion.processors = optional_positive(options, "processors");
    conversion.max_processors = optional_positive(options, "max-processors");
    read_missing_walltime(options.get<std::string>("missing-walltime"), conversion);
    read_estimates(options, conversion);
    conversion.split = split_of(options);
    conversion.shift = options.given("shift");
    return conversion;
}

Counts named(const SwfAnomalies& counts) {
    return {{"run time <= 0", counts.no_run_time},
            {"allocated processors < 0", counts.no_processors},
            {"allocated > requested processors", counts.more_than_requested},
            {"run time > requested time", counts.over_requested_time},
            {"run time > requested time + 60 s", counts.over_requested_time_60s},
            {"requested processors unknown", counts.no_requested_processors},
            {"requested time unknown", counts.no_requested_time},
            {"submitted before the job of the line above", counts.out_of_order}};
}

void print_counts(const std::string& title, const Counts& counts, std::ostream& out) {
    out << '\n' << title << '\n';
    for (const auto& [what, jobs] : counts) {
        out << "  " << std::left << std::setw(66) << what << ' ' << std::right << std::setw(10) << jobs << '\n';
    }
}

void print_periods(const std::vector<SwfPeriod>& periods, std::ostream& out) {
    if (periods.empty()) {
        return;
    }
    const std::size_t all = periods.back().number - periods.front().number + 1;
    const auto [least, most] = std::minmax_element(
        periods.begin(), periods.end(),
        [](const SwfPeriod& a, const SwfPeriod& b) { return a.workload.jobs.size() < b.workload.jobs.size(); });
    out << "Periods: " << periods.front().number << " to " << periods.back().number << ", " << all - periods.size()
        << " of them without jobs and without a file; " << least->workload.jobs.size() << " to "
        << most->workload.jobs.size() << " jobs in the others\n";
}

void print_table(const ConvertedLog& result, std::ostream& out) {
    const auto& [log, converted, periods, schedule] = result;
    out << log.path << ": " << log.jobs.size() << " jobs\n";
    print_counts("In the log, before cleaning", named(count_anomalies(log)), out);
    print_counts("Dropped, by the first rule that holds", converted.dropped, out);
    print_counts("Kept", {{"jobs", converted.workload.jobs.size()}}, out);
    if (!converted.noted.empty()) {
        print_counts("Among these", converted.noted, out);
    }
    out << "\nProcessors: " << converted.workload.processors << " (" << converted.processors_from << ")\n";
    print_periods(periods, out);
    if (log.field("Copyright")) {
        out << "The log's header has a copyright notice; keep it with what you make of the log (--header FILE).\n";
    }
    if (!schedule) {
        return;
    }
    out << "Schedule of the log: " << schedule->schedule.jobs.size() << " jobs, at most " << schedule->most_in_use
        << " of " << converted.workload.processors << " processors in use at once";
    if (schedule->unknown_waits > 0) {
        out << "; left out, as their wait is unknown: " << schedule->unknown_waits;
    }
    out << '\n';
}

void write_counts(PrettyJson& json, const char* key, const Counts& counts) {
    json.key(key).array(counts, [&](const SwfWorkload::Count& count) {
        json.open_object();
        json.key("what").text(count.what);
        json.key("jobs").integer(count.jobs);
        json.close_object();
    });
}

void print_json(const ConvertedLog& result, std::ostream& out) {
    const auto& [log, converted, periods, schedule] = result;
    PrettyJson json(2);
    json.open_object();
    json.key("log").text(log.path);
    json.key("jobs").integer(log.jobs.size());
    write_counts(json, "anomalies", named(count_anomalies(log)));
    write_counts(json, "dropped", converted.dropped);
    json.key("kept").integer(converted.workload.jobs.size());
    write_counts(json, "noted", converted.noted);
    json.key("processors").integer(static_cast<std::uint64_t>(converted.workload.processors));
    json.key("processors_from").text(converted.processors_from);
    json.key("periods").array(periods, [&](const SwfPeriod& period) {
        json.open_object();
        json.key("number").integer(period.number);
        json.key("jobs").integer(period.workload.jobs.size());
        json.close_object();
    });
    json.close_object();
    out << json.view() << '\n';
}

// What --format says of the workload and of what is printed.
void read_formats(const Options& options, SwfOptions& read) {
    for (const std::string& word : options.get<std::vector<std::string>>("format")) {
        if (word == "table" || word == "json") {
            read.prints_json = word == "json";
        } else if (word == "batsim4" || word == "batsim5") {
            read.conversion.format = word == "batsim5" ? WorkloadFormat::batsim5 : WorkloadFormat::batsim4;
        } else {
            throw UsageError("--format: " + unknown_name("value", word, {"table", "json", "batsim4", "batsim5"}));
        }
    }
}

// Which jobs to keep, and what their sizes are.
void add_options_of_jobs(Options& options) {
    options.add_positional("log", Value<std::string>().required());
    options.group("Output");
    options.add(
        "output,o", Value<std::string>("PATH"),
        "the workload (Batsim JSON, gzipped if it ends in .gz), or with --split a folder; without -o, swf only prints the table");
    options.group("Jobs and walltimes");
    options.add("exclude-queue", Value<std::vector<long long>>("N"), "drop jobs of this queue (repeatable)");
    options.add("queue-names", Value<std::string>("N=NAME[,N=NAME]..."), "give queues a name instead of their number");
    options.add("partition", Value<std::vector<long long>>("N"), "keep jobs of this partition only (repeatable)");
    options.add("exclude-status", Value<std::vector<long long>>("N"),
                "drop jobs with this status: 0 failed, 1 completed, 5 cancelled (repeatable)");
    options.add("from", Value<std::string>("SECONDS"), "drop jobs submitted before this instant of the log's clock");
    options.add("until", Value<std::string>("SECONDS"), "drop jobs submitted at or after it");
    options.add(
        "short-estimates", Value<std::string>("HOW"),
        "jobs that ran longer than they requested: cut (the walltime is the requested time, and the job stops there; default), raise (the walltime is the run time) or drop");
    options.add("drop-longer-than-estimate", "the same as --short-estimates drop");
    options.add(
        "estimates", Value<std::string>("HOW").otherwise("log"),
        "walltimes of all jobs: log (what they requested), exact (the run time), factor:K (K times the run time) or modal (the run time, rounded up to the values users choose)");
    options.add(
        "missing-walltime", Value<std::string>("HOW").otherwise("exact"),
        "walltime of a job without requested time: exact (its run time), omit (none) or a number of seconds; or drop such jobs");
    options.add("keep-zero-run-times", "keep jobs that ran for 0 s and were not cancelled; they run for a microsecond");
    options.group("Sizes");
    options.add("size", Value<std::string>("WHICH").otherwise("requested"),
                "processors of a job: requested (allocated where unknown) or allocated");
    options.add("keep-unallocated", "keep jobs whose allocated processors are unknown, if they requested some");
    options.add("unit", Value<int>("N"),
                "smallest allocation in processors; sizes are rounded up to units, and counted in them");
    options.add("processors", Value<int>("N"),
                "size of the machine, nb_res, in units; by default the size in the log's header, else the widest job");
    options.add("max-processors", Value<int>("N"), "drop jobs wider than this, in units");
}

void add_options_of_outputs(Options& options) {
    options.group("Periods");
    options.add(
        "split", Value<std::string>("DAYS"),
        "split the log by submission time into periods of this length (7 for weeks, 30 for months); the output is a new folder with a workload per period");
    options.add(
        "count-from", Value<std::string>("WHERE"),
        "period 1: zero (it begins at the log's time 0, or at --from; default) or first-job (it has the log's first job)");
    options.add("skip", Value<int>("N"), "periods to skip at the beginning (default 0)");
    options.add("periods", Value<int>("N"), "periods to keep after these (default: all)");
    options.add("crossing", Value<std::string>("HOW"),
                "jobs that started in one period and ended in another: drop (default) or keep");
    options.group("Further output");
    options.add("shift", "shift submission times so that the first kept job is submitted at 0");
    options.add("schedule", Value<std::string>("FILE"),
                "write the log's own schedule of these jobs as a jobs.csv, to compare with others");
    options.add("header", Value<std::string>("FILE"),
                "write the log's header comments (acknowledgements, terms of use) to this file");
    options.add(
        "format", Value<std::vector<std::string>>("FORMAT"),
        "format of the printed table: table (default) or json; of the workload: batsim4 (default) or batsim5; repeatable");
}

// "logs/SP2.swf.gz" is "SP2".
std::string name_of_log(const std::string& path) {
    std::string name = std::filesystem::path(path).filename().string();
    for (const std::string_view suffix : {".gz", ".swf"}) {
        if (name.ends_with(suffix)) {
            name.resize(name.size() - suffix.size());
        }
    }
    return name;
}

}  // namespace

std::optional<SwfOptions> parse_swf_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    add_options_of_jobs(options);
    add_options_of_outputs(options);
    if (!options.parse(
            arguments, "batfill swf LOG.swf[.gz] [-o WORKLOAD.json[.gz]] [OPTION]...",
            "Converts a log of the Parallel Workloads Archive to a Batsim workload, and prints what was dropped and why.\nJobs without a known run time are always dropped.",
            {"swf SP2.swf.gz -o sp2.json", "swf SP2.swf.gz -o weeks --split 7"}, origin)) {
        return std::nullopt;
    }
    SwfOptions read;
    LogConversion& conversion = read.conversion;
    conversion.conversion = conversion_of(options);
    read_formats(options, read);
    require_other_file(options, "header", "output");
    require_other_file(options, "schedule", "output");
    require_other_file(options, "schedule", "header");
    if (options.given("schedule") && conversion.conversion.split) {
        throw UsageError("--schedule is of a whole log, expected no --split (--from and --until choose a part)");
    }
    conversion.count_from_first_job = word_option(options, "count-from", {"zero", "first-job"}) == "first-job";
    conversion.log = options.get<std::string>("log");
    conversion.name = name_of_log(conversion.log);
    conversion.output = optional_text(options, "output");
    conversion.header = optional_text(options, "header");
    conversion.schedule = optional_text(options, "schedule");
    return read;
}

void print_converted_log(const ConvertedLog& result, const SwfOptions& options, std::ostream& out) {
    options.prints_json ? print_json(result, out) : print_table(result, out);
}

int swf(const Arguments& arguments) {
    if (const std::optional<SwfOptions> options = parse_swf_options(arguments)) {
        print_converted_log(convert_log(options->conversion), *options, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
