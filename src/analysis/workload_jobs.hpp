#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include <batfill/workload.hpp>

namespace batfill::analysis {

struct IndexedJob {
    const JobDescription* description;
    const JobProfile* profile;  // null if its workload has no profile of that name
};

// The jobs of several workloads by their full id ("w0!17"). It keeps pointers into the workloads, which must outlive it
// unchanged.
class WorkloadJobs {
 public:
    explicit WorkloadJobs(const std::vector<Workload>& workloads) {
        for (const Workload& workload : workloads) {
            for (const WorkloadJob& job : workload.jobs) {
                const auto profile = workload.profiles.find(job.description.profile);
                jobs_.emplace(
                    job.description.id,
                    IndexedJob{&job.description, profile == workload.profiles.end() ? nullptr : &profile->second});
            }
        }
    }
    // Null if there is no such job. O(1) on average.
    const IndexedJob* find(std::string_view id) const {
        const auto found = jobs_.find(id);
        return found == jobs_.end() ? nullptr : &found->second;
    }

 private:
    std::unordered_map<std::string_view, IndexedJob> jobs_;
};

}  // namespace batfill::analysis
