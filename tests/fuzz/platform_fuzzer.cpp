#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>
#include <batfill/formats/platform.hpp>

#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::platform_fuzzer {

// The platform reader and that of its pools, capacities and partitions accept any text or refuse it with InputError.
const Fuzzer fuzzer("platform", [](std::string_view input) {
    try {
        const batfill::Resources resources(batfill::parse_platform(input, "fuzz").hosts);
        if (resources.totals().size() != resources.capacities().size()) {
            std::abort();
        }
    } catch (const batfill::InputError&) {
    }
});

}  // namespace batfill::tests::platform_fuzzer
