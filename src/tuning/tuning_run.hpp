#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "src/tuning/weight_search.hpp"

namespace batfill {

class Checkpoint;

// A search, and the workloads over which it minimises the sum of the metric. A workload belongs to only one search.
struct TuningTask {
    std::unique_ptr<WeightSearch> search;
    std::vector<std::size_t> workloads;
};

struct TuningHooks {
    // Returns the metric of a workload under these weights, which must be a number. Any thread may call it.
    std::function<double(std::size_t workload, const MixedWeights& weights)> measure;
    // Receives the number of known values and the total. Any thread may call it, but only one at a time. May be empty.
    std::function<void(std::size_t done, std::size_t total)> progress;
    // Receives each value in an order that does not depend on the threads. Evaluations are numbered from 1. May be
    // empty.
    std::function<void(std::size_t workload, std::size_t evaluation, const MixedWeights& weights, double value)>
        evaluated;
};

// Runs the searches to their ends, side by side on `threads` threads. All values that the searches request in one round
// are measured in parallel. Skips values in `checkpoint` and adds the others to it. Neither the threads nor the
// checkpoint change the result. An exception of `measure` ends the run. Returns the number of values.
// Requires: at least one thread.
std::size_t run_searches(std::vector<TuningTask>& tasks, const TuningHooks& hooks, Checkpoint* checkpoint,
                         unsigned threads);

}  // namespace batfill
