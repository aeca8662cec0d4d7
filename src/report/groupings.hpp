#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "figures.hpp"
#include "report.hpp"
#include "src/analysis/workload_jobs.hpp"

namespace batfill::report {

// A grouping of jobs by a text of the workloads: users or queues.
struct Grouping {
    const char* kind;    // the plural: "users"
    const char* column;  // the singular: "user"
    SharedText JobDescription::*field;
    std::vector<std::string> names{};             // most processor time in all runs first; empty if no job has one
    std::map<std::string, std::size_t> places{};  // the index of each name
};

class Groupings {
 public:
    Groupings(const Report& report, const std::vector<FinishedJobs>& runs);
    Groupings(const Groupings&) = delete;
    Groupings& operator=(const Groupings&) = delete;

    const std::array<Grouping, 2>& all() const { return groupings_; }
    // The job in the workloads; null if they do not have it.
    const JobDescription* description(const FinishedJob& job) const {
        const std::optional<analysis::IndexedJob> found = workload_jobs_.find(job.id);
        return found ? found->description : nullptr;
    }
    std::size_t place(const Grouping& grouping, const FinishedJob& job) const {
        return grouping.places.at(description(job)->*grouping.field);
    }
    std::vector<GroupSummary> groups(const Grouping& grouping, const FinishedJobs& jobs, Duration tau) const {
        return groups_of(jobs, tau, [&](const FinishedJob& job) { return description(job)->*grouping.field; });
    }

 private:
    analysis::WorkloadJobs workload_jobs_;
    std::array<Grouping, 2> groupings_{
        {{"users", "user", &JobDescription::user}, {"queues", "queue", &JobDescription::queue}}};
};

}  // namespace batfill::report
