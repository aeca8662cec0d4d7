#pragma once

#include "src/support/command_line.hpp"

namespace batfill::commands {

// A command ends here with this status, and has printed what there is to say.
struct Ended {
    int status;
};

// One subcommand of `batfill`. `run` gets the arguments after the subcommand's name.
// Throws: `run` may throw Ended, InputError (status 1) and UsageError (status 2), which main() prints as one line.
struct Command {
    const char* summary;  // one line for `batfill --help`
    void (*run)(const Arguments&);
    bool ends_itself = false;  // on a signal; these end the other commands, which leave no temporary file
};

void serve(const Arguments&);
void batsched(const Arguments&);
void simulate(const Arguments&);
void swf(const Arguments&);
void import(const Arguments&);
void generate(const Arguments&);
void platform(const Arguments&);
void deadlines(const Arguments&);
void metrics(const Arguments&);
void report(const Arguments&);
void plot(const Arguments&);
void check(const Arguments&);
void compare(const Arguments&);
void intervals(const Arguments&);
void tune(const Arguments&);
void campaign(const Arguments&);
void algorithms(const Arguments&);

}  // namespace batfill::commands
