#pragma once

#include <string>

#include "tests/command_line/outcome.hpp"

namespace batfill::tests {

// Two runs of three jobs on four processors. The last job starts at once in one run, and waits for the second job in
// the other.
struct TwoRuns {
    Folder folder;
    std::string workload =
        folder.write("w.json", R"({"nb_res":4,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                               R"({"id":"1","subtime":0,"res":3,"walltime":30,"profile":"p","user":"ann"},)"
                               R"({"id":"2","subtime":1,"res":4,"walltime":30,"profile":"p","user":"bob"},)"
                               R"({"id":"3","subtime":2,"res":1,"walltime":7,"profile":"p","user":"ann"}]})");
    std::string easy = simulated("easy");
    std::string fcfs = simulated("fcfs");

    // Simulates with this algorithm, and returns the prefix of the run's files.
    std::string simulated(const std::string& algorithm) const {
        const std::string prefix = folder.file(algorithm);
        require_done(run(folder, {"simulate", "-q", "-a", algorithm, "-p", "4", "-w", workload, "-e", prefix}));
        return prefix;
    }
};

}  // namespace batfill::tests
