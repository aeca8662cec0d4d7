#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/algorithm.hpp>
#include <batfill/job_order.hpp>
#include <batfill/parameters.hpp>
#include <batfill/scheduler_choice.hpp>
#include <batfill/state.hpp>
#include <batfill/time.hpp>

namespace batfill {

// Tunes the weights of the order `mixed` while the scheduler is at work: once every period, they become those under
// which the jobs that were seen lately would have had the smallest mean bounded slowdown, on a machine that was empty
// before. What decides are the jobs and the seed alone. docs/results/online-tuning.md tells whether it helps.
class WeightTuner {
 public:
    // `period` and those that go with it, to be declared by an algorithm that declares JobOrder::weights().
    static std::vector<Parameter> parameters();
    // A tuner for an algorithm with the parameters that were given to it; it begins with their weights. None if no
    // period is given. Throws UsageError if the others are given without it, for values of 0, and if there are no
    // weights to tune, or nothing in this program that could tune them.
    static std::unique_ptr<WeightTuner> from(const std::string& algorithm, const Parameters& parameters);

    virtual ~WeightTuner() = default;

    // To be called once for each job that has run.
    virtual void ended(const SchedulerState& state, std::span<const Completion> completions) = 0;

    // The weights from now on, if a period has begun since the last call and better ones were found than those so far.
    // Costs as many replays of the jobs as evaluations are asked for, or nothing within a period.
    virtual std::optional<MixedWeights> tune(const SchedulerState& state) = 0;

    // How often it searched, and how often it found better weights.
    virtual std::vector<Statistic> statistics() const = 0;
};

// What is to be tuned, and how.
struct WeightTuning {
    SchedulerChoice scheduler;  // that the weights are for; its own weights do not matter
    MixedWeights weights{};     // to begin with
    Duration period;            // positive
    Duration history;           // positive; jobs submitted longer ago do not count
    std::size_t evaluations;    // positive; how many weights are tried in each period
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
