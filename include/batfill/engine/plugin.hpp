#pragma once

#include <string>
#include <vector>

namespace batfill {

// Loads a plugin, a shared object with algorithms, and returns their names. The algorithms register themselves as those
// of the library do (algorithm.hpp) and are then known by name like these. The plugin stays loaded until the process
// ends.
//
// Requires: no other thread uses algorithms during the call.
// Throws: InputError, which names the file, and changes nothing, if the file
// - does not exist, is incomplete, or is not a shared object
// - was built for another version of the interface (checked before its code runs)
// - has undefined symbols
// - is already loaded
// - registers no algorithm, or one whose name is taken
std::vector<std::string> load_plugin(const std::string& path);

}  // namespace batfill
