#pragma once

#include <string>

#include <batfill/engine/parameters.hpp>

namespace batfill::commands {

// What a user of batsched says of the scheduling, with batsched's defaults.
struct BatschedOptions {
    std::string variant = "filler";
    std::string queue_order = "fcfs";
    std::string selection_policy = "basic";
    std::string rjms_delay = "5";        // seconds that are added to every walltime
    std::string variant_options = "{}";  // a JSON object
};

// The algorithm and the parameters that stand for it, as docs/batsched.md has them. Logs a warning of variant options
// that are not followed. Throws UsageError for what batsched does not know, and for what has no equivalent.
SchedulerChoice batsched_choice(const BatschedOptions& options);

}  // namespace batfill::commands
