#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <batfill/formats/workload.hpp>

// Workloads with the same jobs are replicates of one workload, whatever their submissions, estimates and deadlines: a
// log at three loads, or one seed with fifty draws of deadlines. Statistics over workloads count them once.
namespace batfill {

// A hash of the jobs: their ids, sizes and run times.
// Cost: O(n log n).
std::string hash_of_jobs(const Workload& workload);

// Numbers the groups of equal hashes from 0, in the order of their first members. Returns the number of each hash.
std::vector<std::size_t> groups_of_equal(const std::vector<std::string>& hashes);

}  // namespace batfill
