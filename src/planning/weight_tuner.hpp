#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/planning/job_order.hpp>

namespace batfill {

// Tunes the weights of the order `mixed` while the scheduler runs. In each period, it finds the weights with which
// recent jobs would have had the smallest mean bounded slowdown on an initially empty machine. The result depends only
// on the jobs and the seed. docs/results/online-tuning.md shows whether it helps.
class WeightTuner {
 public:
    // The parameter `period`, and the parameters that require it. An algorithm that declares them also declares
    // JobOrder::weights() and JobOrder::scales().
    static std::vector<Parameter> parameters();
    // A tuner for an algorithm with these parameters; it begins with their weights. Null if no period is given.
    // Throws: UsageError
    // - if another of its parameters is given without a period
    // - if one is 0
    // - if there are no weights to tune
    // - if this program has no tuner
    static std::unique_ptr<WeightTuner> from(const std::string& algorithm, const Parameters& parameters);

    virtual ~WeightTuner() = default;

    // Remembers jobs; called once for each job that has run.
    virtual void ended(const SchedulerState& state, std::span<const Completion> completions) = 0;

    // Returns new weights if a period has begun since the last call and the search found better ones.
    // Cost: one replay of the jobs per evaluation; nothing if no period has begun.
    virtual std::optional<MixedWeights> tune(const SchedulerState& state) = 0;

    // The number of searches, and of searches that found better weights.
    virtual std::vector<Statistic> statistics() const = 0;
};

// What to tune, and how.
struct WeightTuning {
    WrittenScheduler scheduler;  // the scheduler that uses the weights; its own weights do not matter
    MixedWeights weights{};      // to start with
    Duration period;             // positive
    Duration history;            // positive; jobs submitted longer ago do not count
    std::size_t evaluations;     // 1 to 100,000; number of weights tried in each period
    std::size_t features;        // 3 or 6: number of weights searched for; the others are 0
    std::uint64_t seed;          // of the tried weights
};

// Makes the tuners of WeightTuner::from(). A tuner replays jobs, so it needs layers above the engine. That layer
// registers its maker with one static object of this type.
class WeightTunerRegistration {
 public:
    using Maker = std::unique_ptr<WeightTuner> (*)(WeightTuning);
    explicit WeightTunerRegistration(Maker maker);
};

}  // namespace batfill
