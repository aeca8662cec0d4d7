#pragma once

#include <string>
#include <vector>

namespace batfill {

// The algorithms of a plugin.
struct LoadedAlgorithms {
    std::vector<std::string> names;
    std::vector<std::string> taken;  // names of algorithms that existed before; these remain unchanged
};

// Notes registrations in `in` from now on. A registration with a name that is taken then does not throw, because no
// exception may leave the initialisation of a shared object. Null ends this.
void record_registrations(LoadedAlgorithms* in);

// Forgets an algorithm. Its description must no longer be used.
void unregister_algorithm(const std::string& name);

}  // namespace batfill
