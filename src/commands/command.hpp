#pragma once

#include <string>
#include <vector>

#include <boost/program_options.hpp>

namespace batfill::commands {

using Arguments = std::vector<std::string>;

// One subcommand of `batfill`. `run` gets the arguments after the subcommand's name and returns the exit status;
// it may throw InputError (status 1) and UsageError (status 2), which main() prints as one line.
struct Command {
    const char* name;
    const char* summary;  // one line for `batfill --help`
    int (*run)(const Arguments&);
    bool ends_itself = false;  // when SIGINT or SIGTERM comes; others are ended by it, and leave no temporary file
};

int serve(const Arguments&);
int batsched(const Arguments&);
int simulate(const Arguments&);
int swf(const Arguments&);
int generate(const Arguments&);
int platform(const Arguments&);
int deadlines(const Arguments&);
int metrics(const Arguments&);
int report(const Arguments&);
int plot(const Arguments&);
int check(const Arguments&);
int compare(const Arguments&);
int tune(const Arguments&);
int campaign(const Arguments&);
int algorithms(const Arguments&);

// Parses `arguments` with --help added. `usage` is the line after "Usage: ". Returns false when help was printed (the
// command then returns 0). Throws UsageError for unknown, repeated, missing or mistyped options; a negative number is
// mistyped where the option's type is unsigned.
bool parse(const Arguments& arguments, const std::string& usage, const std::string& summary,
           const boost::program_options::options_description& options,
           const boost::program_options::positional_options_description& positional,
           boost::program_options::variables_map& values);

// The arguments as one line that a shell takes apart into the same ones.
std::string command_line(const Arguments& arguments);

}  // namespace batfill::commands
