#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include <batfill/engine/state.hpp>

namespace batfill {

// Which jobs the algorithm was told of, which of those that no workload has are still to be acknowledged, and when no
// more jobs can follow.
class JobRegistration {
 public:
    void begin(bool acknowledges_jobs) { acknowledges_jobs_ = acknowledges_jobs; }

    // The algorithm has registered a job. Returns whether it waits only once that is acknowledged.
    bool registered(JobIndex index, JobNumber number) {
        admitted(index);
        requeued(number);
        return acknowledges_jobs_ && unacknowledged_.insert(index).second;
    }
    // A killed job is submitted again under this number.
    void requeued(JobNumber number) {
        if (acknowledges_jobs_) {
            to_be_acknowledged_.insert(number);
        }
    }
    // Returns false if no job of this number is to be acknowledged.
    bool acknowledged(JobNumber number) { return to_be_acknowledged_.erase(number) > 0; }
    bool is_unacknowledged(JobIndex index) const { return unacknowledged_.contains(index); }

    // A job is admitted or rejected.
    void admitted(JobIndex index) {
        unacknowledged_.erase(index);
        admitted_ = std::max(admitted_, std::size_t{index} + 1);
    }
    // Whether it was, or the algorithm has registered it; and whether it was told of it as a job that may start.
    bool is_known(JobIndex index) const { return index < admitted_; }
    bool was_told_of(JobIndex index) const { return is_known(index) && !is_unacknowledged(index); }

    void all_submitted() { all_submitted_ = true; }
    // Whether no job follows but those that are still to be registered.
    bool are_all_submitted() const { return all_submitted_ && unacknowledged_.empty(); }
    // Ends the registration; returns false if that was noted before.
    bool finish() { return !std::exchange(finished_, true); }

 private:
    std::size_t admitted_ = 0;                // number of jobs
    std::set<JobIndex> unacknowledged_;       // jobs that the algorithm registered
    std::set<JobNumber> to_be_acknowledged_;  // these, and killed jobs that were submitted again
    bool acknowledges_jobs_ = false;
    bool all_submitted_ = false;  // except registered jobs
    bool finished_ = false;
};

}  // namespace batfill
