#pragma once

#include <memory>
#include <string>

#include <batfill/engine/scheduler_choice.hpp>

namespace batfill {

// A scheduler as users write it. The algorithm may be left open, and nothing is checked yet.
struct WrittenScheduler {
    std::string algorithm;  // empty: left open
    Parameters::Given parameters;
    std::string problem = {};  // why a non-empty configuration chooses nothing; else empty
    // An algorithm that is not registered, with the common parameters, and with `algorithm` as its name. Null: the
    // registered one of this name.
    std::shared_ptr<const AlgorithmDescription> own = {};
};

// Reads a scheduler as users write it: NAME[,KEY=VALUE]... A piece without '=' belongs to the value before it:
// "easy,order=mixed,weights=1,0,0,0,0,0".
// Throws: UsageError for a piece without '=' behind the name.
WrittenScheduler parse_scheduler(const std::string& text);

// Adds parameters to those written with the algorithm. `where` says where the user wrote the new ones.
// Throws: UsageError for a parameter that is there already.
void add_parameters(WrittenScheduler& scheduler, const Parameters::Given& more, const std::string& where);

// The scheduler in Batsim's --sched-cfg, such as {"algorithm": "easy", "params": {"threshold": 200000}}. One of the two
// members is enough. "algorithm" is a scheduler as above. The values of "params" are strings, numbers, booleans or
// arrays of numbers. A text without both members is for other schedulers and chooses nothing.
// Throws: UsageError if
// - there is a third member, or one of the two has another type
// - a name or value does not fit into one line
// - a parameter comes twice
WrittenScheduler parse_scheduler_configuration(const std::string& configuration);

// The choice of what was written. Throws: UsageError and DecisionError as the constructors of SchedulerChoice, also if
// the algorithm is left open.
SchedulerChoice choice_of(const WrittenScheduler& written);

// The choice that both make: the configuration decides what the command line leaves open. Its parameters count only if
// the command line does not name another algorithm. `how` tells the user where to name an algorithm.
// Throws: UsageError if neither names one; as choice_of().
SchedulerChoice combine(const WrittenScheduler& command_line, const WrittenScheduler& configuration,
                        const std::string& how);

}  // namespace batfill
