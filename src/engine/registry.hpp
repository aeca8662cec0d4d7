#pragma once

#include <string>
#include <vector>

namespace batfill {

// The algorithms of a plugin.
struct LoadedAlgorithms {
    std::vector<std::string> names;
    std::vector<std::string> taken;  // names of algorithms that existed before; these remain unchanged
};

// Records all further registrations in `in`, until a call with null. Meanwhile a taken name does not throw, because no
// exception may leave the initialisation of a shared object.
void record_registrations(LoadedAlgorithms* in);

// Forgets an algorithm. Its description must no longer be used.
void unregister_algorithm(const std::string& name);

}  // namespace batfill
