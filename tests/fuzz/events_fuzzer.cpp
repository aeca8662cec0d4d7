#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>

#include "src/support/json.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::events_fuzzer {

namespace {

std::optional<std::vector<ExternalEvent>> read(std::string_view text, bool forward_unknown) {
    try {
        return parse_external_events(text, "fuzz", forward_unknown);
    } catch (const InputError& problem) {
        if (std::string_view(problem.what()).substr(0, 5) != "fuzz:") {
            std::abort();  // the error names no line
        }
        return std::nullopt;
    }
}

void check(const ExternalEvent& event) {
    const bool is_other = event.kind == ExternalEvent::Kind::other;
    if (event.time < Time() || event.processors.empty() != is_other) {
        std::abort();
    }
    if (is_other) {
        JsonReader().parse(event.other_fields);
    }
}

}  // namespace

// An events file is read, or refused with its line. Events that were read are in order. A file without unknown event
// types reads the same when they are allowed.
const Fuzzer fuzzer("events", [](std::string_view input) {
    const auto known = read(input, false);
    const auto all = read(input, true);
    if (known && (!all || all->size() != known->size())) {
        std::abort();
    }
    if (all) {
        std::for_each(all->begin(), all->end(), check);
        if (!std::is_sorted(all->begin(), all->end(), [](const ExternalEvent& a, const ExternalEvent& b) {
                return std::tie(a.time, a.kind) < std::tie(b.time, b.kind);
            })) {
            std::abort();
        }
    }
});

}  // namespace batfill::tests::events_fuzzer
