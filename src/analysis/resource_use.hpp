#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/resources.hpp>

#include "src/analysis/workload_jobs.hpp"

// How much of pools and of hosts' capacities jobs take.
namespace batfill::analysis {

// The names of the pools, then of the capacities.
std::vector<std::string> resource_names(const Resources& machine);

// The share of each resource of resource_names() that the finished jobs take, from the first submission to the last
// completion. No value without workloads, for a resource of which the machine has 0, and for a capacity if a job takes
// whole hosts and the schedule does not keep which.
// Requires: all jobs are in the workloads. The schedule is one of this machine.
// Cost: O(jobs * (names + hosts of a job that takes them whole)).
std::vector<std::optional<double>> utilisation_of_resources(const MeasuredSchedule& schedule, const Resources& machine,
                                                            const WorkloadJobs* submitted);

}  // namespace batfill::analysis
