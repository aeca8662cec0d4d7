#include <algorithm>
#include <cstdio>

#include <batfill/error.hpp>
#include <batfill/lublin.hpp>

#include "estimates_option.hpp"
#include "generate.hpp"
#include "inputs.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

int in_range(const po::variables_map& values, const std::string& name, int max) {
    const int value = values[name].as<int>();
    if (value <= 0 || value > max) {
        throw UsageError("--" + name + ": expected a number in 1.." + std::to_string(max) + ", found " +
                         std::to_string(value));
    }
    return value;
}

LublinModel::Jobs kind_of(const std::string& text) {
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
    throw UsageError("--kind: unknown value '" + text + "', known: batch, interactive, both, undivided");
}

void read_estimates(const po::variables_map& values, LublinModel& model) {
    const EstimatesOption option = estimates_option(values, {"modal", "exact"});
    model.estimates = option.word == "modal"   ? LublinModel::Estimates::modal
                      : option.word == "exact" ? LublinModel::Estimates::exact
                                               : LublinModel::Estimates::factor;
    model.estimate_factor = Duration::microseconds(option.factor.millionths()).to_seconds();
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
    po::options_description options;
    auto add = options.add_options();
    add("output,o", po::value<std::string>()->required()->value_name("FILE"),
        "the workload, Batsim JSON, gzipped if it ends in .gz");
    add("format", po::value<std::string>()->value_name("FORMAT"), workload_format_help);
    add("jobs", po::value<int>()->required()->value_name("N"), "number of jobs");
    add("processors", po::value<int>()->required()->value_name("P"), "processors of the machine");
    add("seed", po::value<std::uint64_t>()->required()->value_name("S"), "seed of all draws");
    add("load", po::value<double>()->value_name("L"),
        "scale the inter-arrival times to this offered load; by default they are the model's");
    add("kind", po::value<std::string>()->default_value("batch")->value_name("WHICH"),
        "batch, interactive, both (two streams, told apart by the queue) or undivided (parameters for logs that do not "
        "tell them apart)");
    add("estimates", po::value<std::string>()->default_value("modal")->value_name("HOW"),
        "walltimes: modal (over-estimates rounded up to the values users choose), exact, or factor:K (K times the run "
        "time)");
    po::variables_map values;
    if (!parse(arguments, "batfill generate lublin --jobs N --processors P --seed S -o FILE [OPTION]...",
               "Draws a workload from the model of Lublin and Feitelson (JPDC 2003).", options, {}, values)) {
        return 0;
    }
    LublinModel model;
    model.kind = kind_of(values["kind"].as<std::string>());
    model.jobs = in_range(values, "jobs", 10'000'000);
    model.processors = in_range(values, "processors", 1'000'000'000);
    model.seed = values["seed"].as<std::uint64_t>();
    if (values.count("load") != 0) {
        model.load = values["load"].as<double>();
        if (!(*model.load >= 0.001 && *model.load <= 1000)) {
            throw UsageError("--load: expected a number in 0.001..1000, found " + std::to_string(*model.load));
        }
    }
    read_estimates(values, model);
    const WorkloadFormat format = workload_format_option(values, WorkloadFormat::batsim4);

    Workload workload = generate_lublin(model);
    workload.format = format;
    const std::string path = values["output"].as<std::string>();
    write_workload(workload, path);
    print_summary(workload, path);
    return 0;
}

}  // namespace batfill::commands
