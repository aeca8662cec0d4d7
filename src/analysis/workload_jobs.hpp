#pragma once

#include <optional>
#include <string>
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
    explicit WorkloadJobs(const std::vector<Workload>& workloads);

    // The job of a workload, or the one of which this is a later run: one that was killed and submitted again has the
    // id of the first run with "#1", "#2", ... behind it. Null if there is neither. O(1) on average.
    const IndexedJob* find(std::string_view id) const;

    // The same for a job of the schedule `path`. Throws InputError naming both if there is none.
    const IndexedJob& require(std::string_view id, const std::string& path) const;

    // The id of the run that was killed for this one to be submitted; nothing for a job of a workload, and for one that
    // find() does not know.
    std::optional<std::string> earlier_run(std::string_view id) const;

 private:
    const IndexedJob* of_workload(std::string_view id) const;

    std::unordered_map<std::string_view, IndexedJob> jobs_;
};

// Whether an id has the form of that of a later run. O(length).
bool may_be_later_run(std::string_view id);

// The id of the run that follows if this one is killed and the job submitted again.
std::string later_run(std::string_view id, bool is_first);

}  // namespace batfill::analysis
