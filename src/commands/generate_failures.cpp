#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>

#include "inputs.hpp"
#include "parsers.hpp"
#include "src/support/csv_text.hpp"

namespace batfill::commands {

namespace {

// Adds the options of a distribution: --MEAN, --PREFIXdistribution and --PREFIXshape. `those` follows the help of the
// shape.
void add_lengths(Options& options, FailureModel::Lengths& lengths, const std::string& mean, const char* mean_help,
                 const std::string& prefix, const char* times, const char* those) {
    const std::string shape = prefix + "shape";
    const std::string distribution = prefix + "distribution";
    const auto is_weibull = std::make_shared<bool>();
    options.add(mean, length(lengths.mean, "SECONDS", Duration::seconds(1)).required(), mean_help);
    options.add(distribution,
                word(*is_weibull, "NAME", {{"exponential", false}, {"weibull", true}}).otherwise("exponential"),
                std::string("distribution of the ") + times + ": exponential or weibull");
    options.add(shape, number(lengths.weibull_shape, "K", 0.1, 100),
                std::string("shape of weibull") + those + " (default 0.7)");
    options.add_rule([&options, &lengths, shape, distribution, is_weibull] {
        if (*is_weibull && !options.given(shape)) {
            lengths.weibull_shape = 0.7;
        } else if (!*is_weibull && options.given(shape)) {
            throw UsageError("--" + shape + " needs --" + distribution + " weibull");
        }
    });
}

// Each failure takes memory.
void require_reasonable_size(const FailureModel& model) {
    constexpr double most = 1e7;
    const double cycle = model.time_to_failure.mean.to_seconds() + model.time_to_repair.mean.to_seconds();
    const double nodes = static_cast<double>(model.processors) / model.processors_per_node;
    refuse_if(nodes * model.until.to_seconds() / cycle > most,
              "some 10 million failures or more would be drawn: expected a shorter --until or a longer --mtbf");
}

void print_failures(const FailureModel& model, const std::vector<MachineEvent>& events, const std::string& path,
                    std::ostream& out) {
    Duration down;  // of all processors, up to `until`
    long long failures = 0;
    ResourceSet failing;
    for (const MachineEvent& event : events) {
        const Duration rest = event.time < model.until ? model.until - event.time : Duration();
        const int processors = event.processors.size();
        down = event.available ? down - rest * processors : down + rest * processors;
        failures += event.available ? 0 : processors;
        failing.insert(event.processors);
    }
    const double whole = (model.until - Time()).to_seconds() * model.processors;
    const int different = failing.size();
    out << one_line(path) << ": " << counted(static_cast<std::size_t>(different), "processor")
        << (different == 1 ? " fails" : " fail")
        << (failures > different ? ", " + std::to_string(failures) + " times in all," : "") << " in " << events.size()
        << " events, " << rounded(100 * (1 - down.to_seconds() / whole), 2) << " % of the machine is available until "
        << model.until.since_zero().to_shortest_string() << '\n';
}

}  // namespace

std::optional<FailureOptions> parse_failure_options(const Arguments& arguments, OptionsFrom origin) {
    FailureOptions read;
    FailureModel& model = read.model;
    std::string platform;
    std::string master_host;
    Options options;
    options.group("Machine");
    options.add("processors", number(model.processors, "N", 1), "processors of the machine; or");
    options.add("platform,p", text(platform, platform_value), platform_help);
    add_master_host_option(options, master_host);
    options.add("group", number(model.processors_per_node, "N", 1).otherwise("1"),
                "processors that fail together as a node");
    options.group("Failures");
    options.add("until", length(model.until, "SECONDS", Duration::seconds(1)).required(),
                "failures occur before this time");
    add_lengths(options, model.time_to_failure, "mtbf", "mean time that a node is up", "", "times up", "");
    add_lengths(options, model.time_to_repair, "mttr", "mean time that it is down", "repair-", "times down",
                " for the times down");
    options.add("seed", number(model.seed, "S").required(), "seed of the workload");
    options.group("Output");
    add_output_option(options, read.output, "the events, one JSON object per line, for simulate --events and Batsim's");
    if (!options.parse(
            arguments,
            "batfill generate failures (--processors N | -p PLATFORM.xml) --until SECONDS --mtbf SECONDS --mttr SECONDS --seed S -o FILE [OPTION]...",
            "Samples when nodes of a machine fail and when they are repaired.",
            {"generate failures -p sdsc-sp2 --until 30d --mtbf 10d --mttr 1h --seed 1 -o events.json",
             "generate failures --processors 128 --group 8 --until 1d --mtbf 12h --mttr 15m --seed 1 -o events.json"},
            origin)) {
        return std::nullopt;
    }
    refuse_if(options.given("platform") == options.given("processors"),
              "expected the machine, either as --processors or as --platform");
    if (options.given("platform")) {
        model.processors = static_cast<int>(named_platform(platform, master_host).hosts.size());
    }
    require_no_input("output", read.output, {platform});
    require_reasonable_size(model);
    return read;
}

int failures(const Arguments& arguments) {
    if (const std::optional<FailureOptions> options = parse_failure_options(arguments, OptionsFrom::command_line)) {
        const std::vector<MachineEvent> events = generate_failures(options->model);
        write_events(events, options->output);
        print_failures(options->model, events, options->output, std::cout);
    }
    return 0;
}

}  // namespace batfill::commands
