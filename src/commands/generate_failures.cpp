#include <iostream>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/commands/inputs.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/names.hpp"
#include "src/workloads/workload_options.hpp"

namespace batfill::commands {

namespace {

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

int failures(const Arguments& arguments) {
    FailureModel model;
    std::string platform;
    std::string output;
    Options options;
    add_failure_options(options, model, platform);
    options.group("Output");
    add_output_option(options, output, "the events, one JSON object per line, for simulate --events and Batsim's");
    if (!parse(
            options, arguments,
            {"batfill generate failures (--processors N | -p PLATFORM.xml) --until SECONDS --mtbf SECONDS --mttr SECONDS --seed S -o FILE [OPTION]...",
             "Samples when nodes of a machine fail and when they are repaired.",
             {"generate failures -p sdsc-sp2 --until 30d --mtbf 10d --mttr 1h --seed 1 -o events.json",
              "generate failures --processors 128 --group 8 --until 1d --mtbf 12h --mttr 15m --seed 1 -o events.json"}})) {
        return 0;
    }
    require_no_input("output", output, {platform});
    const std::vector<MachineEvent> events = generate_failures(model);
    write_events(events, output);
    print_failures(model, events, output, std::cout);
    return 0;
}

}  // namespace batfill::commands
