#pragma once

#include <string>
#include <vector>

#include <batfill/engine/parameters.hpp>

namespace batfill::commands {

class Options;

// Adds --plugin, for every command that takes an algorithm.
void add_plugin_option(Options& options);

// Loads the plugins that --plugin names, before any algorithm is looked up. Throws InputError as load_plugin().
void load_plugins(const Options& options);

// A scheduler on the command line, and what it is called in tables.
struct NamedScheduler {
    std::string name;
    SchedulerChoice choice;
};

// Reads NAME[,KEY=VALUE]..., where a piece without '=' belongs to the value before it ("easy,order=mixed,
// weights=1,0,0,0,0,0"), and is called as it stands; or, if it ends in .json, the path of a file with {"algorithm":
// NAME, "params": {KEY: VALUE}}, which is called as the file without folder and suffix. Throws InputError if there is
// no such file or it is not like that, UsageError for unknown algorithms, parameters and values.
NamedScheduler read_scheduler(const std::string& argument);

// Throws UsageError if there is no such algorithm, parameter or value.
void require_usable(const SchedulerChoice& choice);

// What -a (empty if not given) and the -P say. -a takes what read_scheduler() does. Of several values for one parameter
// the last counts, and those of -P come after those of -a. Each -P is KEY=VALUE or, if it ends in .json and has no '=',
// the path of such a file: its parameters stand in its place, and its algorithm counts if -a names none. Throws
// InputError as read_scheduler(), UsageError if a file is of another algorithm than -a or the files before it.
SchedulerChoice read_choice(const std::string& algorithm, const std::vector<std::string>& parameters);

}  // namespace batfill::commands
