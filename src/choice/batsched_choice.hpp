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

// What batsched decides otherwise than batfill, where this shows: under Batsim, jobs of one instant come by id.
struct BatschedRules {
    // Jobs that the queue order holds equal go by their ids as text; else in the order of arrival.
    bool orders_ties_by_id = false;
    // Plans and reservations hold particular processors, the lowest ones; else a number of them.
    bool reserves_hosts = false;
};

// Throws: UsageError, as above.
BatschedRules batsched_rules(const BatschedOptions& options);

}  // namespace batfill
