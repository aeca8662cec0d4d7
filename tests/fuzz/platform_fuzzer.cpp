#include <cstddef>
#include <cstdint>
#include <string_view>

#include <batfill/error.hpp>
#include <batfill/platform.hpp>

// The platform reader takes any text or refuses it with InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        batfill::parse_platform({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const batfill::InputError&) {
    }
    return 0;
}
