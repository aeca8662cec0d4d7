#pragma once

#include <string>

#include <batfill/choice/written_scheduler.hpp>

namespace batfill {

// The scheduling options of batsched, with batsched's defaults.
struct BatschedOptions {
    std::string variant = "filler";
    std::string queue_order = "fcfs";
    std::string selection_policy = "basic";
    std::string rjms_delay = "5";        // seconds added to every walltime
    std::string variant_options = "{}";  // a JSON object
};

// Returns the equivalent algorithm and parameters, as docs/serve.md lists them. Logs a warning of variant options
// that it does not follow.
// Throws: UsageError for what batsched does not know, and for what has no equivalent.
WrittenScheduler batsched_choice(const BatschedOptions& options);

// Whether batsched sorts the queue of a variant, so that ids as text decide ties. Other variants keep the order of
// arrival.
// Throws: UsageError, as above.
bool batsched_sorts_queue(const std::string& variant);

}  // namespace batfill
