#include <algorithm>
#include <iostream>
#include <optional>

#include "inputs.hpp"
#include "parsers.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/numbers.hpp"

namespace batfill::commands {

namespace {

constexpr int million = 1'000'000;

Value range(FarmModel::Range& field, int least, int most) {
    const auto parse = [least, most](const std::string& text) {
        const std::size_t colon = std::min(text.find(':'), text.size());
        const auto low = number_in<int>(text.substr(0, colon));
        const auto high = colon == text.size() ? low : number_in<int>(text.substr(colon + 1));
        return low && high && least <= *low && *low <= *high && *high <= most
                   ? std::optional(FarmModel::Range{*low, *high})
                   : std::nullopt;
    };
    return value(field, "RANGE", parse,
                 "LOW:HIGH or one integer, in " + std::to_string(least) + ".." + std::to_string(most));
}

Value percent(int& field) {
    return number(field, "PERCENT", 0, 100);
}

void add_options_of_jobs(Options& options, FarmModel& model, bool& is_multiple) {
    options.group("Jobs");
    options.add("jobs", number(model.jobs, "N", 1, max_farm_jobs).otherwise("1000"), "number of jobs");
    options.add("seed", number(model.seed, "S").required(), "seed of the workload");
    options.add(
        "interarrival",
        length(model.interarrival, "SECONDS", Duration::microseconds(1), Duration::seconds(million)).otherwise("12"),
        "mean of the exponentially distributed inter-arrival times; other values move only submissions and deadlines");
    options.add("run-time", range(model.run_time, 1, million).otherwise("500:3000"),
                "run times in seconds, the same on every machine");
    options.add("job-processors", range(model.job_processors, 1, max_farm_processors).otherwise("1:8"),
                "processors that jobs require, of one machine");
    options.add("license-needs", percent(model.license_needs).otherwise("30"),
                "probability that a job needs a licence, for each licence");
    options.add(
        "estimates",
        estimates(is_multiple, model.estimate_factor, {{"exact", false}, {"factor:K", true}}).otherwise("exact"),
        "walltimes: exact, or factor:K (K times the run time)");
}

void add_options_of_machines(Options& options, FarmModel& model) {
    options.group("Machines");
    options.add("machines", number(model.machines, "N", 1, max_farm_processors).otherwise("100"), "number of machines");
    options.add("machine-processors", range(model.machine_processors, 1, max_farm_processors).otherwise("1:8"),
                "processors of machines");
    options.add(
        "speed", range(model.speed, 1, million).otherwise("1000:4000"),
        "speeds of machines in millions of operations per second; faster machines are used first (the paper does not say)");
    options.add("licenses", number(model.licenses, "N", 0, max_farm_licenses).otherwise("20"), "number of licences");
    options.add("license-ratio", range(model.license_ratio, 1, 100'000).otherwise("50:70"),
                "copies of a licence, per cent of the machines on which it can be activated, rounded; at least one");
    options.add("license-suitability", percent(model.license_suitability).otherwise("90"),
                "probability that a licence can be activated on a machine");
    options.add_rule([&model] {
        const int most = max_farm_processors / model.machines;
        refuse_if(model.machine_processors.high > most,
                  "--machine-processors: expected at most " + std::to_string(most) + " with --machines " +
                      std::to_string(model.machines) + ", found " + std::to_string(model.machine_processors.high));
    });
}

}  // namespace

std::optional<FarmFiles> parse_farm_options(const Arguments& arguments, OptionsFrom origin) {
    FarmFiles read;
    FarmModel& model = read.model;
    bool is_multiple = false;
    Options options;
    add_options_of_jobs(options, model, is_multiple);
    add_options_of_machines(options, model);
    options.group("Deadlines");
    options.add("without-deadline", percent(model.without_deadline).otherwise("30"),
                "probability that a job has no deadline");
    options.add("deadline-margin", range(model.deadline_margin, 0, million).otherwise("30:250"),
                "margins: deadline = submission + walltime + margin");
    using Unit = FarmModel::MarginUnit;
    options.add("margin-unit",
                word(model.margin_unit, "UNIT", {{"seconds", Unit::seconds}, {"percent", Unit::percent_of_walltime}})
                    .otherwise("seconds"),
                "of margins: seconds, or percent of the walltime");
    options.group("Output");
    add_output_option(options, read.output, "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("format", workload_format(read.format), workload_format_help);
    options.add("platform", text(read.platform, "FILE").required(),
                "the farm, SimGrid XML with a host for each processor");
    if (!options.parse(
            arguments, "batfill generate farm --seed S -o WORKLOAD.json --platform FARM.xml [OPTION]...",
            "Samples a farm of machines with floating licences, and jobs for it, as in section 7 of \"Backfilling Strategies for\n"
            "Scheduling Streams of Jobs on Computational Farms\" (CoreGRID 2007). The defaults are the paper's, except --speed. A\n"
            "RANGE is LOW:HIGH, where every integer is equally likely, or one integer.",
            {"generate farm --seed 1 -o farm.json --platform farm.xml",
             "generate farm --seed 2 --jobs 5000 --machines 50 -o farm.json --platform farm.xml"},
            origin)) {
        return std::nullopt;
    }
    require_other_file("platform", read.platform, "output", read.output);
    return read;
}

void print_farm(const Farm& farm, const FarmModel& model, const std::string& workload_name,
                const std::string& platform_name, std::ostream& out) {
    const std::vector<WorkloadJob>& jobs = farm.workload.jobs;
    const auto per_cent = [&](auto holds) {
        const auto count = static_cast<double>(std::count_if(jobs.begin(), jobs.end(), holds));
        return rounded(100 * count / static_cast<double>(jobs.size()), 1) + " %";
    };
    out << one_line(platform_name) << ": " << model.machines << " machines with " << farm.workload.processors
        << " processors, " << model.licenses << " licences\n"
        << one_line(workload_name) << ": " << jobs.size() << " jobs, submitted over "
        << jobs.back().description.submit.since_zero().to_shortest_string() << " s\n"
        << "offered load " << rounded(offered_load(farm.workload), 4) << ", jobs with a deadline "
        << per_cent([](const WorkloadJob& job) { return job.description.deadline.has_value(); }) << ", with licences "
        << per_cent([](const WorkloadJob& job) { return !job.description.licenses.empty(); }) << '\n';
}

int farm(const Arguments& arguments) {
    if (const std::optional<FarmFiles> options = parse_farm_options(arguments, OptionsFrom::command_line)) {
        print_farm(write_farm(*options), options->model, options->output, options->platform, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
