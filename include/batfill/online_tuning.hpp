#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <batfill/algorithm.hpp>
#include <batfill/scheduler_choice.hpp>
#include <batfill/tuning.hpp>
#include <batfill/workload.hpp>

namespace batfill {

// Tunes the weights of an order while the scheduler is at work: once in every period, the weights become those under
// which the jobs seen lately would have had the smallest mean bounded slowdown on a machine that was empty at first.
// The result depends on nothing but the jobs and the seed. docs/results/online-tuning.md tells whether tuning helps.
class OnlineTuning {
 public:
    // The parameter `period`, and the parameters that only mean something with it.
    static std::vector<Parameter> parameters();
    // Returns null if no period is given. Throws UsageError if another parameter is given without a period, or if one
    // is 0.
    static std::unique_ptr<OnlineTuning> from(const Parameters& parameters);

    // Remembers a job; to be called once for each job that has run.
    void ended(const SchedulerState& state, std::span<const Completion> completions);

    // Returns the weights to use from now on, if a period has begun since the last call and better weights than
    // `weights` were found. `scheduler` is the scheduler that the weights are for; its own weights do not matter. Costs
    // as many replays of the jobs as evaluations are asked for, and nothing if no period has begun.
    std::optional<MixedWeights> tune(const SchedulerState& state, const SchedulerChoice& scheduler,
                                     const MixedWeights& weights);

    // How often a search was made, and how often it found better weights.
    std::vector<Statistic> statistics() const;

 private:
    OnlineTuning() = default;

    // A job as it turned out to be.
    struct PastJob {
        Time submit;
        Time end;
        Duration walltime;
        Duration run;
        int processors;
    };

    Duration period_;
    Duration history_;
    std::size_t evaluations_ = 0;
    MixedFeatures features_ = MixedFeatures::three;
    std::uint64_t seed_ = 0;

    // The past jobs as a workload.
    Workload past(Time since) const;

    std::deque<PastJob> past_jobs_;  // by end; only those that a later search may look at
    Microseconds periods_ = 0;       // how many had begun at the last call
    std::uint64_t tunings_ = 0;
    std::uint64_t improvements_ = 0;
};

}  // namespace batfill
