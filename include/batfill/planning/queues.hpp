#pragma once

#include <set>
#include <vector>

#include <batfill/engine/algorithm.hpp>

namespace batfill {

// The waiting jobs as a queue for each booking of the machine, in the order of the queue: first the jobs without a
// booking, then those of each, by its name.
// Cost: O(waiting jobs * log(bookings)).
std::vector<std::vector<JobIndex>> booking_queues(const SchedulerState& state);

// Warnings of first jobs that keep all others waiting past windows.
class LongWaits {
 public:
    // Logs, once for each job, that the first job of a queue, which cannot start now, waits past two windows: it may be
    // longer than every gap between them. Does nothing on machines without windows.
    // Requires: the algorithm looks ahead on machines with windows.
    void note(const SchedulerState& state, JobIndex first);

 private:
    std::set<JobIndex> noted_;
};

}  // namespace batfill
