#pragma once

#include <filesystem>
#include <iostream>
#include <string>

namespace batfill::tests {

// Real logs and recorded runs lie outside the project (see BATFILL_TEST_DATA in the top CMakeLists.txt).
// Returns false, after printing the mark that makes ctest show the test as skipped, if `relative` is not there.
inline bool have_test_data(const std::string& relative) {
    if (std::filesystem::exists(std::filesystem::path(BATFILL_TEST_DATA) / relative)) {
        return true;
    }
    std::cout << "[skipped] needs " << relative << " in " << BATFILL_TEST_DATA << '\n';
    return false;
}

inline std::string test_data(const std::string& relative) {
    return (std::filesystem::path(BATFILL_TEST_DATA) / relative).string();
}

}  // namespace batfill::tests
