#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

#include <boost/math/special_functions/gamma.hpp>

#include <batfill/core/error.hpp>
#include <batfill/workloads/models.hpp>

#include "src/formats/workload_writer.hpp"
#include "src/support/files.hpp"
#include "src/support/json_writer.hpp"
#include "src/workloads/draws.hpp"

// The model of failures, and what the models share: the load of a workload, and how what they draw is written.
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

// Draws a duration in whole seconds.
Duration length(Draws& draws, const FailureModel::Lengths& lengths) {
    const double shape = lengths.weibull_shape;
    const double scale = lengths.mean.to_seconds() / boost::math::tgamma(1 + 1 / shape);
    const double seconds = scale * std::pow(draws.exponential(), 1 / shape);
    constexpr double longest = 1e15;
    return Duration::seconds(std::max(1LL, std::llround(std::min(seconds, longest))));
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

Workload write_shared_hosts(const SharedHostsFiles& files) {
    Workload workload = generate_shared_hosts(files.model);
    workload.format = files.format;
    std::optional<OutputFile> counted;
    if (files.counted) {
        counted.emplace(*files.counted);
        counted->write(text_of(counted_in_cores(workload, files.model.cores)));
        counted->close();
    }
    write_workload(workload, files.output);
    if (counted) {
        counted->commit();
    }
    return workload;
}

std::vector<MachineEvent> generate_failures(const FailureModel& model) {
    assert(model.processors > 0 && model.processors_per_node > 0);
    std::map<std::pair<Time, bool>, ResourceSet> events;  // by time; at the same time returns precede losses
    std::uint32_t node = 0;
    for (int first = 0; first < model.processors; ++node) {
        const int count = std::min(model.processors_per_node, model.processors - first);
        const ResourceSet processors = ResourceSet::range(first, first + count - 1);
        Draws draws(model.seed, node);
        for (Time failure = Time() + length(draws, model.time_to_failure); failure < model.until;) {
            const Time repair = failure + length(draws, model.time_to_repair);
            events[{failure, true}].insert(processors);
            events[{repair, false}].insert(processors);
            failure = repair + length(draws, model.time_to_failure);
        }
        first += count;
    }
    std::vector<MachineEvent> result;
    result.reserve(events.size());
    for (auto& [when, processors] : events) {
        result.push_back({when.first, !when.second, std::move(processors)});
    }
    return result;
}

std::vector<Window> generate_windows(const WindowCalendar& calendar) {
    assert(calendar.every > Duration());
    std::vector<Window> windows;
    for (Time from = calendar.first; from < calendar.until; from = from + calendar.every) {
        Window& window = windows.emplace_back(calendar.each);
        window.from = from;
        window.until = from + calendar.length;
        window.announced = calendar.announced ? std::max(Time(), from - *calendar.announced) : Time();
    }
    return windows;
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
