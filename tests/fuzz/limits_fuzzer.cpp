#include <algorithm>
#include <string_view>

#include "tests/fuzz/fuzzer.hpp"
#include "tests/fuzz/replayed_lines.hpp"

namespace batfill::tests::limits_fuzzer {

namespace {

bool is_right(const Limit& limit) {
    return !limit.of.empty() && limit.values.size() == limit.of.size() && !limit.most.empty() && limit.line > 0 &&
           std::ranges::all_of(limit.most, [](const auto& one) { return one.second >= 0; });
}

// Jobs of users and accounts, a chain, an array, and pools.
constexpr const char* jobs = R"({"nb_res": 4, "profiles": {"p": {"type": "delay", "delay": 40}}, "jobs": [
    {"id": 1, "subtime": 0, "res": 2, "walltime": 50, "profile": "p", "user": "a", "pools": {"power": 3}},
    {"id": 2, "subtime": 1, "res": 1, "walltime": 60, "profile": "p", "user": "a", "account": "x"},
    {"id": 3, "subtime": 1, "res": 4, "walltime": 45, "profile": "p", "user": "b", "after": ["any:1"]},
    {"id": 4, "subtime": 2, "res": 1, "walltime": 90, "profile": "p", "user": 7, "account": "x"},
    {"id": 5, "subtime": 9, "res": 3, "walltime": 40, "profile": "p", "array": "t", "account": 7},
    {"id": 6, "subtime": 9, "res": 1, "walltime": 41, "profile": "p", "array": "t", "array_limit": 1, "user": "a",
     "pools": {"power": 8}}]})";

}  // namespace

const Fuzzer fuzzer("limits", [](std::string_view input) {
    replay_lines(input, parse_limits, is_right, &Platform::limits, jobs);
});

}  // namespace batfill::tests::limits_fuzzer
