#pragma once

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/process.hpp"

namespace batfill::tests {

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

// Requires that a run ended with status 0.
inline void require_done(const Outcome& outcome) {
    INFO(outcome.errors);
    REQUIRE(outcome.status == 0);
}

// Checks for one line on the error stream, which contains these words, and an empty output.
inline void check_refused(const Outcome& outcome, int status, const std::string& words = "") {
    CHECK(outcome.status == status);
    CHECK(outcome.output.empty());
    CHECK_THAT(outcome.errors, Catch::Matchers::StartsWith("batfill: ") && Catch::Matchers::Contains(words));
    CHECK(std::count(outcome.errors.begin(), outcome.errors.end(), '\n') == 1);
    CHECK(outcome.errors.back() == '\n');
}

}  // namespace batfill::tests
