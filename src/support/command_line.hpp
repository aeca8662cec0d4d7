#pragma once

#include <string>
#include <vector>

namespace batfill {

using Arguments = std::vector<std::string>;

// Returns the arguments as one line that a shell splits into the same arguments.
std::string command_line(const Arguments& arguments);

}  // namespace batfill
