#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests {

Fuzzer::Fuzzer(const char* its_name, Run its_run) : name(its_name), run(its_run) {
    all().push_back(*this);
}

std::vector<Fuzzer>& Fuzzer::all() {
    static std::vector<Fuzzer> fuzzers;
    return fuzzers;
}

}  // namespace batfill::tests
