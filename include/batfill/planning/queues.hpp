#pragma once

#include <set>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>

namespace batfill {

// The waiting jobs of a machine as one queue or several, each with the rule of the algorithm for itself: a queue for
// each booking, and with `queues=partitions` for each text of the field `partition` in each of these.
class Queues {
 public:
    // The parameter `queues`.
    static Parameter parameter();
    explicit Queues(const Parameters& parameters) : Queues(parameters.choice("queues") == "partitions") {}
    explicit Queues(bool by_partition) : by_partition_(by_partition) {}

    // Whether a machine may have several queues.
    bool are_several(const Machine& machine) const {
        return machine.has_bookings() || (by_partition_ && !machine.resources().partitions().empty());
    }
    // Each in the order of the waiting queue: first the jobs without a booking, then those of each, by its name; in
    // each of these first the jobs without a partition, then those of each, by the text that names it or several.
    // Requires: are_several().
    // Cost: O(waiting jobs * log(queues)).
    std::vector<std::vector<JobIndex>> of(const SchedulerState& state) const;

 private:
    bool by_partition_;
};

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
