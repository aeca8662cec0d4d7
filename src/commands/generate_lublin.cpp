#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <sstream>

#include <batfill/core/error.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/workloads/lublin.hpp>

#include "estimates_option.hpp"
#include "generate.hpp"
#include "inputs.hpp"
#include "options.hpp"

namespace batfill::commands {

namespace {

int in_range(const Options& options, const std::string& name, int max) {
    const int value = options.get<int>(name);
    if (value <= 0 || value > max) {
        throw UsageError("--" + name + ": expected a number in 1.." + std::to_string(max) + ", found " +
                         std::to_string(value));
    }
    return value;
}

LublinModel::Jobs jobs_of_kind(const std::string& text) {
    if (text == "batch") {
        return LublinModel::Jobs::batch;
    }
    if (text == "interactive") {
        return LublinModel::Jobs::interactive;
    }
    if (text == "both") {
        return LublinModel::Jobs::both;
    }
    if (text == "undivided") {
        return LublinModel::Jobs::undivided;
    }
    throw UsageError("--kind: " + unknown_name("value", text, {"batch", "interactive", "both", "undivided"}));
}

void read_estimates(const Options& options, LublinModel& model) {
    const EstimatesOption option = estimates_option(options, {"modal", "exact"});
    model.estimates = option.word == "modal"   ? LublinModel::Estimates::modal
                      : option.word == "exact" ? LublinModel::Estimates::exact
                                               : LublinModel::Estimates::factor;
    model.estimate_factor = Duration::microseconds(option.factor.millionths()).to_seconds();
}

// Submissions are whole seconds. Where the jobs are submitted within a few, no time of the last one gives the load.
void require_reached(double load, const Workload& workload) {
    constexpr double most_deviation = 0.001;
    const double reached = offered_load(workload);
    if (!(std::abs(reached / load - 1) <= most_deviation)) {
        std::ostringstream problem;
        problem << "--load " << load << " cannot be reached: these jobs would be submitted within "
                << workload.jobs.back().description.submit.since_zero().to_shortest_string()
                << " s, and submissions are whole seconds, which gives " << reached
                << "; expected a lower load or more --jobs";
        throw UsageError(problem.str());
    }
}

void print_summary(const Workload& workload, const std::string& path) {
    const auto count = [&](auto holds) {
        return static_cast<double>(std::count_if(workload.jobs.begin(), workload.jobs.end(), holds)) /
               static_cast<double>(workload.jobs.size());
    };
    const auto size = [](const WorkloadJob& job) { return static_cast<unsigned>(job.description.processors); };
    const double serial = count([&](const WorkloadJob& job) { return size(job) == 1; });
    const double power = count([&](const WorkloadJob& job) { return (size(job) & (size(job) - 1)) == 0; });
    std::printf("%s: %zu jobs for %d processors, submitted over %.2f days\n", path.c_str(), workload.jobs.size(),
                workload.processors,
                workload.jobs.back().description.submit.to_seconds() / Duration::days(1).to_seconds());
    std::printf("offered load %.4f, serial jobs %.1f %%, sizes that are powers of two %.1f %%\n",
                offered_load(workload), 100 * serial, 100 * power);
}

}  // namespace

int lublin(const Arguments& arguments) {
    Options options;
    options.add("output,o", Value<std::string>("FILE").required(),
                "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("format", Value<std::string>("FORMAT"), workload_format_help);
    options.add("jobs", Value<int>("N").required(), "number of jobs");
    options.add("processors", Value<int>("P").required(), "processors of the machine");
    options.add("seed", Value<std::uint64_t>("S").required(), "seed of all draws");
    options.add(
        "load", Value<double>("L"),
        "scale the inter-arrival times to this offered load, a share of the machine in 0.001..10; by default they are "
        "the model's");
    options.add(
        "kind", Value<std::string>("WHICH").otherwise("batch"),
        "batch, interactive, both (two streams, told apart by the queue) or undivided (parameters for logs that do not "
        "tell them apart)");
    options.add(
        "estimates", Value<std::string>("HOW").otherwise("modal"),
        "walltimes: modal (over-estimates rounded up to the values users choose), exact, or factor:K (K times the run "
        "time)");
    if (!options.parse(arguments, "batfill generate lublin --jobs N --processors P --seed S -o FILE [OPTION]...",
                       "Draws a workload from the model of Lublin and Feitelson (JPDC 2003).")) {
        return 0;
    }
    LublinModel model;
    model.kind = jobs_of_kind(options.get<std::string>("kind"));
    model.jobs = in_range(options, "jobs", 10'000'000);
    model.processors = in_range(options, "processors", 1'000'000'000);
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
    const WorkloadFormat format = workload_format_option(options, WorkloadFormat::batsim4);

    Workload workload = generate_lublin(model);
    workload.format = format;
    if (model.load) {
        require_reached(*model.load, workload);
    }
    const auto path = options.get<std::string>("output");
    write_workload(workload, path);
    print_summary(workload, path);
    return 0;
}

}  // namespace batfill::commands
