#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/check_schedule.hpp>

#include "src/formats/named_platform.hpp"
#include "src/workloads/named_workload.hpp"

namespace batfill::runs {

// A schedule to audit, and the files of its run.
struct CheckRequest {
    CheckOptions options;
    std::string schedule;                // path or prefix
    std::vector<std::string> workloads;  // paths
    std::string platform;                // as named_platform() takes it
    MachineDetails machine;
    std::optional<std::string> guarantees;         // path
    std::optional<std::string> broken_guarantees;  // path
    std::vector<std::string> events;               // paths
    bool unknown_events_allowed = false;
};

// Reads the files and audits the schedule; reads the latter job by job.
// Requires: `guarantees` if there is `broken_guarantees`.
// Throws: UsageError and InputError as named_platform(); InputError as for_each_job() and check_schedule(), and for
// other files that cannot be read.
CheckReport check_files(const CheckRequest& request, const Note& note);

}  // namespace batfill::runs
