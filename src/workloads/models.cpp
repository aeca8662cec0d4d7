#include <algorithm>
#include <cassert>
#include <cmath>
#include <sstream>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

#include "src/support/files.hpp"
#include "src/support/json_writer.hpp"

// What the models share: the load of a workload, and how sampled workloads, farms and failures are written.
namespace batfill {

namespace {

constexpr const char* platform_comment =
    "  A farm that `batfill generate farm` has drawn. A host is one processor; its properties are the machine that it\n"
    "  belongs to, the machine's speed in operations per second, and the licences that can be activated on it. The zone's\n"
    "  property says how many copies of each licence there are. All hosts are at one place, so that messages take no\n"
    "  time. Names have zeros in front because Batsim numbers hosts in the lexicographic order of their names.";

// Submissions are whole seconds. If all fall within a few seconds, rounding may make the load unreachable.
void require_reached(double load, const Workload& workload) {
    constexpr double most_deviation = 0.001;
    const double reached = offered_load(workload);
    if (!(std::abs(reached / load - 1) <= most_deviation)) {
        std::ostringstream problem;
        problem << "a load of " << load << " cannot be reached: these jobs would be submitted within "
                << workload.jobs.back().description.submit.since_zero().to_shortest_string()
                << " s, and submissions are whole seconds, which gives " << reached
                << "; expected a lower load or more jobs";
        throw UsageError(problem.str());
    }
}

}  // namespace

double offered_load(const Workload& workload) {
    assert(workload.processors > 0);
    double work = 0;
    Time last;
    for (const WorkloadJob& job : workload.jobs) {
        const JobDescription& description = job.description;
        const Duration delay = workload.profiles.at(description.profile).delay;
        work += description.processors * std::min(delay, description.walltime.value_or(delay)).to_seconds();
        last = std::max(last, description.submit);
    }
    return work / (workload.processors * last.to_seconds());
}

Workload write_lublin(const LublinFile& file) {
    Workload workload = generate_lublin(file.model);
    workload.format = file.format;
    if (file.model.load) {
        require_reached(*file.model.load, workload);
    }
    write_workload(workload, file.output);
    return workload;
}

Farm write_farm(const FarmFiles& files) {
    Farm farm = generate_farm(files.model);
    farm.workload.format = files.format;
    OutputFile platform(files.platform);
    platform.write(platform_text(farm.platform, platform_comment));
    platform.close();
    write_workload(farm.workload, files.output);
    platform.commit();
    return farm;
}

void append_json(const MachineEvent& event, std::string& out) {
    JsonWriter json(out);
    json.open_object();
    json.key("type").text(event.available ? "machine_available" : "machine_unavailable");
    event.time.since_zero().append_shortest_to(json.key("timestamp").value());
    json.key("resources").text(event.processors.to_string());
    json.close_object();
    out += '\n';
}

void write_events(const std::vector<MachineEvent>& events, const std::string& path) {
    std::string text;
    for (const MachineEvent& event : events) {
        append_json(event, text);
    }
    write_file(path, text);
}

}  // namespace batfill
