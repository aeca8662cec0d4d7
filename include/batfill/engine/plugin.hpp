#pragma once

#include <string>
#include <vector>

namespace batfill {

// Loads a plugin: a shared object with algorithms, which register themselves as those of the library do
// (algorithm.hpp). From then on they are known by their names like these; the plugin stays loaded until the process
// ends. Returns the names. Not to be called while other threads use algorithms.
//
// Throws InputError naming the file, and nothing has changed, if there is no such file, it is not a shared object, it
// was built for another version of the interface (before any of its code runs), it refers to something that nobody
// defines, it is loaded already, it registers no algorithm, or one whose name is taken.
std::vector<std::string> load_plugin(const std::string& path);

}  // namespace batfill
