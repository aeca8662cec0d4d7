#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "tests/command_line/outcome.hpp"

// Inputs of a simulation, and its files.
namespace batfill::tests {

// A machine of three processors and four jobs. The second waits for the first; the third is too wide.
struct Inputs {
    Folder folder;
    std::string platform = folder.write(
        "p.xml",
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Vivaldi\"><host id=\"master_host\" coordinates=\"0 0 0\" speed=\"1Gf\"/><host id=\"h0\" coordinates=\"0 0 0\" speed=\"1Gf\"/><host id=\"h1\" coordinates=\"0 0 0\" speed=\"1Gf\"/><host id=\"h2\" coordinates=\"0 0 0\" speed=\"1Gf\"/></zone></platform>\n");
    std::string workload = folder.write("w.json", R"({"nb_res":3,"profiles":{"p":{"type":"delay","delay":10}},"jobs":[)"
                                                  R"({"id":"1","subtime":0,"res":2,"walltime":30,"profile":"p"},)"
                                                  R"({"id":"2","subtime":1,"res":3,"walltime":30,"profile":"p"},)"
                                                  R"({"id":"3","subtime":2,"res":4,"walltime":30,"profile":"p"},)"
                                                  R"({"id":"4","subtime":2,"res":1,"walltime":28,"profile":"p"}]})");

    // Simulates with these inputs and `more` options. Writes PREFIX_jobs.csv and PREFIX_schedule.csv.
    Outcome simulate(const std::string& prefix, const Arguments& more) const {
        return run(folder, with({"simulate", "-p", platform, "-w", workload, "-e", folder.file(prefix)}, more));
    }
    std::string jobs(const std::string& prefix) const { return contents(folder.file(prefix + "_jobs.csv")); }
    std::string schedule(const std::string& prefix) const { return contents(folder.file(prefix + "_schedule.csv")); }
    bool wrote(const std::string& prefix) const {
        return std::filesystem::exists(folder.file(prefix + "_jobs.csv")) ||
               std::filesystem::exists(folder.file(prefix + "_schedule.csv"));
    }
};

// The starting time of a job in a jobs.csv.
inline std::string start_of(const std::string& jobs, const std::string& id) {
    std::size_t at = jobs.find("\n" + id + ",w") + 1;
    for (int column = 0; column < 8; ++column) {
        at = jobs.find(',', at) + 1;
    }
    return jobs.substr(at, jobs.find(',', at) - at);
}

}  // namespace batfill::tests
