#pragma once

#include <functional>
#include <string>

#include <batfill/engine/state.hpp>
#include <batfill/engine/wait_reason.hpp>

namespace batfill {

// The job as reasons name it.
using NameOfJob = std::function<std::string(JobIndex)>;

// Says what a waiting job outside reservations lacks now, without a look at windows to come: the kind of its reason,
// and what it takes of pools and named hosts, what of that is free, and who has the rest. Cost: O(running jobs), and
// with pools or named hosts O((pools + hosts) * running jobs).
void find_lack(const SchedulerState& state, const Job& job, const NameOfJob& name, WaitReason& reason);

// Says of any waiting job what it lacks of limits, and who has it. Cost: O(limits that it takes of * running jobs).
void find_lacking_limits(const SchedulerState& state, const Job& job, const NameOfJob& name, WaitReason& reason);

}  // namespace batfill
