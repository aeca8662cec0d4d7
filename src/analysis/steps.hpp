#pragma once

#include <optional>
#include <vector>

#include <batfill/core/time.hpp>

#include "src/analysis/job_measures.hpp"

// The machine and the queue over time, computed from the finished jobs of a run. Nothing depends on the order of the
// jobs.
namespace batfill::analysis {

// The state of the machine and the queue from one instant until the next step. A job waits from its submission to its
// start. From its start it uses its allocated processors for its run time.
struct Step {
    Time at;
    long long busy = 0;       // processors in use
    long long waiting = 0;    // jobs in the queue
    long long requested = 0;  // processors that these jobs request
    friend bool operator==(const Step&, const Step&) = default;
};

// Returns the steps in the order of time, each different from the one before. Nothing runs or waits before the first
// step or after the last one.
// Cost: O(n log n).
std::vector<Step> steps_of(const FinishedJobs& jobs);

// Measurements over time. Values are missing where there are no jobs, or no time passes.
struct OverTime {
    // The number of waiting jobs, and the processors that they request, averaged over the time from the first
    // submission to the last completion.
    std::optional<double> mean_queue_length;
    std::optional<double> mean_queued_processors;
    // The maximum number of jobs that wait at once for any time, and of processors that waiting jobs request.
    std::optional<double> max_queue_length;
    std::optional<double> max_queued_processors;
    // The share of the machine's capacity, from the first submission to the last completion, that is idle though
    // waiting jobs request it: at every instant min(idle processors, processors that the waiting jobs request). This is
    // the lost capacity of Krevat, Castaños and Moreira, Job Scheduling for the BlueGene/L System, JSSPP 2002.
    std::optional<double> lost_capacity;
    // Processors in use / min(processors of the machine, demand), averaged over the time at which the system has jobs
    // (submitted and not completed). The demand is the number of these jobs, or of the processors that they request.
    std::optional<double> usage_by_jobs;
    std::optional<double> usage_by_requested;
};

// Gives neither lost capacity nor usage without the machine's number of `processors`.
// Requires: `processors`, if given, is above 0.
// Cost: O(n log n).
OverTime measure_over_time(const FinishedJobs& jobs, std::optional<int> processors);

}  // namespace batfill::analysis
