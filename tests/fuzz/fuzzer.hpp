#pragma once

#include <string_view>
#include <vector>

namespace batfill::tests {

// A fuzzer: a function that accepts any input, and aborts if a property does not hold. It registers itself by name. Its
// source is NAME_fuzzer.cpp and its corpus the folder corpus/NAME.
struct Fuzzer {
    using Run = void (*)(std::string_view input);

    Fuzzer(const char* its_name, Run its_run);

    // All fuzzers of this program; only one in a build for libFuzzer.
    static std::vector<Fuzzer>& all();

    const char* name;
    Run run;
};

}  // namespace batfill::tests
