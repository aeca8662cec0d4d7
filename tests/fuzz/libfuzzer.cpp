#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzzer.hpp"

// The entry point of libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    batfill::tests::Fuzzer::all().front().run({reinterpret_cast<const char*>(data), size});
    return 0;
}
