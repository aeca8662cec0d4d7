#pragma once

#include <string>
#include <vector>

#include <batfill/time.hpp>
#include <batfill/workload.hpp>

namespace batfill::commands {

// Reads workloads and names them w0, w1, ... in the order given, as Batsim does.
std::vector<Workload> read_workloads(const std::vector<std::string>& paths);

// The length of time in the option `name`, in seconds. Throws UsageError if `text` is no number or below `least`.
Duration seconds_option(const std::string& name, const std::string& text, Duration least);

}  // namespace batfill::commands
