#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill::analysis {

// Whether the job has this submission time, except for the last digit of a schedule, and requests this many processors.
// The submission time of a later run counts as equal.
bool is_same_job(const FinishedJob& job, Time submit, int processors);
// "asks for 2 processors at 1.500000".
std::string request_text(Time submit, int processors);

struct IndexedJob {
    const JobDescription* description;
    std::size_t workload;       // which of the workloads has it
    std::size_t number;         // among the jobs of all workloads, one workload after the other
    bool is_later_run = false;  // of this job, see find()
};

// The jobs of several workloads by their full id ("w0!17"). Keeps pointers into the workloads.
// Requires: the workloads outlive this object and do not change.
class WorkloadJobs {
 public:
    explicit WorkloadJobs(const std::vector<Workload>& workloads);

    // Returns the job of a workload with this id, or the job that has `id` as a later run. When a killed job is
    // submitted again, its id is that of the first run followed by "#1", "#2", ... None if neither exists.
    // Cost: O(1) on average.
    std::optional<IndexedJob> find(std::string_view id) const;

    // As above, for a job of the schedule `path`.
    // Throws: InputError, which names both, if there is none, or if the finished job had another submission time or
    // requested another number of processors.
    IndexedJob require(std::string_view id, const std::string& path) const;
    IndexedJob require(const FinishedJob& job, const std::string& path) const;

    // Number of jobs in all workloads.
    std::size_t count() const { return count_; }

    // Returns the id of the killed run that this run replaces. None for a job of a workload, and for one that find()
    // does not know.
    std::optional<std::string> earlier_run(std::string_view id) const;

 private:
    std::optional<IndexedJob> of_workload(std::string_view id) const;
    IndexedJob job(std::size_t number) const;
    std::size_t first_place(std::string_view id) const {
        return std::hash<std::string_view>()(id) & (places_.size() - 1);
    }

    static constexpr std::uint32_t no_job = UINT32_MAX;
    const std::vector<Workload>* workloads_;
    std::vector<std::size_t> firsts_;  // number of the first job of each workload
    std::size_t count_ = 0;
    // Job numbers in a hash table with linear probing. Its size is a power of two, and at least half of it is empty. It
    // takes about 12 bytes per job, much less than std::unordered_map.
    std::vector<std::uint32_t> places_;
};

}  // namespace batfill::analysis
