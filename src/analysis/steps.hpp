#pragma once

#include <optional>
#include <vector>

#include <batfill/core/time.hpp>

#include "job_measures.hpp"

// The machine and the queue over time, as the finished jobs of a run tell. Nothing depends on the order of the jobs.
namespace batfill::analysis {

// The machine and the queue from an instant on, until that of the next step. A job waits from its submission to its
// start, and has its allocated processors in use from its start for its run time.
struct Step {
    Time at;
    long long busy = 0;       // processors in use
    long long waiting = 0;    // jobs in the queue
    long long requested = 0;  // processors that these jobs request
    friend bool operator==(const Step&, const Step&) = default;
};

// The steps in the order of time, each different from the one before; after the last one nothing runs or waits. Before
// the first one it is the same. O(n log n).
std::vector<Step> steps_of(const FinishedJobs& jobs);

// How many jobs wait, and how many processors they request, averaged over the time from the first submission to the
// last completion; no value if that takes no time. O(n).
std::optional<double> mean_queue_length(const FinishedJobs& jobs);
std::optional<double> mean_queued_processors(const FinishedJobs& jobs);

// What needs the jobs in the order of time; values are missing where there are no jobs, or no time passes.
struct OverTime {
    // The most jobs that ever wait for any time, and the most processors that waiting jobs request.
    std::optional<double> max_queue_length;
    std::optional<double> max_queued_processors;
    // The share of the machine's capacity, from the first submission to the last completion, that is idle though
    // waiting jobs request it: at every instant min(idle processors, processors that the waiting jobs request). This is
    // the lost capacity of Krevat, Castaños and Moreira, Job Scheduling for the BlueGene/L System, JSSPP 2002.
    std::optional<double> lost_capacity;
    // Processors in use / min(processors of the machine, demand), averaged over the time at which there are jobs in the
    // system (submitted and not completed). The demand is as many processors as there are such jobs, or as these
    // request.
    std::optional<double> usage_by_jobs;
    std::optional<double> usage_by_requested;
};

// Without the number of `processors`, above 0, of the machine there is neither lost capacity nor usage. O(n log n).
OverTime measure_over_time(const FinishedJobs& jobs, std::optional<int> processors);

}  // namespace batfill::analysis
