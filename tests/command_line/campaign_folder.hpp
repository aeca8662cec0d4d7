#pragma once

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "tests/command_line/outcome.hpp"

// A folder with a campaign, and what campaigns are made of.
namespace batfill::tests {

// Two loads, two seeds and three schedulers, one of them swept: 4 workloads, 4 schedulers, 16 runs.
inline constexpr const char* sixteen_runs = R"(
workloads:
  - generate: lublin
    jobs: 60
    processors: 16
    sweep: {load: [0.7, 0.9], seed: 1..2}
schedulers:
  - fcfs
  - conservative
  - algorithm: easy
    backfill-order: spf
    sweep: {order: [fcfs, saf]}
)";

struct CampaignFolder {
    Folder folder;
    std::string out = folder.file("out");

    Outcome run(const std::string& text, const Arguments& more = {}) const {
        return batfill::tests::run(folder, with({"campaign", folder.write("c.yaml", text), "-o", out}, more));
    }
    std::string in(const std::string& path) const { return out + '/' + path; }
    std::string results() const { return contents(in("results.csv")); }
    // The value of a metric in the line of results.csv that begins with `beginning`.
    std::string value(const std::string& beginning, const std::string& metric) const {
        std::istringstream lines(results());
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(beginning + ',') && line.find(',' + metric + ',') != std::string::npos) {
                return line.substr(line.rfind(',') + 1);
            }
        }
        return "";
    }
    // All files below the campaign's folder, with their contents.
    std::map<std::string, std::string> files(const std::string& below) const {
        std::map<std::string, std::string> all;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(in(below))) {
            if (entry.is_regular_file()) {
                all[std::filesystem::relative(entry.path(), out).string()] = contents(entry.path().string());
            }
        }
        return all;
    }
};

// Whether a campaign says only that it has too few workloads for intervals.
inline bool notes_few_workloads(const std::string& errors) {
    const bool is_said = errors.starts_with("batfill: note: measured once: nothing is said about chance") ||
                         errors.starts_with("batfill: note: nothing is said about chance: ");
    return is_said && errors.find('\n') + 1 == errors.size();
}

inline std::string log_of_three_weeks() {
    std::string text = "; MaxProcs: 8\n";
    for (int job = 1; job <= 30; ++job) {
        const int submit = job * 60'000;  // the last one after 20.8 days
        text += std::to_string(job) + ' ' + std::to_string(submit) + " 0 100 2 -1 -1 2 200 -1 1 1 1 1 1 1 -1 -1\n";
    }
    return text;
}

}  // namespace batfill::tests
