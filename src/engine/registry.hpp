#pragma once

#include <string>
#include <vector>

namespace batfill {

// The algorithms that a plugin brings.
struct LoadedAlgorithms {
    std::vector<std::string> names;
    std::vector<std::string> taken;  // names of algorithms that were there already; these stay as they are
};

// From now on, registrations are noted in `in`, and one with a name that is taken does not throw: nothing may leave the
// initialisation of a shared object that way. Null: no longer.
void record_registrations(LoadedAlgorithms* in);

// Forgets an algorithm. Nobody may use its description any more.
void unregister_algorithm(const std::string& name);

}  // namespace batfill
