#include "conversion_options.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include <batfill/core/error.hpp>

#include "inputs.hpp"
#include "src/support/durations.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

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
    const std::map<std::string, ShortEstimates> known = {{"cut", ShortEstimates::cut},
                                                         {"raise", ShortEstimates::raise},
                                                         {"drop", ShortEstimates::drop},
                                                         {"believe", ShortEstimates::believe}};
    const std::string word = word_option(options, "short-estimates", {"cut", "raise", "drop", "believe"});
    if (!options.given("drop-longer-than-estimate")) {
        return known.at(word);
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

std::optional<Decimal> load_option(const Options& options) {
    if (!options.given("load")) {
        return std::nullopt;
    }
    const auto text = options.get<std::string>("load");
    const std::optional<Decimal> load = Decimal::parse(text);
    if (!load || load->millionths() < 1000 || load->millionths() > 10'000'000) {
        throw UsageError("--load: expected a share of the machine in 0.001..10 (0.9 is 90 %), found '" + text + "'");
    }
    return load;
}

SwfConversion conversion_of(const Options& options) {
    SwfConversion conversion;
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
    conversion.load = load_option(options);
    return conversion;
}

// What --format says of the workload and of what is printed.
void read_formats(const Options& options, ConversionOptions& read) {
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
    options.add("from", Value<std::string>("SECONDS"), "drop jobs submitted before this instant of the log's clock");
    options.add("until", Value<std::string>("SECONDS"), "drop jobs submitted at or after it");
    options.group("Walltimes");
    options.add(
        "short-estimates", Value<std::string>("HOW"),
        "jobs that ran longer than they requested: cut (the walltime is the requested time, and the job stops there; default), raise (the walltime is the run time), drop, or believe (walltimes stop no job: field walltimes of the workload)");
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
    options.group("Times");
    options.add(
        "load", Value<std::string>("L"),
        "scale the gaps between submissions to this offered load, a share of the machine in 0.001..10; with --split, inside each period");
    options.add("shift", "shift submission times so that the first kept job is submitted at 0");
    options.group("Further output");
    options.add("schedule", Value<std::string>("FILE"),
                "write the log's own schedule of these jobs as a jobs.csv, to compare with others");
    options.add(
        "format", Value<std::vector<std::string>>("FORMAT"),
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

}  // namespace

void add_conversion_options(Options& options) {
    add_options_of_jobs(options);
    add_options_of_outputs(options);
}

ConversionOptions conversion_options(const Options& options, const std::string& log) {
    ConversionOptions read;
    LogConversion& conversion = read.conversion;
    conversion.conversion = conversion_of(options);
    read_formats(options, read);
    require_other_file(options, "schedule", "output");
    if (options.given("schedule") && conversion.conversion.split) {
        throw UsageError("--schedule is of a whole log, expected no --split (--from and --until choose a part)");
    }
    if (options.given("schedule") && options.given("load")) {
        throw UsageError("--schedule is what the log says, expected no --load, which moves submissions");
    }
    conversion.count_from_first_job = word_option(options, "count-from", {"zero", "first-job"}) == "first-job";
    conversion.log = log;
    conversion.name = name_of_log(log);
    conversion.output = optional_text(options, "output");
    conversion.schedule = optional_text(options, "schedule");
    return read;
}

}  // namespace batfill::commands
