#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>

#include <batfill/core/error.hpp>

#include "generate.hpp"
#include "inputs.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/durations.hpp"
#include "src/support/numbers.hpp"

namespace batfill::commands {

namespace {

constexpr const char* farm_summary =
    "Samples a farm of machines with floating licences, and jobs for it, as in section 7 of \"Backfilling Strategies for\n"
    "Scheduling Streams of Jobs on Computational Farms\" (CoreGRID 2007). The defaults are the paper's, except --speed. A\n"
    "RANGE is LOW:HIGH, where every integer is equally likely, or one integer.";

constexpr int million = 1'000'000;

FarmModel::Range range_option(const Options& options, const std::string& name, int min, int max) {
    const auto text = options.get<std::string>(name);
    const std::size_t colon = std::min(text.find(':'), text.size());
    const auto low = number_in<int>(text.substr(0, colon));
    const auto high = colon == text.size() ? low : number_in<int>(text.substr(colon + 1));
    if (!low || !high || *low < min || *high < *low || *high > max) {
        throw UsageError("--" + name + ": expected LOW:HIGH or one integer, in " + std::to_string(min) + ".." +
                         std::to_string(max) + ", found '" + text + "'");
    }
    return {*low, *high};
}

Duration interarrival_option(const Options& options) {
    const auto text = options.get<std::string>("interarrival");
    const std::optional<Duration> value = parse_duration(text);
    if (!value || *value <= Duration() || *value > Duration::seconds(million)) {
        throw UsageError("--interarrival: expected a number of seconds above 0 and at most " + std::to_string(million) +
                         ", found '" + text + "'");
    }
    return *value;
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
    model.margin_unit = word_option(options, "margin-unit", {"seconds", "percent"}) == "seconds"
                            ? FarmModel::MarginUnit::seconds
                            : FarmModel::MarginUnit::percent_of_walltime;
    model.estimate_factor = estimates_option(options, {"exact"}).factor;
    return model;
}

}  // namespace

std::optional<FarmFiles> parse_farm_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    const auto text = [](const char* standard, const char* name) {
        return Value<std::string>(name).otherwise(standard);
    };
    const auto number = [](int standard, const char* name) { return Value<int>(name).otherwise(standard); };
    options.group("Jobs");
    options.add("jobs", number(1000, "N"), "number of jobs");
    options.add("seed", Value<std::uint64_t>("S").required(), "seed of the workload");
    options.add(
        "interarrival", text("12", "SECONDS"),
        "mean of the exponentially distributed inter-arrival times; other values move only submissions and deadlines");
    options.add("run-time", text("500:3000", "RANGE"), "run times in seconds, the same on every machine");
    options.add("job-processors", text("1:8", "RANGE"), "processors that jobs require, of one machine");
    options.add("license-needs", number(30, "PERCENT"), "probability that a job needs a licence, for each licence");
    options.add("estimates", text("exact", "HOW"), "walltimes: exact, or factor:K (K times the run time)");
    options.group("Machines");
    options.add("machines", number(100, "N"), "number of machines");
    options.add("machine-processors", text("1:8", "RANGE"), "processors of machines");
    options.add(
        "speed", text("1000:4000", "RANGE"),
        "speeds of machines in millions of operations per second; faster machines are used first (the paper does not say)");
    options.add("licenses", number(20, "N"), "number of licences");
    options.add("license-ratio", text("50:70", "RANGE"),
                "copies of a licence, per cent of the machines on which it can be activated, rounded; at least one");
    options.add("license-suitability", number(90, "PERCENT"),
                "probability that a licence can be activated on a machine");
    options.group("Deadlines");
    options.add("without-deadline", number(30, "PERCENT"), "probability that a job has no deadline");
    options.add("deadline-margin", text("30:250", "RANGE"), "margins: deadline = submission + walltime + margin");
    options.add("margin-unit", text("seconds", "UNIT"), "of margins: seconds, or percent of the walltime");
    options.group("Output");
    options.add("output,o", Value<std::string>("FILE").required(),
                "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("format", Value<std::string>("FORMAT"), workload_format_help);
    options.add("platform", Value<std::string>("FILE").required(),
                "the farm, SimGrid XML with a host for each processor");
    if (!options.parse(arguments, "batfill generate farm --seed S -o WORKLOAD.json --platform FARM.xml [OPTION]...",
                       farm_summary,
                       {"generate farm --seed 1 -o farm.json --platform farm.xml",
                        "generate farm --seed 2 --jobs 5000 --machines 50 -o farm.json --platform farm.xml"},
                       origin)) {
        return std::nullopt;
    }
    const FarmModel model = model_of(options);
    require_other_file(options, "platform", "output");
    return FarmFiles{model, workload_format_option(options, WorkloadFormat::batsim4),
                     options.get<std::string>("output"), options.get<std::string>("platform")};
}

void print_farm(const Farm& farm, const FarmModel& model, const std::string& workload_name,
                const std::string& platform_name, std::ostream& out) {
    const std::vector<WorkloadJob>& jobs = farm.workload.jobs;
    const auto per_cent = [&](auto holds) {
        const auto count = static_cast<double>(std::count_if(jobs.begin(), jobs.end(), holds));
        return rounded(100 * count / static_cast<double>(jobs.size()), 1) + " %";
    };
    out << platform_name << ": " << model.machines << " machines with " << farm.workload.processors << " processors, "
        << model.licenses << " licences\n"
        << workload_name << ": " << jobs.size() << " jobs, submitted over "
        << jobs.back().description.submit.since_zero().to_shortest_string() << " s\n"
        << "offered load " << rounded(offered_load(farm.workload), 4) << ", jobs with a deadline "
        << per_cent([](const WorkloadJob& job) { return job.description.deadline.has_value(); }) << ", with licences "
        << per_cent([](const WorkloadJob& job) { return !job.description.licenses.empty(); }) << '\n';
}

int farm(const Arguments& arguments) {
    if (const std::optional<FarmFiles> options = parse_farm_options(arguments)) {
        print_farm(write_farm(*options), options->model, options->output, options->platform, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
