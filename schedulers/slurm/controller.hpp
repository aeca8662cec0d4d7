#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schedulers/slurm/backfill.hpp"
#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/job_queue.hpp"
#include "schedulers/slurm/main_scheduler.hpp"
#include "schedulers/slurm/priorities.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// A whole controller but its clock: whoever drives it says what happens, and when its schedulers run.
class Controller {
 public:
    // Requires: `settings` outlives this object. Whoever changes the cluster beside this object only ends, releases and
    // cancels jobs, and adds reservations.
    Controller(const Settings& settings, std::vector<Node> nodes, std::vector<Partition> partitions,
               std::vector<int> licenses, std::vector<std::int64_t> partition_factors = {})
        : settings_(settings),
          cluster_(std::move(nodes), std::move(partitions), std::move(licenses)),
          queue_(settings, cluster_),
          priorities_(settings, std::move(partition_factors)),
          main_(settings, cluster_),
          backfill_(settings, cluster_) {}

    // Another one in the same state.
    Controller(const Controller& other)
        : settings_(other.settings_),
          cluster_(other.cluster_),
          queue_(other.queue_, cluster_),
          priorities_(other.priorities_),
          main_(settings_, cluster_),
          backfill_(settings_, cluster_) {}
    Controller& operator=(const Controller&) = delete;

    Cluster& cluster() { return cluster_; }
    const JobQueue& queue() const { return queue_; }

    // A job comes. It gets its priority, unless it is held.
    JobPlace submit(Job job, Seconds now) {
        job.submitted = now;
        if (job.begin <= now && job.dependencies.empty()) {
            job.eligible = now;
        }
        if (job.priority > 0) {
            job.priority = priorities_.at_submission(cluster_, job);
        }
        const JobPlace place = cluster_.submit(std::move(job));
        queue_.add(place);
        return place;
    }

    // Computes the priorities of waiting jobs anew. Returns whether that is done with these settings.
    bool compute_priorities(Seconds now) {
        const bool are_computed = priorities_.compute(cluster_, queue_.waiting(), now);
        if (are_computed) {
            queue_.sort();
        }
        return are_computed;
    }

    const MainScheduler::Outcome& run_main(Seconds now, bool is_full) {
        return main_.run(queue_.eligible(now), now, is_full);
    }
    const CycleOutcome& run_backfill(Seconds now) {
        cluster_.begin_cycle();
        return backfill_.run(queue_.eligible(now), now);
    }

 private:
    const Settings& settings_;
    Cluster cluster_;
    JobQueue queue_;
    Priorities priorities_;
    MainScheduler main_;
    Backfill backfill_;
};

}  // namespace batfill::slurm
