#pragma once

#include <batfill/analysis/metrics.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/workload_jobs.hpp"

// Who waits for a limit, and who for the machine.
namespace batfill::analysis {

// How long of its wait less was left of a limit than the job takes: whatever the machine had, the job could not start.
// By the ids of the finished jobs, without those that no limit has held. It counts what the finished jobs took.
// Requires: the schedule is one of this machine.
// Throws: InputError, which names the schedule, for a job that is not in the workloads.
// Cost: O(n log n) for n jobs if a user has few different requests; at most O(n) for each different request of a user.
WaitsForLimits waits_for_limits(const MeasuredSchedule& schedule, const MetricsOptions& machine,
                                const WorkloadJobs& submitted);

}  // namespace batfill::analysis
