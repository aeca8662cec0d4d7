#pragma once

#include <string>
#include <vector>

#include <batfill/engine/scheduler_choice.hpp>

namespace batfill {

// A scheduler and its name in tables.
struct NamedScheduler {
    std::string name;
    SchedulerChoice choice;
};

// Reads a scheduler in one of two forms:
// - NAME[,KEY=VALUE]... A piece without '=' belongs to the value before it ("easy,order=mixed,weights=1,0,0,0,0,0").
//   The scheduler's name is the whole argument.
// - the path of a file, if the argument ends in .json. The file has {"algorithm": NAME, "params": {KEY: VALUE}}. The
//   scheduler's name is that of the file without folder and suffix.
// Throws:
// - InputError if the file does not exist or has another form
// - UsageError for unknown algorithms, parameters and values
NamedScheduler read_scheduler(const std::string& argument);

// Returns what -a (empty if not given) and the -P say. -a takes what read_scheduler() does. Of several
// values for one parameter of a -P the last counts. A -P may change a parameter of a file that -a names.
// Each -P is KEY=VALUE or, if it ends in .json and has no '=', the path of such a file. The file's parameters replace
// it, and the file's algorithm counts if -a names none.
// Throws:
// - InputError as read_scheduler()
// - UsageError if a file names another algorithm than -a or the files before it
// - UsageError if a parameter is both in -a, in the first form, and in a -P
WrittenScheduler read_choice(const std::string& algorithm, const std::vector<std::string>& parameters);

}  // namespace batfill
