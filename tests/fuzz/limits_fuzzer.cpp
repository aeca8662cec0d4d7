#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/formats/named_platform.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace batfill::tests::limits_fuzzer {

namespace {

std::optional<std::vector<Limit>> read(std::string_view text) {
    try {
        return parse_limits(text, "fuzz");
    } catch (const InputError& problem) {
        if (std::string_view(problem.what()).substr(0, 5) != "fuzz:") {
            std::abort();  // the error names no line
        }
        return std::nullopt;
    }
}

void check(const Limit& limit) {
    const bool is_bad = std::ranges::any_of(limit.most, [](const auto& one) { return one.second < 0; });
    if (limit.of.empty() || limit.values.size() != limit.of.size() || limit.most.empty() || is_bad || limit.line == 0) {
        std::abort();
    }
}

// Jobs of users and accounts, a chain, an array, and pools.
Workload jobs() {
    return parse_workload(R"({"nb_res": 4, "profiles": {"p": {"type": "delay", "delay": 40}}, "jobs": [
        {"id": 1, "subtime": 0, "res": 2, "walltime": 50, "profile": "p", "user": "a", "pools": {"power": 3}},
        {"id": 2, "subtime": 1, "res": 1, "walltime": 60, "profile": "p", "user": "a", "account": "x"},
        {"id": 3, "subtime": 1, "res": 4, "walltime": 45, "profile": "p", "user": "b", "after": ["any:1"]},
        {"id": 4, "subtime": 2, "res": 1, "walltime": 90, "profile": "p", "user": 7, "account": "x"},
        {"id": 5, "subtime": 9, "res": 3, "walltime": 40, "profile": "p", "array": "t", "account": 7},
        {"id": 6, "subtime": 9, "res": 1, "walltime": 41, "profile": "p", "array": "t", "array_limit": 1, "user": "a",
         "pools": {"power": 8}}]})",
                          "/jobs.json", "w0", true);
}

void replay(const std::vector<Limit>& limits, const char* algorithm) {
    Scenario scenario;
    scenario.platform = homogeneous_platform(4);
    for (Host& host : scenario.platform.hosts) {
        host.zone_properties["pools"] = "power:8";
    }
    scenario.platform.limits = limits;
    scenario.workloads.push_back(jobs());
    try {
        const Outcome outcome = run(std::move(scenario), {algorithm, {}});
        const CheckReport report = audit(outcome, {});
        if (!report.violations.empty()) {
            std::cerr << algorithm << ": " << report.violations.front().text << '\n';
            std::abort();
        }
    } catch (const InputError&) {
        return;  // the machine does not have what a limit counts
    }
}

}  // namespace

// A file of limits is read, or refused with its line. Whatever it says, a small workload is replayed under its limits,
// and the audit finds nothing wrong with the schedule.
const Fuzzer fuzzer("limits", [](std::string_view input) {
    spdlog::set_level(spdlog::level::off);
    const auto limits = read(input);
    if (!limits) {
        return;
    }
    std::ranges::for_each(*limits, check);
    if (limits->size() > 50) {
        return;
    }
    for (const char* const algorithm : std::array{"fcfs", "easy", "relaxed", "conservative", "dc", "dbf"}) {
        replay(*limits, algorithm);
    }
});

}  // namespace batfill::tests::limits_fuzzer
