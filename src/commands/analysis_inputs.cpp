#include "analysis_inputs.hpp"

#include <optional>

#include <batfill/error.hpp>

namespace batfill::commands {

std::vector<Workload> read_workloads(const std::vector<std::string>& paths) {
    std::vector<Workload> workloads;
    workloads.reserve(paths.size());
    for (const std::string& path : paths) {
        workloads.push_back(read_workload(path, "w" + std::to_string(workloads.size())));
    }
    return workloads;
}

Duration seconds_option(const std::string& name, const std::string& text, Duration least) {
    const std::optional<Duration> value = Duration::parse(text);
    if (!value || *value < least) {
        throw UsageError(name + " is '" + text + "', expected a number of seconds, at least " + least.to_string());
    }
    return *value;
}

}  // namespace batfill::commands
