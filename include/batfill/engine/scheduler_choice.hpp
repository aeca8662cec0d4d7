#pragma once

#include <string>

#include <batfill/engine/parameters.hpp>

namespace batfill {

// Which algorithm to run, with which parameters.
struct SchedulerChoice {
    std::string algorithm;  // empty: none chosen
    Parameters::Given parameters;
    std::string problem = {};  // why a non-empty configuration chooses nothing; else empty
};

// The choice in Batsim's --sched-cfg. `configuration` makes one if it is a JSON object with the member "algorithm" (a
// string) or "params" (an object with values that are strings, numbers, booleans or arrays of numbers): {"algorithm":
// "easy", "params": {"threshold": 200000}}. Any other text is for other schedulers and chooses nothing.
// Throws: UsageError if one of the two members has another type, or if a name or value does not fit into one line.
SchedulerChoice parse_scheduler_configuration(const std::string& configuration);

// Combines two choices: the configuration decides what the command line leaves open. Its parameters count only if the
// command line does not name another algorithm. `how` tells the user where to name an algorithm.
// Throws: UsageError if neither names one.
SchedulerChoice combine(const SchedulerChoice& command_line, const SchedulerChoice& configuration,
                        const std::string& how);

}  // namespace batfill
