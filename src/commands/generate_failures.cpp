#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <batfill/error.hpp>
#include <batfill/failures.hpp>
#include <batfill/platform.hpp>

#include "command.hpp"
#include "generate.hpp"
#include "inputs.hpp"
#include "platform_option.hpp"
#include "src/core/files.hpp"

namespace batfill::commands {

namespace po = boost::program_options;

namespace {

int positive(const po::variables_map& values, const char* name) {
    const int value = values[name].as<int>();
    if (value <= 0) {
        throw UsageError("--" + std::string(name) + ": expected a number from 1, found " + std::to_string(value));
    }
    return value;
}

// The number of processors, given or of a platform.
int processors_of(const po::variables_map& values) {
    const bool has_platform = values.count("platform") != 0;
    if (has_platform == (values.count("processors") != 0)) {
        throw UsageError("expected the machine, either as --processors or as --platform");
    }
    return has_platform ? static_cast<int>(platform_option(values).hosts.size()) : positive(values, "processors");
}

// The lengths of which `mean` is the option of the mean, `distribution` and `shape` those of how they are drawn.
FailureModel::Lengths lengths_of(const po::variables_map& values, const std::string& mean,
                                 const std::string& distribution, const std::string& shape) {
    FailureModel::Lengths lengths;
    lengths.mean = seconds_option("--" + mean, values[mean].as<std::string>(), Duration::seconds(1));
    const std::string name = values[distribution].as<std::string>();
    if (name == "weibull") {
        const double value = values.count(shape) == 0 ? 0.7 : values[shape].as<double>();
        if (!(value >= 0.1 && value <= 100)) {
            throw UsageError("--" + shape + ": expected a number in 0.1..100, found " + std::to_string(value));
        }
        lengths.weibull_shape = value;
    } else if (name != "exponential") {
        throw UsageError("--" + distribution + ": unknown value '" + name + "', known: exponential, weibull");
    } else if (values.count(shape) != 0) {
        throw UsageError("--" + shape + " needs --" + distribution + " weibull");
    }
    return lengths;
}

// Draws take memory for every failure.
void require_reasonable_size(const FailureModel& model) {
    constexpr double most = 1e7;
    const double cycle = model.time_to_failure.mean.to_seconds() + model.time_to_repair.mean.to_seconds();
    const double nodes = static_cast<double>(model.processors) / model.processors_per_node;
    if (nodes * model.until.to_seconds() / cycle > most) {
        throw UsageError(
            "some 10 million failures or more would be drawn: expected a shorter --until or a longer --mtbf");
    }
}

void print_summary(const FailureModel& model, const std::vector<MachineEvent>& events, const std::string& path) {
    Duration down;  // of all processors, up to `until`
    long long failures = 0;
    for (const MachineEvent& event : events) {
        const Duration rest = event.time < model.until ? model.until - event.time : Duration();
        const int processors = event.processors.size();
        down = event.available ? down - rest * processors : down + rest * processors;
        failures += event.available ? 0 : processors;
    }
    const double whole = (model.until - Time()).to_seconds() * model.processors;
    std::printf("%s: %lld processors fail in %zu events, %.2f %% of the machine is available until %s\n", path.c_str(),
                failures, events.size(), 100 * (1 - down.to_seconds() / whole),
                model.until.since_zero().to_shortest_string().c_str());
}

}  // namespace

int failures(const Arguments& arguments) {
    po::options_description options;
    auto add = options.add_options();
    add("output,o", po::value<std::string>()->required()->value_name("FILE"),
        "the events, one JSON object per line, for simulate --events and Batsim's");
    add("processors", po::value<int>()->value_name("N"), "processors of the machine; or");
    add("platform,p", po::value<std::string>()->value_name(platform_value), platform_help);
    add("master-host,m", po::value<std::string>()->default_value("master_host")->value_name("NAME"),
        "host of the platform that does not compute");
    add("until", po::value<std::string>()->required()->value_name("SECONDS"), "failures occur before this time");
    add("mtbf", po::value<std::string>()->required()->value_name("SECONDS"), "mean time that a node is up");
    add("mttr", po::value<std::string>()->required()->value_name("SECONDS"), "mean time that it is down");
    add("seed", po::value<std::uint64_t>()->required()->value_name("S"), "seed of all draws");
    add("group", po::value<int>()->default_value(1)->value_name("N"), "processors that fail together as a node");
    add("distribution", po::value<std::string>()->default_value("exponential")->value_name("NAME"),
        "of the times up: exponential, or weibull");
    add("shape", po::value<double>()->value_name("K"), "of weibull, 0.7 by default");
    add("repair-distribution", po::value<std::string>()->default_value("exponential")->value_name("NAME"),
        "of the times down, likewise");
    add("repair-shape", po::value<double>()->value_name("K"), "of weibull, likewise");
    po::variables_map values;
    if (!parse(arguments,
               "batfill generate failures (--processors N | -p PLATFORM.xml) --until SECONDS --mtbf SECONDS --mttr "
               "SECONDS --seed S -o FILE [OPTION]...",
               "Draws when nodes of a machine fail and when they are repaired.", options, {}, values)) {
        return 0;
    }
    FailureModel model;
    model.processors = processors_of(values);
    model.processors_per_node = positive(values, "group");
    model.time_to_failure = lengths_of(values, "mtbf", "distribution", "shape");
    model.time_to_repair = lengths_of(values, "mttr", "repair-distribution", "repair-shape");
    model.until = Time::at(seconds_option("--until", values["until"].as<std::string>(), Duration::seconds(1)));
    model.seed = values["seed"].as<std::uint64_t>();
    require_reasonable_size(model);

    const std::vector<MachineEvent> events = batfill::generate_failures(model);
    const std::string path = values["output"].as<std::string>();
    OutputFile file(path);
    std::string line;
    for (const MachineEvent& event : events) {
        line.clear();
        append_json(event, line);
        file.write(line);
    }
    file.commit();
    print_summary(model, events, path);
    return 0;
}

}  // namespace batfill::commands
