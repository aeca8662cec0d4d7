#pragma once

#include <cstdint>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// The priorities of jobs: by submission (priority/basic), or a weighted sum of factors (priority/multifactor).
class Priorities {
 public:
    // Requires: `settings` outlives this object. `factors`: PriorityJobFactor of each partition; empty: 0 for all.
    explicit Priorities(const Settings& settings, std::vector<std::int64_t> factors = {});

    // The priority of a job that is submitted now. A task of an array has that of the task before it.
    std::int64_t at_submission(const Cluster& cluster, const Job& job);
    // Computes those of all waiting jobs anew. Returns whether Slurm does so with these settings.
    bool compute(Cluster& cluster, const std::vector<QueueEntry>& waiting, Seconds now) const;

 private:
    std::int64_t multifactor(const Cluster& cluster, const Job& job, Seconds now) const;
    double size_factor(const Cluster& cluster, const Job& job) const;

    const Settings& settings_;
    std::vector<std::int64_t> factors_;
    std::int64_t next_ = 4294901759;
    int last_array_ = Job::none;
};

}  // namespace batfill::slurm
