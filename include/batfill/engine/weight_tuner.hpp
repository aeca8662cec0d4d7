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
#include <batfill/engine/job_order.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Tunes the weights of the order `mixed` while the scheduler is at work: once in every period, the weights become those
// under which the jobs seen lately would have had the smallest mean bounded slowdown on a machine that was empty at
// first. The result depends on nothing but the jobs and the seed. docs/results/online-tuning.md tells whether it helps.
class WeightTuner {
 public:
    // The parameter `period`, and the parameters that only mean something with it. An algorithm that declares them
    // declares JobOrder::weights() and JobOrder::scales(), too.
    static std::vector<Parameter> parameters();
    // A tuner for an algorithm that was given these parameters; it begins with their weights. Null if no period is
    // given. Throws UsageError if another parameter is given without a period, if one is 0, if there are no weights to
    // tune, or if this program has nothing that tunes them.
    static std::unique_ptr<WeightTuner> from(const std::string& algorithm, const Parameters& parameters);

    virtual ~WeightTuner() = default;

    // Remembers jobs; to be called once for each job that has run.
    virtual void ended(const SchedulerState& state, std::span<const Completion> completions) = 0;

    // Returns the weights to use from now on, if a period has begun since the last call and better weights than those
    // so far were found. Costs as many replays of the jobs as evaluations are asked for, and nothing if no period has
    // begun.
    virtual std::optional<MixedWeights> tune(const SchedulerState& state) = 0;

    // How often a search was made, and how often it found better weights.
    virtual std::vector<Statistic> statistics() const = 0;
};

// What is to be tuned, and how.
struct WeightTuning {
    SchedulerChoice scheduler;  // that the weights are for; its own weights do not matter
    MixedWeights weights{};     // to begin with
    Duration period;            // positive
    Duration history;           // positive; jobs submitted longer ago do not count
    std::size_t evaluations;    // 1 to 100,000; how many weights are tried in each period
    std::size_t features;       // 3 or 6: how many of the weights are searched for; the others are 0
    std::uint64_t seed;         // of the weights that are tried
};

// Makes the tuners of WeightTuner::from(). A tuner replays jobs, so it is made of what stands above the engine: the
// layer that has it registers it by one static object of this type.
class WeightTunerRegistration {
 public:
    using Maker = std::unique_ptr<WeightTuner> (*)(WeightTuning);
    explicit WeightTunerRegistration(Maker maker);
};

}  // namespace batfill
