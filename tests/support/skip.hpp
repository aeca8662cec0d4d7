#pragma once

#include <string>

namespace batfill::tests {

// Prints that the current test cannot run here, and why. The test then returns. The program ends with the status that
// ctest shows as "Skipped", unless a test fails. Such a test has the tag [outside].
void skip(const std::string& reason);

}  // namespace batfill::tests
