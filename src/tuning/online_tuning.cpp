#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <utility>

#include <batfill/formats/workload.hpp>
#include <batfill/replay/replay.hpp>

#include "src/formats/named_platform.hpp"
#include "src/planning/weight_tuner.hpp"
#include "src/support/interruption.hpp"
#include "src/tuning/tune.hpp"

namespace batfill {

namespace {

// Tunes weights by replaying past jobs in this process.
class OnlineTuning : public WeightTuner {
 public:
    explicit OnlineTuning(WeightTuning tuning) : tuning_(std::move(tuning)) {}

    void ended(const SchedulerState& state, std::span<const Completion> completions) override {
        for (const Completion& completion : completions) {
            const Job& job = state.job(completion.job);
            past_jobs_.push_back({job.submit(), state.now, job.walltime, state.now - job.start, job.processors()});
        }
    }

    std::optional<MixedWeights> tune(const SchedulerState& state) override {
        const Microseconds periods = state.now.since_zero().count() / tuning_.period.count();
        if (periods <= periods_) {
            return std::nullopt;
        }
        periods_ = periods;
        const Time since = state.now - tuning_.history;
        while (!past_jobs_.empty() && past_jobs_.front().end < since) {
            past_jobs_.pop_front();
        }
        // The orders look only at the number of processors.
        const Replay replay(homogeneous_platform(state.processors), past(since));
        if (replay.scenario().workloads.front().jobs.empty()) {
            return std::nullopt;
        }
        const ReplayMetric metric("mean_bounded_slowdown");
        const auto value = [&](const MixedWeights& candidate) {
            if (stop_signal_pending()) {
                throw Interrupted();  // a search may take longer than anyone waits for a daemon to stop
            }
            return *replay.measure(tuning_.scheduler.with({{"weights", numbers_text(candidate)}}), metric);
        };
        // Each period has its own seed. With a shared one, every period would miss the same weights.
        const std::uint64_t seed = tuning_.seed + static_cast<std::uint64_t>(periods);
        constexpr double lambda = 1;
        const std::unique_ptr<WeightSearch> search =
            xnes_search(static_cast<MixedFeatures>(tuning_.features), tuning_.evaluations, lambda, seed);
        ++tunings_;
        const WeightSearch::Improvement best = minimise(*search, value);
        if (best.value >= value(tuning_.weights)) {
            return std::nullopt;
        }
        ++improvements_;
        tuning_.weights = best.weights;
        return best.weights;
    }

    std::vector<Statistic> statistics() const override {
        return {{"tunings", tunings_}, {"improvements", improvements_}};
    }

 private:
    // A finished job.
    struct PastJob {
        Time submit;
        Time end;
        Duration walltime;
        Duration run;
        int processors;
    };

    Workload past(Time since) const {
        std::vector<PastJob> jobs;
        std::ranges::copy_if(past_jobs_, std::back_inserter(jobs),
                             [=](const auto& job) { return job.submit >= since; });
        std::ranges::stable_sort(jobs, {}, &PastJob::submit);
        Workload workload;
        workload.name = "past";
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            const std::string name = std::to_string(i);
            WorkloadJob& job = workload.jobs.emplace_back();
            job.description.id = "past!" + name;
            job.description.submit = Time::at(jobs[i].submit - jobs.front().submit);
            job.description.processors = jobs[i].processors;
            job.description.walltime = jobs[i].walltime;
            job.description.profile = name;
            JobProfile& profile = workload.profiles[name];
            profile.type = JobProfile::Type::delay;
            profile.delay = jobs[i].run;
        }
        return workload;
    }

    WeightTuning tuning_;            // its weights are the current ones
    std::deque<PastJob> past_jobs_;  // by end; only jobs that a later search may use
    Microseconds periods_ = 0;       // number of periods that had begun at the last call
    std::uint64_t tunings_ = 0;
    std::uint64_t improvements_ = 0;
};

const WeightTunerRegistration registration([](WeightTuning tuning) -> std::unique_ptr<WeightTuner> {
    return std::make_unique<OnlineTuning>(std::move(tuning));
});

}  // namespace

}  // namespace batfill
