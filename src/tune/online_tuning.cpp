#include <algorithm>
#include <string>
#include <utility>

#include <batfill/error.hpp>
#include <batfill/online_tuning.hpp>
#include <batfill/replay.hpp>

#include "src/core/csv_text.hpp"

namespace batfill {

namespace {

// Alike in all but number: the orders look at nothing else.
Platform machine(int processors) {
    Platform platform;
    for (int i = 0; i < processors; ++i) {
        platform.hosts.push_back({std::to_string(i), 1, {}, {}});
    }
    return platform;
}

SchedulerChoice with_weights(SchedulerChoice scheduler, const MixedWeights& weights) {
    std::string text;
    for (const double weight : weights) {
        text += (text.empty() ? "" : ",") + exact(weight);
    }
    scheduler.parameters.emplace_back("weights", text);
    return scheduler;
}

}  // namespace

std::vector<Parameter> OnlineTuning::parameters() {
    return {
        Parameter::seconds("period", "", "how often the weights of order mixed are tuned anew; they begin as given"),
        Parameter::seconds("history", "", "with period: of the jobs submitted in this time (four weeks if not given)"),
        Parameter::whole_number("evaluations", "", "with period: how many weights are tried (200 if not given)"),
        Parameter::choice("features", {"3", "6"}, "3", "with period: whether only the first three weights are tuned"),
        Parameter::whole_number("seed", "", "with period: of the weights that are tried (1 if not given)"),
    };
}

std::unique_ptr<OnlineTuning> OnlineTuning::from(const Parameters& parameters) {
    const std::optional<Duration> period = parameters.seconds("period");
    const std::optional<Duration> history = parameters.seconds("history");
    const std::optional<std::uint64_t> evaluations = parameters.whole_number("evaluations");
    const std::optional<std::uint64_t> seed = parameters.whole_number("seed");
    const bool three = parameters.choice("features") == "3";
    if (!period) {
        if (history || evaluations || seed || !three) {
            throw UsageError("parameters history, evaluations, features and seed are used only with period");
        }
        return nullptr;
    }
    if (*period == Duration() || history == Duration() || evaluations == 0) {
        throw UsageError("parameters period, history and evaluations must be more than 0");
    }
    std::unique_ptr<OnlineTuning> tuning(new OnlineTuning);
    tuning->period_ = *period;
    tuning->history_ = history.value_or(Duration::days(28));
    tuning->evaluations_ = evaluations.value_or(200);
    tuning->features_ = three ? MixedFeatures::three : MixedFeatures::six;
    tuning->seed_ = seed.value_or(1);
    return tuning;
}

void OnlineTuning::ended(const SchedulerState& state, std::span<const Completion> completions) {
    for (const Completion& completion : completions) {
        const Job& job = state.job(completion.job);
        past_jobs_.push_back({job.submit(), state.now, job.walltime, state.now - job.start, job.processors()});
    }
}

Workload OnlineTuning::past(Time since) const {
    std::vector<PastJob> jobs;
    std::copy_if(past_jobs_.begin(), past_jobs_.end(), std::back_inserter(jobs),
                 [=](const PastJob& job) { return job.submit >= since; });
    std::stable_sort(jobs.begin(), jobs.end(), [](const PastJob& a, const PastJob& b) { return a.submit < b.submit; });
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

std::optional<MixedWeights> OnlineTuning::tune(const SchedulerState& state, const SchedulerChoice& scheduler,
                                               const MixedWeights& weights) {
    const Microseconds periods = state.now.since_zero().count() / period_.count();
    if (periods <= periods_) {
        return std::nullopt;
    }
    periods_ = periods;
    const Time since = state.now - history_;
    while (!past_jobs_.empty() && past_jobs_.front().end < since) {
        past_jobs_.pop_front();
    }
    const Replay replay(machine(state.processors), past(since));
    if (replay.jobs() == 0) {
        return std::nullopt;
    }
    const ReplayMetric metric("mean_bounded_slowdown");
    const auto value = [&](const MixedWeights& candidate) {
        return *replay.measure(with_weights(scheduler, candidate), metric);
    };
    // Other draws in each period: what one set of draws misses, it would miss for ever.
    const std::uint64_t seed = seed_ + static_cast<std::uint64_t>(periods);
    constexpr double lambda = 1;
    const std::unique_ptr<WeightSearch> search = xnes_search(features_, evaluations_, lambda, seed);
    ++tunings_;
    const WeightSearch::Improvement best = minimise(*search, value);
    if (best.value >= value(weights)) {
        return std::nullopt;
    }
    ++improvements_;
    return best.weights;
}

std::vector<Statistic> OnlineTuning::statistics() const {
    return {{"tunings", tunings_}, {"improvements", improvements_}};
}

}  // namespace batfill
