#include <cstdlib>
#include <string>
#include <string_view>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/formats/machine_listing.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::machine_fuzzer {

// A listing of nodes is read, or refused with its name. Written as a platform, it has the same hosts.
const Fuzzer fuzzer("machine", [](std::string_view input) {
    MachineListing listing;
    try {
        listing = parse_machine_listing(input, "fuzz");
    } catch (const InputError& problem) {
        if (!std::string_view(problem.what()).starts_with("fuzz:")) {
            std::abort();  // the error names no file
        }
        return;
    }
    if (listing.kind == "a platform") {
        return;
    }
    const Platform again = parse_platform(platform_text(listing.platform, "fuzz"), "again");
    if (again.hosts.size() != listing.platform.hosts.size()) {
        std::abort();
    }
    for (std::size_t i = 0; i < again.hosts.size(); ++i) {
        const Host& host = listing.platform.hosts[i];
        if (again.hosts[i].name != host.name || again.hosts[i].properties != host.properties) {
            std::abort();
        }
    }
});

}  // namespace batfill::tests::machine_fuzzer
