#pragma once

#include <optional>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/job_order.hpp>

#include "schedulers/farm_heuristics.hpp"

namespace batfill::farm {

// Flexible backfilling on a farm. The head of the queue starts, or it reserves processors of one machine, and licences.
// The other jobs are tried in the order of their priorities, each on the machines from the fastest down. They start if
// they do not delay the head. bf-unmod and bf-mod differ in which job is the head.
//
// Cost of a round: O(waiting jobs * (licences of each + machines / 64)), and O(running jobs + machines) for the
// reservation; less if no job can start.
class FlexibleBackfilling : public Algorithm {
 public:
    enum class Head {
        kept,   // a job that becomes the head remains it until it starts
        moving  // the job with the highest priority in each round
    };

    static AlgorithmDescription description(const char* name, const char* summary, const char* section, Head head);

    FlexibleBackfilling(const Parameters& parameters, Head head)
        : priority_(parameters), keeps_head_(head == Head::kept) {}

    void submitted(Round& round, JobIndex job) override { priority_.submitted(round.state().job(job), job); }
    void started(const SchedulerState&, JobIndex job) override { priority_.left(job); }
    void withdrawn(const SchedulerState&, JobIndex job) override;
    void decide(Round& round) override;

 private:
    // The first position in the queue, at or after `from`, of a job that could start now. The queue's size if there is
    // none.
    std::size_t next_startable(const SchedulerState& state, std::size_t from) const;
    void start_heads(Round& round);
    void backfill(Round& round);

    Priority priority_;
    bool keeps_head_;
    std::optional<JobIndex> head_;  // the head that could not start
    RankedJobs ranked_;
};

}  // namespace batfill::farm
