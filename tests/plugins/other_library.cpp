#include <batfill/engine/algorithm.hpp>

// The only symbol that a plugin needs from another version of the library.
void batfill::registration::BATFILL_INTERFACE(AlgorithmDescription) {}
