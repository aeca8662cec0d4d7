#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>

#include "src/analysis/job_measures.hpp"

// Which of several runs of the same jobs is told apart from the best one.
namespace batfill::analysis {

// A metric of several runs, of which less is better, with 95 % confidence intervals.
struct ComparedMetric {
    std::string metric;
    std::vector<Interval> values;  // by run
    std::size_t best = 0;          // the first run with the least value
    // By run: whether it is worse than the best one, and the interval of the difference is above 0.
    std::vector<bool> is_told_apart;
};

struct ComparedIntervals {
    bool are_of_same_jobs = true;         // all runs finished the same jobs
    std::size_t weeks = 0;                // in which jobs were submitted
    std::string reason;                   // why there are none; empty if there are some
    std::vector<ComparedMetric> metrics;  // in the order of the names
};

// Compares the runs by bootstrap over weeks, as measure_intervals() does. Each resample is the same of all runs, which
// pairs them. There are none if the runs finished different jobs, or jobs of fewer than `fewest_groups` weeks.
// Requires: `metrics` are names of metrics that measure_intervals() has, less of which is better; runs.size() > 0.
// Cost: O(runs * (n log n + metrics * resamples * n)); for a mean or a high percentile, the resamples cost less.
ComparedIntervals compare_intervals(const std::vector<const FinishedJobs*>& runs,
                                    const std::vector<std::string>& metrics, Duration tau,
                                    const IntervalOptions& how = {});

}  // namespace batfill::analysis
