#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/time.hpp>
#include <batfill/workload.hpp>

namespace batfill::commands {

// Reads workloads and names them w0, w1, ... in the order given, as Batsim does. `keep_source` as for read_workload().
std::vector<Workload> read_workloads(const std::vector<std::string>& paths, bool keep_source = false);

// The length of time in the option `name`, in seconds. Throws UsageError if `text` is no number or below `least`.
Duration seconds_option(const std::string& name, const std::string& text, std::optional<Duration> least = {});

}  // namespace batfill::commands
