#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include <batfill/core/time.hpp>

#include "job_measures.hpp"
#include "workload_jobs.hpp"

// How evenly the waiting is spread over the users.
namespace batfill::analysis {

using JobsByUser = std::map<std::string_view, FinishedJobs>;

// The jobs by the user that the workloads name; those of nobody are left out. Requires that all jobs are in the
// workloads, to whose texts the result refers. O(n log users).
JobsByUser jobs_by_user(const FinishedJobs& jobs, const WorkloadJobs& submitted);

// Jain's index of the users' mean bounded slowdowns x: (sum of x)^2 / (users * sum of x^2), from 1 / users, if one of
// them has all of it, to 1, if all have the same (Jain, Chiu and Hawe 1984). No value without users. O(n log n).
std::optional<double> user_fairness(const JobsByUser& users, Duration tau);

// Which share of the waiting time of all users is that of the `percent` of the users, rounded up to whole users, who
// wait most in all their jobs together. No value if nobody waits. Requires 0 < percent <= 100. O(n + users log users).
std::optional<double> wait_share_of_users(const JobsByUser& users, std::size_t percent);

}  // namespace batfill::analysis
