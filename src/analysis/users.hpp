#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include <batfill/core/time.hpp>

#include "job_measures.hpp"
#include "workload_jobs.hpp"

// How evenly users share the waiting.
namespace batfill::analysis {

using JobsByUser = std::map<std::string_view, FinishedJobs>;

// Returns the jobs by the user that the workloads name. Omits jobs without a user. The result refers to texts of the
// workloads.
// Requires: all jobs are in the workloads.
// Cost: O(n log users).
JobsByUser jobs_by_user(const FinishedJobs& jobs, const WorkloadJobs& submitted);

// Jain's index of the users' mean bounded slowdowns x: (sum of x)^2 / (users * sum of x^2). It ranges from 1 / users,
// if one user has all of it, to 1, if all users have the same (Jain, Chiu and Hawe 1984). No value without users.
// Cost: O(n log n).
std::optional<double> user_fairness(const JobsByUser& users, Duration tau);

// The share of the users' total waiting time that falls on the `percent` of users, rounded up to whole users, whose
// jobs wait longest in total. No value if nobody waits.
// Requires: 0 < percent <= 100.
// Cost: O(n + users log users).
std::optional<double> wait_share_of_users(const JobsByUser& users, std::size_t percent);

}  // namespace batfill::analysis
