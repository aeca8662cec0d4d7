#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <batfill/workload.hpp>

namespace batfill::analysis {

struct IndexedJob {
    const Workload* workload;
    const JobDescription* description;
    std::size_t number;         // of the jobs of all workloads, one after the other
    bool is_later_run = false;  // of this job, see find()

    // Null if its workload has no profile of that name. O(log profiles).
    const JobProfile* profile() const;
};

// The jobs of several workloads by their full id ("w0!17"). It keeps pointers into the workloads, which must outlive it
// unchanged.
class WorkloadJobs {
 public:
    explicit WorkloadJobs(const std::vector<Workload>& workloads);

    // The job of a workload, or the one of which this is a later run: one that was killed and submitted again has the
    // id of the first run with "#1", "#2", ... behind it. Nothing if there is neither. O(1) on average.
    std::optional<IndexedJob> find(std::string_view id) const;

    // The same for a job of the schedule `path`. Throws InputError naming both if there is none.
    IndexedJob require(std::string_view id, const std::string& path) const;

    // How many jobs the workloads have.
    std::size_t count() const { return numbers_.size(); }

    // The id of the run that was killed for this one to be submitted; nothing for a job of a workload, and for one that
    // find() does not know.
    std::optional<std::string> earlier_run(std::string_view id) const;

 private:
    std::optional<IndexedJob> of_workload(std::string_view id) const;
    IndexedJob job(std::size_t number) const;
    std::size_t bucket_of(std::string_view id) const { return std::hash<std::string_view>()(id) % (ends_.size() - 1); }

    const std::vector<Workload>* workloads_;
    std::vector<std::size_t> firsts_;  // the number of the first job of each workload
    // The numbers of the jobs by bucket of the hash of their id, and where in them each bucket ends, behind a 0. Unlike
    // a map of the standard library it takes 8 bytes for a job.
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint32_t> ends_;
};

}  // namespace batfill::analysis
