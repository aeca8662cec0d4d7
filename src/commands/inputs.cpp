#include "inputs.hpp"

#include <batfill/error.hpp>

namespace batfill::commands {

std::vector<Workload> read_workloads(const std::vector<std::string>& paths, bool keep_source) {
    std::vector<Workload> workloads;
    workloads.reserve(paths.size());
    for (const std::string& path : paths) {
        workloads.push_back(read_workload(path, "w" + std::to_string(workloads.size()), keep_source));
    }
    return workloads;
}

Duration seconds_option(const std::string& name, const std::string& text, std::optional<Duration> least) {
    const std::optional<Duration> value = Duration::parse(text);
    if (!value || (least && *value < *least)) {
        throw UsageError(name + ": expected a number of seconds" + (least ? " from " + least->to_string() : "") +
                         ", found '" + text + "'");
    }
    return *value;
}

}  // namespace batfill::commands
