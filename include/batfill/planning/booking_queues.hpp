#pragma once

#include <vector>

#include <batfill/engine/state.hpp>

namespace batfill {

// The waiting jobs as a queue family looks at them where windows are for bookings: first those without one, then
// those of each booking, by its name. Each queue in the order of submission. Without bookings, one queue.
// Cost: O(waiting jobs * log(bookings)).
std::vector<std::vector<JobIndex>> booking_queues(const SchedulerState& state);

}  // namespace batfill
