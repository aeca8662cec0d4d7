#pragma once

#include <optional>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/engine.hpp>

#include "protocol/message.hpp"

namespace batfill {

// When `job` would start if it were submitted now: what the algorithm guarantees it, or else its start if all jobs took
// their walltimes and no other job came. None: it would be rejected, or never start. `ids` has the jobs of the engine.
// Calls that change nothing, 10,000 in a row, are left out until the next job ends. Changes nothing: it happens in a
// copy of the process.
// Throws: std::system_error if the system makes no copy, std::runtime_error if the algorithm fails.
// Cost: that of copying the memory that changes, and of the rounds until the start.
std::optional<Time> start_if_submitted(Engine& engine, Time now, const JobDescription& job,
                                       const protocol::JobIds& ids);

}  // namespace batfill
