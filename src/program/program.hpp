#pragma once

#include "src/support/command_line.hpp"

namespace batfill {

// Runs the program `batfill` with these arguments and returns its exit status. Prints an error as one line.
// Requires: not called before in this process.
int run_program(Arguments arguments);

}  // namespace batfill
