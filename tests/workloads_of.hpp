#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <batfill/formats/workload.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill::tests {

// The workloads of the scenario, and those of jobs that the algorithm registered. An audit needs both.
inline std::vector<Workload> workloads_of(const Simulator& simulator) {
    std::vector<Workload> workloads = simulator.scenario().workloads;
    std::map<std::string, Workload> own;
    for (const SimulatedJob& job : simulator.jobs()) {
        const std::string& id = job.job->description.id;
        const std::string name = id.substr(0, id.find('!'));
        if (name != workloads[0].name && id.find('#') == std::string::npos) {  // not one that was submitted again
            own[name].name = name;
            own[name].jobs.push_back(*job.job);
            own[name].profiles.emplace(job.job->description.profile, *job.profile);
        }
    }
    for (auto& [name, workload] : own) {
        workloads.push_back(std::move(workload));
    }
    return workloads;
}

}  // namespace batfill::tests
