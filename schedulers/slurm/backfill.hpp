#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/slurm/cluster.hpp"
#include "schedulers/slurm/earliest_start.hpp"
#include "schedulers/slurm/node_set.hpp"
#include "schedulers/slurm/node_space.hpp"
#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// What a cycle knows of the start of a job that it did not start.
struct PlannedStart {
    JobPlace job;
    Seconds start;
    bool is_planned;  // on `nodes`; otherwise the start is only an estimate
    NodeSet nodes;
};

// What a cycle did.
struct CycleOutcome {
    std::vector<JobPlace> started;          // in their order
    std::span<const PlannedStart> planned;  // as above; valid until the next cycle
    int tested = 0;                         // jobs that count for bf_max_job_test
    int tries = 0;                          // of all jobs together
    // Whether it counts as a change, so that another cycle follows: it planned a job on a node that is not fully
    // allocated, or a job found too few nodes free of plans and was tried again from a later moment.
    bool is_change = false;
};

// Cycles of sched/backfill. Each takes the queue job by job: a job starts if it delays no plan, or gets a plan of its
// own. All plans are forgotten when the cycle ends.
class Backfill {
 public:
    // Requires: both outlive this object.
    Backfill(const Settings& settings, Cluster& cluster);

    // Runs one cycle. `queue`: the jobs that wait and may start, in the order in which they are tried. Starts jobs in
    // the cluster.
    // Cost: for each try of a job, O(records of the table * nodes / 64), and a question of EarliestStart.
    const CycleOutcome& run(std::span<const QueueEntry> queue, Seconds now);

 private:
    enum class Then { next_job, end_cycle };

    // Numbers of jobs that a cycle has looked at, by user and partition.
    class Counts {
     public:
        void clear() { counts_.clear(); }
        int& operator[](std::size_t key);

     private:
        std::vector<int> counts_;
    };

    // The tries of a job.
    struct Attempt {
        QueueEntry entry;
        const Job& job;
        const Partition& partition;
        std::span<const LicenseCount> licenses;  // that the table plans
        bool now_only;                           // it may start now, but not be planned
        Seconds at;                              // the moment of this try
        std::optional<Seconds> later;            // the moment of the next one
        bool is_counted = false;                 // for bf_max_job_test
        std::size_t first_segment = 0;           // of the table at this moment, or one before it
        int slots = 0;                           // that bf_topopt_enable has found
        ReservationPlace inside = {};            // in which this try would run
        bool is_moved = false;                   // behind a reservation that closes the partition
    };

    void begin(Seconds now);
    // The running job takes its place in the table.
    void enter(const RunningJob& running);
    std::span<const LicenseCount> table_licenses(const Job& job) const;
    bool may_only_start_now(const Job& job) const;
    // Why the cycle passes over a job without a try; `nothing`: it does not.
    InCycle held_by(const QueueEntry& entry);
    void note(JobPlace job, InCycle found);
    bool may_plan_task(const Job& job);
    bool is_within_limits(const QueueEntry& entry);
    bool has_all_plans() const;
    // Whether this cycle has planned the job. Cost: O(jobs that are planned).
    bool has_plan(JobPlace job) const;

    Then try_job(const QueueEntry& entry);
    // Takes advance reservations out of candidates_, and moves the try behind those that close the partition. Returns
    // when the first of those that take nodes is over.
    std::optional<Seconds> avoid_reservations(Attempt& attempt);
    // As find_start(), in the reservations that the job asks for: in that in which it starts first.
    std::optional<Seconds> find_start_inside(Attempt& attempt);
    // The start that a try finds among candidates_.
    std::optional<Seconds> find_start_among_candidates(const Attempt& attempt);
    bool has_licenses_now(const Job& job) const;
    // Those of the partition that would do if they were empty.
    void set_candidates(const Attempt& attempt);
    // Sets candidates_, attempt.at and attempt.later. Returns false if there are too few candidates, or the try has
    // moved behind the end of the reservation in which it would run.
    bool find_candidates(Attempt& attempt);
    // As above, for this try and for those that follow it until one finds enough, without licences and reservations.
    bool find_candidates_at_once(Attempt& attempt);
    // Whether it is enough to know that this try does not find a start before the next one.
    bool may_be_in_vain(const Attempt& attempt) const;
    // A try has found enough nodes: the job counts as tested, once.
    void count(Attempt& attempt);
    // A try has found too few nodes.
    void put_off(Attempt& attempt);
    // The start that a try has found, on choice_; none if the next try is to follow.
    std::optional<Seconds> find_start(Attempt& attempt);
    // With bf_topopt_enable: the best of the starts that tries find. All score the same, so it is the first.
    std::optional<Seconds> find_slot(Attempt& attempt, Seconds start);
    // Starts or plans the job; none if the next try is to follow.
    std::optional<Then> settle(Attempt& attempt, Seconds start);
    bool start_now(const Attempt& attempt);
    bool conflicts(const Attempt& attempt, Seconds start) const;
    Seconds planned_end(const Job& job, Seconds start) const;
    // Notes the start; on choice_ if it is planned.
    void note(const Attempt& attempt, Seconds start, bool is_planned);

    const Settings& settings_;
    Cluster& cluster_;
    bool is_26_11_;
    EarliestStart earliest_start_;
    NodeSpace space_;
    const NodeSet no_nodes_;

    // Of a cycle.
    Seconds now_ = 0;
    CycleOutcome outcome_;
    std::vector<PlannedStart> planned_;
    std::size_t planned_count_ = 0;
    int plans_ = 0;
    Counts tried_of_user_;
    Counts tried_of_partition_;
    Counts tried_of_user_in_partition_;
    Counts planned_of_array_;

    // Of a try of a job.
    NodeSet candidates_;
    Choice choice_;
    Choice choice_for_start_;
    Seconds first_slot_start_ = 0;
    NodeSet first_slot_nodes_;
};

}  // namespace batfill::slurm
