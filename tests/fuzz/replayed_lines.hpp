#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/spdlog.h>

#include <batfill/analysis/check_schedule.hpp>
#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/formats/named_platform.hpp"

// Files that say more of a machine, with an object on each line.
namespace batfill::tests {

// `parse` reads the input, or refuses it with its line. What is read `is_right`. Whatever it says, the workload is
// replayed on four processors and eight power with these lines as `member`, and the audit finds nothing wrong.
template <class Line>
void replay_lines(std::string_view input, auto parse, bool (*is_right)(const Line& line),
                  std::vector<Line> Platform::*member, const char* workload) {
    constexpr std::size_t most_lines = 50;
    spdlog::set_level(spdlog::level::off);
    std::vector<Line> lines;
    try {
        lines = parse(input, "fuzz");
    } catch (const InputError& problem) {
        if (!std::string_view(problem.what()).starts_with("fuzz:")) {
            std::abort();  // the error names no line
        }
        return;
    }
    if (!std::ranges::all_of(lines, is_right)) {
        std::abort();
    }
    Scenario scenario;
    scenario.platform = homogeneous_platform(4);
    for (Host& host : scenario.platform.hosts) {
        host.zone_properties["pools"] = "power:8";
    }
    scenario.platform.*member = std::move(lines);
    scenario.workloads.push_back(parse_workload(workload, "/jobs.json", "w0", true));
    if ((scenario.platform.*member).size() > most_lines) {
        return;
    }
    for (const char* const algorithm : {"fcfs", "easy", "relaxed", "conservative", "dc", "dbf"}) {
        try {
            const CheckReport report = audit(run(scenario, {algorithm, {}}), {});
            if (!report.violations.empty()) {
                std::cerr << algorithm << ": " << report.violations.front().text << '\n';
                std::abort();
            }
        } catch (const InputError&) {
            return;  // the machine does not have what a line names
        }
    }
}

}  // namespace batfill::tests
