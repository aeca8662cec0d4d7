#pragma once

#include <string_view>
#include <vector>

namespace batfill::tests {

// A fuzzer: a function that takes any input and aborts if what it holds does not hold. It registers itself by its name,
// which is that of its source, NAME_fuzzer.cpp, and of its folder, corpus/NAME.
struct Fuzzer {
    using Run = void (*)(std::string_view input);

    Fuzzer(const char* its_name, Run its_run);

    // All fuzzers of this program: a single one if it is built for libFuzzer.
    static std::vector<Fuzzer>& all();

    const char* name;
    Run run;
};

}  // namespace batfill::tests
