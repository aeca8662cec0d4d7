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

// Tunes the weights of an order while the scheduler is at work: once every period, they become those under which the
// jobs that were seen lately would have had the smallest mean bounded slowdown, on a machine that was empty before.
// What decides are the jobs and the seed alone. docs/results/online-tuning.md tells whether it helps.
class OnlineTuning {
 public:
    // `period` and those that go with it.
    static std::vector<Parameter> parameters();
    // None if no period is given. Throws UsageError if the others are given without it, or for values of 0.
    static std::unique_ptr<OnlineTuning> from(const Parameters& parameters);

    // To be called once for each job that has run.
    void ended(const SchedulerState& state, std::span<const Completion> completions);

    // The weights from now on, if a period has begun since the last call and better ones than `weights` were found.
    // `scheduler` is what the weights are for; its own weights do not matter. Costs as many replays of the jobs as
    // evaluations are asked for, or nothing within a period.
    std::optional<MixedWeights> tune(const SchedulerState& state, const SchedulerChoice& scheduler,
                                     const MixedWeights& weights);

    // How often it searched, and how often it found better weights.
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

    // As the workload that it would have been.
    Workload past(Time since) const;

    std::deque<PastJob> past_jobs_;  // by end; only those that may count again
    Microseconds periods_ = 0;       // that had begun at the last call
    std::uint64_t tunings_ = 0;
    std::uint64_t improvements_ = 0;
};

}  // namespace batfill
