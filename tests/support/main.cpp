// Catch2's runner, and the skipping of tests. This library is compiled once for all test programs.
#define CATCH_CONFIG_RUNNER
#include <iostream>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/skip.hpp"

namespace {

bool skipped = false;
int tests = 0;

struct CountTests : Catch::TestEventListenerBase {
    using TestEventListenerBase::TestEventListenerBase;
    void testCaseStarting(const Catch::TestCaseInfo&) override { ++tests; }
};

}  // namespace

CATCH_REGISTER_LISTENER(CountTests)

void batfill::tests::skip(const std::string& reason) {
    skipped = true;
    std::cout << "[skipped] " << Catch::getResultCapture().getCurrentTestName() << ": " << reason << std::endl;
}

int main(int argc, char** argv) {
    constexpr int skipped_status = 77;  // see tests/CMakeLists.txt
    const int failed = Catch::Session().run(argc, argv);
    if (failed == 0 && tests == 0) {
        std::cerr << "no test has this name, file and tags\n";
    }
    if (failed != 0 || tests == 0) {
        return 1;
    }
    return skipped ? skipped_status : 0;
}
