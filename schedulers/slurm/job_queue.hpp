#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// The jobs that wait, once for each of their partitions, in the order in which both schedulers take them: by tier of
// the partition and by priority, the largest first; then by submission, id and number of the task. Those that ask for
// reservations come before them.
class JobQueue {
 public:
    // Requires: both outlive this object.
    JobQueue(const Settings& settings, Cluster& cluster);

    // The same queue of a copy of its cluster, which outlives this object.
    JobQueue(const JobQueue& other, Cluster& cluster)
        : cluster_(cluster), by_submission_(other.by_submission_), waiting_(other.waiting_) {}

    // A job that waits. Cost: O(jobs that wait).
    void add(JobPlace job);
    // Priorities have changed. Cost: sorting.
    void sort();

    // The jobs that may start at `now`: none is held, or waits for its begin or for others. Those that have waited so
    // are eligible from now on. The cluster forgets jobs that have ended. Valid until the next call. Cost: O(jobs that
    // wait).
    const std::vector<QueueEntry>& eligible(Seconds now);
    // From when on a waiting job may start, as far as its begin and others decide that. None: it waits for others.
    std::optional<Seconds> eligible_from(JobPlace place) const;
    // The jobs that wait, eligible or not. Some of them may have started since the last call of eligible().
    const std::vector<QueueEntry>& waiting() const { return waiting_; }

 private:
    bool is_before(const QueueEntry& a, const QueueEntry& b) const;
    bool is_eligible(JobPlace place, Seconds now);
    // Since when a dependency holds; `never` if it never will; none if nobody knows.
    static constexpr Seconds never = std::numeric_limits<Seconds>::max();
    std::optional<Seconds> holds_from(const Dependency& dependency) const;

    Cluster& cluster_;
    bool by_submission_;
    std::vector<QueueEntry> waiting_;
    std::vector<QueueEntry> eligible_;
};

}  // namespace batfill::slurm
