#include <algorithm>
#include <iostream>

#include "inputs.hpp"
#include "parsers.hpp"
#include "src/support/csv_text.hpp"

namespace batfill::commands {

namespace {

std::optional<double> load_in(const std::string& text) {
    const auto load = number_in<double>(text);
    return load && *load >= 0.001 && *load <= 10 ? load : std::nullopt;
}

}  // namespace

std::optional<LublinFile> parse_lublin_options(const Arguments& arguments, OptionsFrom origin) {
    using Jobs = LublinModel::Jobs;
    using Estimates = LublinModel::Estimates;
    LublinFile read;
    LublinModel& model = read.model;
    Decimal factor = Decimal::of(1);
    Options options;
    options.group("Workload");
    options.add("jobs", number(model.jobs, "N", 1, 10'000'000).required(), "number of jobs");
    options.add("processors", number(model.processors, "P", 1, 1'000'000'000).required(), "processors of the machine");
    options.add("seed", number(model.seed, "S").required(), "seed of the workload");
    options.add(
        "load", load(model.load, load_in),
        "scale the inter-arrival times to this offered load, a share of the machine in 0.001..10; by default they are the model's");
    options.add(
        "kind",
        word(model.kind, "WHICH",
             {{"batch", Jobs::batch},
              {"interactive", Jobs::interactive},
              {"both", Jobs::both},
              {"undivided", Jobs::undivided}})
            .otherwise("batch"),
        "batch, interactive, both (two streams, told apart by the queue) or undivided (parameters for logs that do not tell them apart)");
    options.add(
        "estimates",
        estimates(model.estimates, factor,
                  {{"modal", Estimates::modal}, {"exact", Estimates::exact}, {"factor:K", Estimates::factor}})
            .otherwise("modal"),
        "walltimes: modal (over-estimates rounded up to the values users choose), exact, or factor:K (K times the run time)");
    options.group("Output");
    add_output_option(options, read.output, "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("format", workload_format(read.format), workload_format_help);
    if (!options.parse(arguments, "batfill generate lublin --jobs N --processors P --seed S -o FILE [OPTION]...",
                       "Samples a workload from the model of Lublin and Feitelson (JPDC 2003).",
                       {"generate lublin --jobs 5000 --processors 128 --seed 1 -o lublin.json",
                        "generate lublin --jobs 5000 --processors 128 --load 0.9 --seed 1 -o lublin.json"},
                       origin)) {
        return std::nullopt;
    }
    model.estimate_factor = Duration::microseconds(factor.millionths()).to_seconds();
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
    out << one_line(name) << ": " << workload.jobs.size() << " jobs for " << workload.processors
        << " processors, submitted over " << rounded(days, 2) << " days\noffered load "
        << rounded(offered_load(workload), 4) << ", serial jobs " << per_cent([](unsigned size) { return size == 1; })
        << ", sizes that are powers of two " << per_cent([](unsigned size) { return (size & (size - 1)) == 0; })
        << '\n';
}

int lublin(const Arguments& arguments) {
    if (const std::optional<LublinFile> options = parse_lublin_options(arguments, OptionsFrom::command_line)) {
        print_lublin_workload(write_lublin(*options), options->output, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
