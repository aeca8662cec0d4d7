#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>

#include <batfill/core/error.hpp>

#include "generate.hpp"
#include "inputs.hpp"
#include "src/support/csv_text.hpp"

namespace batfill::commands {

namespace {

void read_estimates(const Options& options, LublinModel& model) {
    const EstimatesOption option = estimates_option(options, {"modal", "exact"});
    model.estimates = option.word == "modal"   ? LublinModel::Estimates::modal
                      : option.word == "exact" ? LublinModel::Estimates::exact
                                               : LublinModel::Estimates::factor;
    model.estimate_factor = Duration::microseconds(option.factor.millionths()).to_seconds();
}

}  // namespace

std::optional<LublinFile> parse_lublin_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    options.group("Workload");
    options.add("jobs", Value<int>("N").required(), "number of jobs");
    options.add("processors", Value<int>("P").required(), "processors of the machine");
    options.add("seed", Value<std::uint64_t>("S").required(), "seed of the workload");
    options.add(
        "load", Value<double>("L"),
        "scale the inter-arrival times to this offered load, a share of the machine in 0.001..10; by default they are the model's");
    options.add(
        "kind", Value<std::string>("WHICH").otherwise("batch"),
        "batch, interactive, both (two streams, told apart by the queue) or undivided (parameters for logs that do not tell them apart)");
    options.add(
        "estimates", Value<std::string>("HOW").otherwise("modal"),
        "walltimes: modal (over-estimates rounded up to the values users choose), exact, or factor:K (K times the run time)");
    options.group("Output");
    options.add("output,o", Value<std::string>("FILE").required(),
                "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("format", Value<std::string>("FORMAT"), workload_format_help);
    if (!options.parse(arguments, "batfill generate lublin --jobs N --processors P --seed S -o FILE [OPTION]...",
                       "Samples a workload from the model of Lublin and Feitelson (JPDC 2003).",
                       {"generate lublin --jobs 5000 --processors 128 --seed 1 -o lublin.json",
                        "generate lublin --jobs 5000 --processors 128 --load 0.9 --seed 1 -o lublin.json"},
                       origin)) {
        return std::nullopt;
    }
    using Jobs = LublinModel::Jobs;
    const std::map<std::string, Jobs> kinds = {{"batch", Jobs::batch},
                                               {"interactive", Jobs::interactive},
                                               {"both", Jobs::both},
                                               {"undivided", Jobs::undivided}};
    LublinFile read;
    LublinModel& model = read.model;
    model.kind = kinds.at(word_option(options, "kind", {"batch", "interactive", "both", "undivided"}));
    model.jobs = integer_option(options, "jobs", 1, 10'000'000);
    model.processors = integer_option(options, "processors", 1, 1'000'000'000);
    model.seed = options.get<std::uint64_t>("seed");
    if (options.given("load")) {
        model.load = options.get<double>("load");
        if (!(*model.load >= 0.001 && *model.load <= 10)) {
            std::ostringstream problem;
            problem << "--load: expected a share of the machine in 0.001..10 (0.9 is 90 %), found " << *model.load;
            throw UsageError(problem.str());
        }
    }
    read_estimates(options, model);
    read.format = workload_format_option(options, WorkloadFormat::batsim4);
    read.output = options.get<std::string>("output");
    return read;
}

void print_lublin_workload(const Workload& workload, const std::string& name, std::ostream& out) {
    const auto per_cent = [&](auto holds) {
        const auto count = std::count_if(workload.jobs.begin(), workload.jobs.end(), [&](const WorkloadJob& job) {
            return holds(static_cast<unsigned>(job.description.processors));
        });
        return rounded(100 * (static_cast<double>(count) / static_cast<double>(workload.jobs.size())), 1) + " %";
    };
    const double days = workload.jobs.back().description.submit.to_seconds() / Duration::days(1).to_seconds();
    out << name << ": " << workload.jobs.size() << " jobs for " << workload.processors << " processors, submitted over "
        << rounded(days, 2) << " days\noffered load " << rounded(offered_load(workload), 4) << ", serial jobs "
        << per_cent([](unsigned size) { return size == 1; }) << ", sizes that are powers of two "
        << per_cent([](unsigned size) { return (size & (size - 1)) == 0; }) << '\n';
}

int lublin(const Arguments& arguments) {
    if (const std::optional<LublinFile> options = parse_lublin_options(arguments)) {
        print_lublin_workload(write_lublin(*options), options->output, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
