#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "generate.hpp"
#include "inputs.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/durations.hpp"

namespace batfill::commands {

namespace {

int positive(const Options& options, const char* name) {
    const int value = options.get<int>(name);
    if (value <= 0) {
        throw UsageError("--" + std::string(name) + ": expected a number from 1, found " + std::to_string(value));
    }
    return value;
}

// The number of processors, from --processors or from the platform.
int processors_of(const Options& options) {
    const bool has_platform = options.given("platform");
    if (has_platform == options.given("processors")) {
        throw UsageError("expected the machine, either as --processors or as --platform");
    }
    return has_platform ? static_cast<int>(platform_option(options).hosts.size()) : positive(options, "processors");
}

// Reads a distribution of lengths from the options with these names.
FailureModel::Lengths lengths_of(const Options& options, const std::string& mean, const std::string& distribution,
                                 const std::string& shape) {
    FailureModel::Lengths lengths;
    lengths.mean = seconds_of("--" + mean, options.get<std::string>(mean), Duration::seconds(1));
    if (word_option(options, distribution, {"exponential", "weibull"}) == "weibull") {
        const double value = options.given(shape) ? options.get<double>(shape) : 0.7;
        if (!(value >= 0.1 && value <= 100)) {
            throw UsageError("--" + shape + ": expected a number in 0.1..100, found " + std::to_string(value));
        }
        lengths.weibull_shape = value;
    } else if (options.given(shape)) {
        throw UsageError("--" + shape + " needs --" + distribution + " weibull");
    }
    return lengths;
}

// Each failure takes memory.
void require_reasonable_size(const FailureModel& model) {
    constexpr double most = 1e7;
    const double cycle = model.time_to_failure.mean.to_seconds() + model.time_to_repair.mean.to_seconds();
    const double nodes = static_cast<double>(model.processors) / model.processors_per_node;
    if (nodes * model.until.to_seconds() / cycle > most) {
        throw UsageError(
            "some 10 million failures or more would be drawn: expected a shorter --until or a longer --mtbf");
    }
}

void print_failures(const FailureModel& model, const std::vector<MachineEvent>& events, const std::string& path,
                    std::ostream& out) {
    Duration down;  // of all processors, up to `until`
    long long failures = 0;
    for (const MachineEvent& event : events) {
        const Duration rest = event.time < model.until ? model.until - event.time : Duration();
        const int processors = event.processors.size();
        down = event.available ? down - rest * processors : down + rest * processors;
        failures += event.available ? 0 : processors;
    }
    const double whole = (model.until - Time()).to_seconds() * model.processors;
    out << path << ": " << failures << " processors fail in " << events.size() << " events, "
        << rounded(100 * (1 - down.to_seconds() / whole), 2) << " % of the machine is available until "
        << model.until.since_zero().to_shortest_string() << '\n';
}

}  // namespace

std::optional<FailureOptions> parse_failure_options(const Arguments& arguments, OptionsFrom origin) {
    Options options;
    options.group("Machine");
    options.add("processors", Value<int>("N"), "processors of the machine; or");
    options.add("platform,p", Value<std::string>(platform_value), platform_help);
    add_master_host_option(options);
    options.add("group", Value<int>("N").otherwise(1), "processors that fail together as a node");
    options.group("Failures");
    options.add("until", Value<std::string>("SECONDS").required(), "failures occur before this time");
    options.add("mtbf", Value<std::string>("SECONDS").required(), "mean time that a node is up");
    options.add("distribution", Value<std::string>("NAME").otherwise("exponential"),
                "distribution of the times up: exponential or weibull");
    options.add("shape", Value<double>("K"), "shape of weibull (default 0.7)");
    options.add("mttr", Value<std::string>("SECONDS").required(), "mean time that it is down");
    options.add("repair-distribution", Value<std::string>("NAME").otherwise("exponential"),
                "distribution of the times down: exponential or weibull");
    options.add("repair-shape", Value<double>("K"), "shape of weibull for the times down (default 0.7)");
    options.add("seed", Value<std::uint64_t>("S").required(), "seed of the workload");
    options.group("Output");
    options.add("output,o", Value<std::string>("FILE").required(),
                "the events, one JSON object per line, for simulate --events and Batsim's");
    if (!options.parse(
            arguments,
            "batfill generate failures (--processors N | -p PLATFORM.xml) --until SECONDS --mtbf SECONDS --mttr SECONDS --seed S -o FILE [OPTION]...",
            "Samples when nodes of a machine fail and when they are repaired.",
            {"generate failures -p sdsc-sp2 --until 30d --mtbf 10d --mttr 1h --seed 1 -o events.json",
             "generate failures --processors 128 --group 8 --until 1d --mtbf 12h --mttr 15m --seed 1 -o events.json"},
            origin)) {
        return std::nullopt;
    }
    FailureOptions read;
    FailureModel& model = read.model;
    model.processors = processors_of(options);
    model.processors_per_node = positive(options, "group");
    model.time_to_failure = lengths_of(options, "mtbf", "distribution", "shape");
    model.time_to_repair = lengths_of(options, "mttr", "repair-distribution", "repair-shape");
    model.until = Time::at(seconds_of("--until", options.get<std::string>("until"), Duration::seconds(1)));
    model.seed = options.get<std::uint64_t>("seed");
    require_reasonable_size(model);
    read.output = options.get<std::string>("output");
    return read;
}

int failures(const Arguments& arguments) {
    if (const std::optional<FailureOptions> options = parse_failure_options(arguments)) {
        const std::vector<MachineEvent> events = generate_failures(options->model);
        write_events(events, options->output);
        print_failures(options->model, events, options->output, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
