#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>

#include "job_measures.hpp"

// The classes of width and length that divide jobs everywhere, and the measurements of a group.
namespace batfill::analysis {

// Classes of width: class 0 is 1 processor; class i > 0 is 2^(i-1) + 1 to 2^i processors.
// Requires: processors >= 1.
std::size_t width_class(int processors);
// The class of the job's request; class 0 for a job that requests none.
std::size_t width_class(const FinishedJob& job);
// The processors of a class: "1", "2", "3-4", "5-8", ...
std::string width_class_name(std::size_t width);

// Classes of run time: below 1 minute, 10 minutes, 1 hour, 4 hours, 1 day, and all longer ones.
inline constexpr std::array<const char*, 6> length_class_names{"< 1 min", "1-10 min", "10-60 min",
                                                               "1-4 h",   "4-24 h",   "from 1 d"};
std::size_t length_class(Duration run);

// Requires: tau > 0.
// Cost: O(n log n).
GroupMetrics measure_group(const FinishedJobs& jobs, Duration tau);

}  // namespace batfill::analysis
