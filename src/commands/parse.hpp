#pragma once

#include <array>
#include <string>

#include "src/options/options.hpp"
#include "src/support/command_line.hpp"

namespace batfill::commands {

using namespace options;  // NOLINT(google-build-using-namespace): commands are made of them

// What the help of a command says beside its options.
struct Help {
    std::string usage;                    // the text after "Usage: "
    std::string summary;                  // the paragraph below it
    std::array<const char*, 2> examples;  // the texts after "batfill "
};

// Parses the arguments of a command, fills the fields of its options, and checks its rules. Users may cut a name short
// to what only that one begins with (--spli for --split), and ask for help. With --help=json alone, the help is a
// description for programs.
// Requires: all options are declared, and nothing has been parsed yet.
// Throws: Ended after printing the help; UsageError as Options::set() and Options::finish().
void parse(Options& options, const Arguments& arguments, const Help& help);

}  // namespace batfill::commands
