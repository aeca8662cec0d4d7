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

namespace batfill::tests::windows_fuzzer {

namespace {

std::optional<std::vector<Window>> read(std::string_view text) {
    try {
        return parse_windows(text, "fuzz");
    } catch (const InputError& problem) {
        if (std::string_view(problem.what()).substr(0, 5) != "fuzz:") {
            std::abort();  // the error names no line
        }
        return std::nullopt;
    }
}

void check(const Window& window) {
    const int kinds = (window.all_hosts ? 1 : 0) + (window.hosts.empty() ? 0 : 1) + (window.processors > 0 ? 1 : 0) +
                      (window.pools.empty() ? 0 : 1);
    if (kinds != 1 || window.until <= window.from || window.announced > window.from || window.name.empty()) {
        std::abort();
    }
}

// Jobs with and without a reservation, a chain, and pools.
Workload jobs() {
    return parse_workload(R"({"nb_res": 4, "profiles": {"p": {"type": "delay", "delay": 40}}, "jobs": [
        {"id": 1, "subtime": 0, "res": 2, "walltime": 50, "profile": "p", "pools": {"power": 3}},
        {"id": 2, "subtime": 1, "res": 1, "walltime": 60, "profile": "p", "reservation": "course"},
        {"id": 3, "subtime": 1, "res": 4, "walltime": 45, "profile": "p", "after": ["any:1"]},
        {"id": 4, "subtime": 2, "res": 1, "walltime": 90, "profile": "p", "after": ["start:2+5"]},
        {"id": 5, "subtime": 90, "res": 3, "walltime": 40, "profile": "p", "reservation": "demo"},
        {"id": 6, "subtime": 95, "res": 1, "walltime": 41, "profile": "p", "pools": {"power": 8}}]})",
                          "/jobs.json", "w0", true);
}

void replay(const std::vector<Window>& windows, const char* algorithm) {
    Scenario scenario;
    scenario.platform = homogeneous_platform(4);
    for (Host& host : scenario.platform.hosts) {
        host.zone_properties["pools"] = "power:8";
    }
    scenario.platform.windows = windows;
    scenario.workloads.push_back(jobs());
    try {
        const Outcome outcome = run(std::move(scenario), {algorithm, {}});
        const CheckReport report = audit(outcome, {});
        if (!report.violations.empty()) {
            std::cerr << algorithm << ": " << report.violations.front().text << '\n';
            std::abort();
        }
    } catch (const InputError&) {
        return;  // the machine does not have what a window takes
    }
}

}  // namespace

// A file of windows is read, or refused with its line. Whatever it says, a small workload is replayed beside its
// windows, and the audit finds nothing wrong with the schedule.
const Fuzzer fuzzer("windows", [](std::string_view input) {
    spdlog::set_level(spdlog::level::off);
    const auto windows = read(input);
    if (!windows) {
        return;
    }
    std::ranges::for_each(*windows, check);
    if (windows->size() > 50) {
        return;
    }
    for (const char* const algorithm : std::array{"fcfs", "easy", "relaxed", "conservative", "dc", "dbf"}) {
        replay(*windows, algorithm);
    }
});

}  // namespace batfill::tests::windows_fuzzer
