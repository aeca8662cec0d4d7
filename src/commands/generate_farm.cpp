#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <batfill/core/error.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/workloads/farm.hpp>
#include <batfill/workloads/lublin.hpp>

#include "estimates_option.hpp"
#include "generate.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "src/support/files.hpp"

namespace batfill::commands {

namespace {

constexpr const char* farm_summary =
    "Draws a farm of machines with floating licences, and jobs for it, as section 7 of \"Backfilling Strategies for\n"
    "Scheduling Streams of Jobs on Computational Farms\" (CoreGRID 2007) does; the defaults are the paper's, but for\n"
    "--speed. A RANGE is LOW:HIGH, integers of which all are equally likely, or one integer.";

constexpr const char* comment =
    "  A farm that `batfill generate farm` has drawn. A host is one processor; its properties are the machine that it\n"
    "  belongs to, the machine's speed in operations per second, and the licences that can be activated on it. The "
    "zone's\n"
    "  property says how many copies of each licence there are. All hosts are at one place, so that messages take no\n"
    "  time. Names have zeros in front because Batsim numbers hosts in the lexicographic order of their names.";

constexpr int million = 1'000'000;

int integer_option(const Options& options, const std::string& name, int min, int max) {
    const int value = options.get<int>(name);
    if (value < min || value > max) {
        throw UsageError("--" + name + ": expected a number in " + std::to_string(min) + ".." + std::to_string(max) +
                         ", found " + std::to_string(value));
    }
    return value;
}

FarmModel::Range range_option(const Options& options, const std::string& name, int min, int max) {
    const auto text = options.get<std::string>(name);
    const std::size_t colon = text.find(':');
    const auto read = [&](std::size_t first, std::size_t last) {
        int value = min - 1;
        const auto [end, error] = std::from_chars(text.data() + first, text.data() + last, value);
        return error == std::errc() && end == text.data() + last ? value : min - 1;
    };
    FarmModel::Range range;
    range.low = read(0, std::min(colon, text.size()));
    range.high = colon == std::string::npos ? range.low : read(colon + 1, text.size());
    if (range.low < min || range.high < range.low || range.high > max) {
        throw UsageError("--" + name + ": expected LOW:HIGH or one integer, in " + std::to_string(min) + ".." +
                         std::to_string(max) + ", found '" + text + "'");
    }
    return range;
}

Duration interarrival_option(const Options& options) {
    const auto text = options.get<std::string>("interarrival");
    const std::optional<Duration> value = Duration::parse(text);
    if (!value || *value <= Duration() || *value > Duration::seconds(million)) {
        throw UsageError("--interarrival: expected a number of seconds above 0 and at most " + std::to_string(million) +
                         ", found '" + text + "'");
    }
    return *value;
}

FarmModel::MarginUnit margin_unit_option(const Options& options) {
    const auto text = options.get<std::string>("margin-unit");
    if (text == "seconds") {
        return FarmModel::MarginUnit::seconds;
    }
    if (text == "percent") {
        return FarmModel::MarginUnit::percent_of_walltime;
    }
    throw UsageError("--margin-unit: " + unknown_name("value", text, {"seconds", "percent"}));
}

FarmModel model_of(const Options& options) {
    FarmModel model;
    model.seed = options.get<std::uint64_t>("seed");
    model.jobs = integer_option(options, "jobs", 1, max_farm_jobs);
    model.machines = integer_option(options, "machines", 1, max_farm_processors);
    model.licenses = integer_option(options, "licenses", 0, max_farm_licenses);
    model.interarrival = interarrival_option(options);
    model.run_time = range_option(options, "run-time", 1, million);
    model.job_processors = range_option(options, "job-processors", 1, max_farm_processors);
    model.machine_processors = range_option(options, "machine-processors", 1, max_farm_processors / model.machines);
    model.speed = range_option(options, "speed", 1, million);
    model.license_ratio = range_option(options, "license-ratio", 1, 100'000);
    model.license_suitability = integer_option(options, "license-suitability", 0, 100);
    model.license_needs = integer_option(options, "license-needs", 0, 100);
    model.without_deadline = integer_option(options, "without-deadline", 0, 100);
    model.deadline_margin = range_option(options, "deadline-margin", 0, million);
    model.margin_unit = margin_unit_option(options);
    model.estimate_factor = estimates_option(options, {"exact"}).factor;
    return model;
}

void print_summary(const Farm& farm, const FarmModel& model, const std::string& workload_path,
                   const std::string& platform_path) {
    const std::vector<WorkloadJob>& jobs = farm.workload.jobs;
    const auto per_cent = [&](auto holds) {
        return 100 * static_cast<double>(std::count_if(jobs.begin(), jobs.end(), holds)) /
               static_cast<double>(jobs.size());
    };
    std::printf("%s: %d machines with %d processors, %d licences\n", platform_path.c_str(), model.machines,
                farm.workload.processors, model.licenses);
    std::printf("%s: %zu jobs, submitted over %s s\n", workload_path.c_str(), jobs.size(),
                jobs.back().description.submit.since_zero().to_shortest_string().c_str());
    std::printf("offered load %.4f, jobs with a deadline %.1f %%, with licences %.1f %%\n", offered_load(farm.workload),
                per_cent([](const WorkloadJob& job) { return job.description.deadline.has_value(); }),
                per_cent([](const WorkloadJob& job) { return !job.description.licenses.empty(); }));
}

}  // namespace

int farm(const Arguments& arguments) {
    Options options;
    const auto text = [](const char* standard, const char* name) {
        return Value<std::string>(name).otherwise(standard);
    };
    const auto number = [](int standard, const char* name) { return Value<int>(name).otherwise(standard); };
    options.add("output,o", Value<std::string>("FILE").required(),
                "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("format", Value<std::string>("FORMAT"), workload_format_help);
    options.add("platform", Value<std::string>("FILE").required(),
                "the farm, SimGrid XML with a host for each processor");
    options.add("seed", Value<std::uint64_t>("S").required(), "seed of all draws");
    options.add("jobs", number(1000, "N"), "number of jobs");
    options.add("machines", number(100, "N"), "number of machines");
    options.add("licenses", number(20, "N"), "number of licences");
    options.add(
        "interarrival", text("12", "SECONDS"),
        "mean of the exponentially distributed inter-arrival times; changes nothing but submissions and, as much, "
        "deadlines");
    options.add("run-time", text("500:3000", "RANGE"), "run times, seconds, on every machine the same");
    options.add("job-processors", text("1:8", "RANGE"), "processors that jobs require, of one machine");
    options.add("machine-processors", text("1:8", "RANGE"), "processors of machines");
    options.add(
        "speed", text("1000:4000", "RANGE"),
        "speeds of machines, millions of operations per second: which of them are used first (the paper does not say)");
    options.add("license-ratio", text("50:70", "RANGE"),
                "copies of a licence, per cent of the machines on which it can be activated, rounded; at least one");
    options.add("license-suitability", number(90, "PERCENT"),
                "probability that a licence can be activated on a machine");
    options.add("license-needs", number(30, "PERCENT"), "probability that a job needs a licence, for each licence");
    options.add("without-deadline", number(30, "PERCENT"), "probability that a job has no deadline");
    options.add("deadline-margin", text("30:250", "RANGE"), "margins: deadline = submission + walltime + margin");
    options.add("margin-unit", text("seconds", "UNIT"), "of margins: seconds, or percent of the walltime");
    options.add("estimates", text("exact", "HOW"), "walltimes: exact, or factor:K (K times the run time)");
    if (!options.parse(arguments, "batfill generate farm --seed S -o WORKLOAD.json --platform FARM.xml [OPTION]...",
                       farm_summary)) {
        return 0;
    }
    const FarmModel model = model_of(options);
    const auto workload_path = options.get<std::string>("output");
    const auto platform_path = options.get<std::string>("platform");
    require_other_file(options, "platform", "output");
    const WorkloadFormat format = workload_format_option(options, WorkloadFormat::batsim4);

    Farm farm = generate_farm(model);
    farm.workload.format = format;
    OutputFile platform(platform_path);
    platform.write(platform_text(farm.platform, comment));
    platform.close();
    write_workload(farm.workload, workload_path);
    platform.commit();
    print_summary(farm, model, workload_path, platform_path);
    return 0;
}

}  // namespace batfill::commands
