#include <batfill/engine/algorithm.hpp>

// All of another version of the library that a plugin refers to.
void batfill::registration::BATFILL_INTERFACE(AlgorithmDescription) {}
