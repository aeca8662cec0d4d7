#pragma once

#include <vector>

#include <batfill/engine/state.hpp>

namespace batfill {

// The waiting jobs as a queue family looks at them where windows are for reservations: first those without one, then
// those of each reservation, by its name. Each queue in the order of submission. Without reservations, one queue.
// Cost: O(waiting jobs * log(reservations)).
std::vector<std::vector<JobIndex>> reservation_queues(const SchedulerState& state);

}  // namespace batfill
