#pragma once

#include <filesystem>
#include <string>

#include "tests/support/skip.hpp"

namespace batfill::tests {

// Real logs and recorded runs are not part of the project (see BATFILL_TEST_DATA in the top CMakeLists.txt). Skips the
// current test and returns false if `relative` does not exist.
inline bool have_test_data(const std::string& relative) {
    if (std::filesystem::exists(std::filesystem::path(BATFILL_TEST_DATA) / relative)) {
        return true;
    }
    skip("needs " + relative + " in " + BATFILL_TEST_DATA);
    return false;
}

inline std::string test_data(const std::string& relative) {
    return (std::filesystem::path(BATFILL_TEST_DATA) / relative).string();
}

}  // namespace batfill::tests
