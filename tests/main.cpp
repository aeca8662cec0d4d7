// Catch2's runner, and the tests that are skipped: this library is compiled once for all test programs.
#define CATCH_CONFIG_RUNNER
#include <iostream>
#include <string>

#include <catch2/catch.hpp>

#include "skip.hpp"

namespace {

bool skipped = false;

}  // namespace

void batfill::tests::skip(const std::string& reason) {
    skipped = true;
    std::cout << "[skipped] " << Catch::getResultCapture().getCurrentTestName() << ": " << reason << std::endl;
}

int main(int argc, char** argv) {
    constexpr int skipped_status = 77;  // see tests/CMakeLists.txt
    const int failed = Catch::Session().run(argc, argv);
    if (failed != 0) {
        return 1;
    }
    return skipped ? skipped_status : 0;
}
