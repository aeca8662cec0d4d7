#include <string_view>

#include "tests/fuzz/fuzzer.hpp"
#include "tests/fuzz/replayed_lines.hpp"

namespace batfill::tests::windows_fuzzer {

namespace {

bool is_right(const Window& window) {
    const int kinds = (window.all_hosts ? 1 : 0) + (window.hosts.empty() ? 0 : 1) + (window.processors > 0 ? 1 : 0) +
                      (window.pools.empty() ? 0 : 1);
    return kinds == 1 && window.until > window.from && window.announced <= window.from && !window.name.empty();
}

// Jobs with and without a reservation, a chain, and pools.
constexpr const char* jobs = R"({"nb_res": 4, "profiles": {"p": {"type": "delay", "delay": 40}}, "jobs": [
    {"id": 1, "subtime": 0, "res": 2, "walltime": 50, "profile": "p", "pools": {"power": 3}},
    {"id": 2, "subtime": 1, "res": 1, "walltime": 60, "profile": "p", "reservation": "course"},
    {"id": 3, "subtime": 1, "res": 4, "walltime": 45, "profile": "p", "after": ["any:1"]},
    {"id": 4, "subtime": 2, "res": 1, "walltime": 90, "profile": "p", "after": ["start:2+5"]},
    {"id": 5, "subtime": 90, "res": 3, "walltime": 40, "profile": "p", "reservation": "demo"},
    {"id": 6, "subtime": 95, "res": 1, "walltime": 41, "profile": "p", "pools": {"power": 8}}]})";

}  // namespace

const Fuzzer fuzzer("windows", [](std::string_view input) {
    replay_lines(input, parse_windows, is_right, &Platform::windows, jobs);
});

}  // namespace batfill::tests::windows_fuzzer
