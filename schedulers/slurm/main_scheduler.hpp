#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/earliest_start.hpp"
#include "schedulers/slurm/node_set.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// Runs of the main scheduler. It starts jobs from the front of the queue, in each partition until the first that has to
// wait for nodes, and knows nothing of the plans of backfill.
class MainScheduler {
 public:
    struct Outcome {
        std::vector<JobPlace> started;  // in their order
        bool has_skipped = false;       // a job behind another one, or one that waits for a licence or a reservation
    };

    // Requires: both outlive this object.
    MainScheduler(const Settings& settings, Cluster& cluster);

    // `queue`: the jobs that may start, in their order. A run that is not full ends at default_queue_depth. Starts jobs
    // in the cluster. The answer is valid until the next run.
    // Cost: for each job up to the last partition that fails, a choice of nodes.
    const Outcome& run(std::span<const QueueEntry> queue, Seconds now, bool is_full);

 private:
    enum class Answer { started, skipped, failed };

    Answer try_job(const QueueEntry& entry, Seconds now);
    // As above, in the reservations that a job asks for.
    Answer try_inside(const QueueEntry& entry, Seconds now);
    // Takes the nodes of reservations that a job would overlap out of candidates_, but for those of that which it would
    // be inside. Returns none if one closes its partition, else whether there are any.
    std::optional<bool> avoid_reservations(const QueueEntry& entry, Seconds now, ReservationPlace inside);
    // The job has failed: those of its partition, or of its reservation, have to wait.
    char& has_failed(const QueueEntry& entry);
    // Whether one before it has failed, or enough jobs of its partition were tried. Counts it as tried if not.
    bool is_behind_others(const QueueEntry& entry);
    // Whether the job may fail without holding up those behind it.
    bool may_be_passed(const Job& job, Seconds now) const;

    const Settings& settings_;
    Cluster& cluster_;
    EarliestStart earliest_start_;
    Outcome outcome_;
    NodeSet left_;  // nodes of no partition that has failed
    NodeSet candidates_;
    std::vector<char> has_failed_;         // by partition
    std::vector<char> has_failed_inside_;  // by name of a reservation
    std::vector<int> tried_;
    Choice choice_;
};

}  // namespace batfill::slurm
