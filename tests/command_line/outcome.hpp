#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "process.hpp"

namespace batfill::tests {

using Arguments = std::vector<std::string>;

// The exit status and the output of a run of batfill.
struct Outcome {
    int status;
    std::string output;
    std::string errors;
};

inline Outcome run(const Folder& folder, const Arguments& arguments, const Limits& limits = {}) {
    Process process(folder, arguments, limits);
    const int status = process.wait();
    return {status, process.output(), process.errors()};
}

// Checks for one line on the error stream and an empty output.
inline void check_refused(const Outcome& outcome, int status) {
    CHECK(outcome.status == status);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, Catch::Matchers::StartsWith("batfill: "));
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
    CHECK(outcome.errors.back() == '\n');
}

// Writes a file and returns its path.
inline std::string file(const Folder& folder, const std::string& name, const std::string& text) {
    std::ofstream(folder.file(name)) << text;
    return folder.file(name);
}

}  // namespace batfill::tests
