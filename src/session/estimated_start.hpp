#pragma once

#include <optional>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/engine.hpp>

#include "protocol/message.hpp"

namespace batfill {

// When `job` would start if it were submitted now: what the algorithm guarantees it, or else its start if all jobs took
// their walltimes and no other job came. None: it would be rejected, or never start. `ids` has the jobs of the engine.
// Calls that change nothing, 10,000 in a row, are left out until the next job ends. Changes nothing: the plan says it,
// or else it happens in a copy of the engine, or of the process if the algorithm cannot be copied.
// Requires: nothing was taken in since the last decide().
// Throws: std::system_error if the system makes no copy of the process, std::runtime_error if the algorithm fails.
// Cost: one search in the plan; else that of copying the engine, and of the rounds until the start.
std::optional<Time> start_if_submitted(Engine& engine, Time now, const JobDescription& job,
                                       const protocol::JobIds& ids);

}  // namespace batfill
