#pragma once

#include <string>

#include <batfill/engine/parameters.hpp>

namespace batfill {

// Which algorithm is to run, with which parameters.
struct SchedulerChoice {
    std::string algorithm;  // empty: none chosen
    Parameters::Given parameters;
    std::string problem = {};  // why a configuration that is not empty chooses nothing; else empty
};

// The choice that Batsim's --sched-cfg makes if `configuration` is a JSON object with the member "algorithm" (a string)
// or "params" (an object whose values are strings, numbers, booleans or arrays of numbers): {"algorithm": "easy",
// "params": {"threshold": 200000}}. Any other text is meant for other schedulers and chooses nothing. Throws UsageError
// if one of the two members has another type, or a name or value is not fit for one line.
SchedulerChoice parse_scheduler_configuration(const std::string& configuration);

// Combines two choices: what the command line leaves open, the configuration decides. Parameters of the configuration
// count only if the command line names no other algorithm. Throws UsageError if no algorithm is named; `how` says
// where the user names one.
SchedulerChoice combine(const SchedulerChoice& command_line, const SchedulerChoice& configuration,
                        const std::string& how);

}  // namespace batfill
