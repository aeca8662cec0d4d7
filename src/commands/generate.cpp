#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>

#include "src/commands/inputs.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/text.hpp"
#include "src/workloads/summaries.hpp"
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

void failures(const Arguments& arguments) {
    FailureModel model;
    std::string platform;
    std::string output;
    Options options;
    add_failing_machine(options, model, platform);
    add_failure_options(options, model);
    options.group("Output");
    add_output_option(options, output, "the events, one JSON object per line, for simulate --events and Batsim's");
    parse(
        options, arguments,
        {"batfill generate failures (--processors N | -p PLATFORM.xml) --until SECONDS --mtbf SECONDS --mttr SECONDS --seed S -o FILE [OPTION]...",
         "Samples when nodes of a machine fail and when they are repaired.",
         {"generate failures -p sdsc-sp2 --until 30d --mtbf 10d --mttr 1h --seed 1 -o events.json",
          "generate failures --processors 128 --group 8 --until 1d --mtbf 12h --mttr 15m --seed 1 -o events.json"}});
    require_no_input("output", output, {platform});
    const std::vector<MachineEvent> events = generate_failures(model);
    write_events(events, output);
    print_failures(model, events, output, std::cout);
}

void farm(const Arguments& arguments) {
    FarmFiles files;
    Options options;
    add_farm_options(options, files);
    add_output_option(options, files.output, "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("platform", text(files.platform, "FILE").required(),
                "the farm, SimGrid XML with a host for each processor");
    parse(
        options, arguments,
        {"batfill generate farm --seed S -o WORKLOAD.json --platform FARM.xml [OPTION]...",
         "Samples a farm of machines with floating licences, and jobs for it, as in section 7 of \"Backfilling Strategies for\n"
         "Scheduling Streams of Jobs on Computational Farms\" (CoreGRID 2007). The defaults are the paper's, except --speed. A\n"
         "RANGE is LOW:HIGH, where every integer is equally likely, or one integer.",
         {"generate farm --seed 1 -o farm.json --platform farm.xml",
          "generate farm --seed 2 --jobs 5000 --machines 50 -o farm.json --platform farm.xml"}});
    require_other_file("platform", files.platform, "output", files.output);
    print_farm(write_farm(files), files.model, files.output, files.platform, std::cout);
}

void lublin(const Arguments& arguments) {
    LublinFile file;
    Options options;
    add_lublin_options(options, file);
    add_output_option(options, file.output, "the workload, Batsim JSON, gzipped if it ends in .gz");
    parse(options, arguments,
          {"batfill generate lublin --jobs N --processors P --seed S -o FILE [OPTION]...",
           "Samples a workload from the model of Lublin and Feitelson (JPDC 2003).",
           {"generate lublin --jobs 5000 --processors 128 --seed 1 -o lublin.json",
            "generate lublin --jobs 5000 --processors 128 --load 0.9 --seed 1 -o lublin.json"}});
    print_lublin_workload(write_lublin(file), file.output, std::cout);
}

void shared(const Arguments& arguments) {
    SharedHostsFiles files;
    Options options;
    add_shared_hosts_options(options, files);
    add_output_option(options, files.output, "the workload, Batsim JSON, gzipped if it ends in .gz");
    options.add("counted", text(files.counted, "FILE"),
                "also the same jobs for a machine of equal processors, of which each takes as many as cores");
    parse(
        options, arguments,
        {"batfill generate shared --jobs N --seed S -o FILE [OPTION]...",
         "Samples jobs for hosts that they share: cores, GPUs and memory of each host, or whole hosts. The shares are round\n"
         "numbers as of PM100 (SC-W 2023) in kind. Prints the options of the machine.",
         {"generate shared --jobs 20000 --seed 1 -o shared.json",
          "generate shared --jobs 20000 --seed 1 --gpu-jobs 60 -o shared.json --counted cores.json"}});
    if (files.counted) {
        require_other_file("counted", *files.counted, "output", files.output);
    }
    print_shared_hosts(write_shared_hosts(files), files.model, files.output, std::cout);
}

void windows(const Arguments& arguments) {
    WindowCalendar calendar;
    std::string output;
    Options options;
    add_window_options(options, calendar);
    options.group("Output");
    add_output_option(options, output, "the windows, one JSON object per line, for --windows");
    parse(
        options, arguments,
        {"batfill generate windows --every SECONDS --length SECONDS --until SECONDS (--hosts WHICH | --processors N | --pool NAME=TOTAL...) -o FILE [OPTION]...",
         "Writes a calendar of windows that recur, such as maintenance and reservations.",
         {"generate windows --every 30d --length 8h --announced 7d --hosts all --until 365d -o maintenance.json",
          "generate windows --every 7d --length 4h --hosts 0-15 --for course --until 90d -o course.json"}});
    const std::vector<Window> made = generate_windows(calendar);
    write_windows(made, output);
    std::cout << one_line(output) << ": " << counted(made.size(), "window") << ", the first begins at "
              << made.front().from.since_zero().to_shortest_string() << ", the last at "
              << made.back().from.since_zero().to_shortest_string() << '\n';
}

const options::Words<Command> models = {
    {"failures", {"no workload, but when the nodes of a machine fail and are repaired", failures}},
    {"farm", {"the random farms with licences of the paper on computational farms (CoreGRID 2007)", farm}},
    {"lublin", {"the model of Lublin and Feitelson (JPDC 2003)", lublin}},
    {"shared", {"jobs with cores, GPUs and memory of hosts that they share", shared}},
    {"windows", {"no workload, but announced maintenance or reservations of a machine", windows}},
};

void print_help() {
    std::printf(
        "Usage: batfill generate MODEL [OPTION]...\n  or:  batfill generate MODEL --help\n\n"
        "Writes a synthetic workload, the same for the same seed.\n\nModels:\n");
    for (const auto& [name, model] : models) {
        std::printf("  %-11s %s\n", name.c_str(), model.summary);
    }
}

}  // namespace

void generate(const Arguments& arguments) {
    refuse_if(arguments.empty(), "expected a model, known models: ", list_of(options::names_of(models)),
              " (usage: batfill generate MODEL [OPTION]...)");
    const std::string& name = arguments.front();
    if (name == "--help" || name == "-h" || name == "--help=json") {
        print_help();
        return;
    }
    return options::meaning_of(name, models, "model").run({arguments.begin() + 1, arguments.end()});
}

}  // namespace batfill::commands
