#include <cstddef>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::platform_fuzzer {

// The platform reader accepts any text or refuses it with InputError.
const Fuzzer fuzzer("platform", [](std::string_view input) {
    try {
        batfill::parse_platform(input, "fuzz");
    } catch (const batfill::InputError&) {
    }
});

}  // namespace batfill::tests::platform_fuzzer
