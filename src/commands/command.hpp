#pragma once

#include "src/support/command_line.hpp"

namespace batfill::commands {

// One subcommand of `batfill`. `run` gets the arguments after the subcommand's name and returns the exit status.
// Throws: `run` may throw InputError (status 1) and UsageError (status 2), which main() prints as one line.
struct Command {
    const char* summary;  // one line for `batfill --help`
    int (*run)(const Arguments&);
    bool ends_itself = false;  // on a signal; these end the other commands, which leave no temporary file
};

int serve(const Arguments&);
int batsched(const Arguments&);
int simulate(const Arguments&);
int swf(const Arguments&);
int import(const Arguments&);
int generate(const Arguments&);
int platform(const Arguments&);
int deadlines(const Arguments&);
int metrics(const Arguments&);
int report(const Arguments&);
int plot(const Arguments&);
int check(const Arguments&);
int compare(const Arguments&);
int intervals(const Arguments&);
int tune(const Arguments&);
int campaign(const Arguments&);
int algorithms(const Arguments&);

}  // namespace batfill::commands
