#include "src/tuning/tune.hpp"

#include <algorithm>
#include <cstdio>

#include "src/commands/inputs.hpp"
#include "src/support/mapped.hpp"
#include "src/support/progress.hpp"
#include "src/support/text.hpp"

namespace batfill::commands {

namespace {

// `inputs` may be names that are no files.
// Requires: the request has a prefix.
void require_separate_files(const TuneRequest& request, const std::vector<std::string>& workloads,
                            const std::vector<std::string>& inputs) {
    const TuneFiles files(*request.prefix, request.sum, mapped(workloads, workload_name));
    std::vector<std::string> written = files.policies;
    written.insert(written.end(), {files.checkpoint, files.convergence, files.results});
    require_no_input("values", request.values_file, inputs);
    for (const std::string& path : written) {
        require_no_input("output", path, inputs);
        require_other_file("values", request.values_file, "output", path);
    }
}

}  // namespace

void tune(const Arguments& arguments) {
    TuneOptions read;
    TuneRequest& request = read.request;
    std::vector<std::string> workloads;
    std::string platform;
    MachineDetails machine;
    Options options;
    options.group("Input");
    options.add("platform,p", text(platform, platform_value).required(), platform_help);
    options.add(
        "workload,w", text(workloads, "FILE...").required().multitoken(),
        "workloads (Batsim's JSON, or logs .swf; also gzipped), each replayed on its own; all arguments up to the next option");
    add_machine_details(options, machine);
    add_tune_options(options, read);
    options.group("Scheduler");
    add_plugin_option(options, &request.plugins);
    options.group("Output");
    options.add("output,o", text(request.prefix, "PREFIX").required(), "prefix of the output files");
    options.add("values", text(request.values_file, "FILE"),
                "also write the value of all weights tried as csv, gzipped if it ends in .gz");
    options.group("Speed");
    add_threads_option(options, request.threads);
    parse(
        options, arguments,
        {"batfill tune -p PLATFORM.xml -w WORKLOAD.json... -o PREFIX [OPTION]...",
         "Searches for the weights of a mixed policy that minimise a metric of replays. Writes policy files for\n"
         "--sched-cfg (PREFIX_WORKLOAD.json, or PREFIX.json with --over sum), PREFIX_results.csv and PREFIX_convergence.csv.\n"
         "Repeat the command to resume a run that was killed.",
         {"tune -p sdsc-sp2 -w weeks/*.json -o weights",
          "tune -p 128 -w sp2.json -o weights --features 6 --evaluations 1000"}});
    require_writable_folder(*request.prefix);
    std::vector<std::string> read_too = read.parameters;
    read_too.insert(read_too.end(), workloads.begin(), workloads.end());
    read_too.push_back(platform);
    require_separate_files(request, workloads, read_too);
    TuneInputs inputs(platform, machine);
    std::ranges::for_each(inputs.platform().notes, note);
    std::ranges::for_each(workloads, [&](const std::string& path) { inputs.add_file(path, note); });
    const TuneOutcome outcome = batfill::tune(request, inputs, show_progress("replays"));
    std::printf("%zu workloads, %s: %zu replays, %zu of them done before, in %.1f s; wrote %s\n", workloads.size(),
                request.search.text().c_str(), outcome.replays, outcome.done_before, outcome.seconds,
                one_line(enumeration(outcome.written)).c_str());
}

}  // namespace batfill::commands
