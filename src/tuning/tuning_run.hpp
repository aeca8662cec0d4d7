#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "src/tuning/weight_search.hpp"

namespace batfill {

class Checkpoint;

// A search, and the workloads over which it minimises the sum of the metric. A workload belongs to one search only.
struct TuningTask {
    std::unique_ptr<WeightSearch> search;
    std::vector<std::size_t> workloads;
};

struct TuningHooks {
    // Returns the metric of a workload under these weights, which must be a number; called from any thread.
    std::function<double(std::size_t workload, const MixedWeights& weights)> measure;
    // Hears how many values are known out of how many in all; called from any thread, but one call at a time. May be
    // empty.
    std::function<void(std::size_t done, std::size_t total)> progress;
    // Hears each value in an order that does not depend on the threads; evaluations are numbered from 1. May be empty.
    std::function<void(std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value)>
        evaluated;
};

// Runs the searches to their ends, side by side on `threads` threads (at least one): they take turns in asking, and
// what they ask for is measured at the same time. Values that `checkpoint` has are not measured again, others are added
// to it. The result depends neither on the threads nor on what the checkpoint has. An exception of `measure` ends the
// run.
void run_searches(std::vector<TuningTask>& tasks, const TuningHooks& hooks, Checkpoint& checkpoint, unsigned threads);

}  // namespace batfill
