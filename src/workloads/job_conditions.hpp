#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <batfill/core/resources.hpp>
#include <batfill/workloads/swf_conversion.hpp>

namespace batfill {

struct SwfSelection;

// What the kept jobs of a log wait for, as their workload has it.
struct JobConditions {
    // Only looked up; of jobs that have some. `begin` counts from the submission.
    std::unordered_map<const SwfJob*, StatedNeeds> of_job;
    std::optional<std::vector<RuleCount>> counts;  // as ConversionSummary::conditions
    std::size_t never_ok = 0;                      // likewise
    // Jobs without a time limit that their log calls completed, and whose success others wait for: a replay would stop
    // them at a walltime that is their run time.
    std::unordered_set<const SwfJob*> longer_walltime;  // only looked up
};

// Which conditions of the log hold for the kept jobs: see convert_swf(). Nothing for a log without conditions.
// Cost: O(n + conditions * tasks of an array).
JobConditions conditions_of(const SwfSelection& selection, const SwfConversion& conversion);

}  // namespace batfill
