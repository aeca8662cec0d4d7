#pragma once

#include <batfill/formats/workload.hpp>

namespace batfill {

// Whether jobs of the workload have conditions (StatedNeeds::has_conditions()).
// Throws: InputError, which names the job, if one waits for a job that the workload does not have, or in a circle.
// Cost: O(jobs + conditions).
bool has_dependencies(const Workload& workload);

}  // namespace batfill
