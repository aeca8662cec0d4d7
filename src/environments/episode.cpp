#include "episode.hpp"

#include <algorithm>
#include <utility>

namespace batfill::environments {

namespace {

constexpr double hour = 3600;

float share(double value, double half) {
    return static_cast<float>(value / (value + half));
}

float share_until(Time then, Time now) {
    return share(std::max((then - now).to_seconds(), 0.0), hour);
}

}  // namespace

Episode::Episode(const Replay& replay, EnvironmentOptions options)
    : options_(std::move(options)), simulation_([this, &replay](Coroutine&) { run(replay); }) {
    std::size_t jobs = 0;
    for (const Workload& workload : replay.scenario().workloads) {
        jobs += workload.jobs.size();
    }
    if (options_.cost != Cost::utilisation) {
        scale_ = static_cast<double>(std::max<std::size_t>(jobs, 1));
    }
    seen_.reserve(jobs);
}

void Episode::run(const Replay& replay) {
    AlgorithmDescription description;
    description.name = "agent";
    description.summary = "an agent decides";
    description.placements = {Placement::lowest};
    description.make = [this](const Parameters&) { return asking_algorithm(*this); };
    SchedulerChoice choice;
    choice.algorithm = description.name;
    choice.description = std::make_shared<const AlgorithmDescription>(with_common_parameters(std::move(description)));
    outcome_.emplace(replay.run(choice));
}

std::size_t Episode::ask(const Offer& offer) {
    offer_ = offer;
    simulation_.suspend();
    offer_ = Offer();
    return action;
}

const MixedWeights& Episode::ask_weights(const Offer& offer) {
    ask(offer);
    return weights;
}

void Episode::submitted(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    if (!first_submission_) {
        first_submission_ = job.submit();
    }
    seen_.resize(std::max(seen_.size(), std::size_t{index} + 1));
    seen_[index] = {job.submit().to_seconds(), share(job.walltime.to_seconds(), hour),
                    static_cast<float>(job.processors() / static_cast<double>(state.processors)), job.processors()};
}

void Episode::started(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    const double wait = (state.now - job.submit()).to_seconds();
    const double length = state.run_time(index).to_seconds();
    latest_start_ = state.now;
    switch (options_.cost) {
        case Cost::bounded_slowdown:
            sum_ += std::max((wait + length) / std::max(length, options_.tau.to_seconds()), 1.0);
            return;
        case Cost::slowdown:
            sum_ += (wait + length) / length;
            return;
        case Cost::wait:
            sum_ += wait;
            return;
        case Cost::turnaround:
            sum_ += wait + length;
            return;
        case Cost::utilisation:
            sum_ -= length * job.processors() / state.processors;
            return;
    }
}

double Episode::cost() const {
    if (options_.cost != Cost::utilisation || sum_ == 0) {
        return sum_;
    }
    const double span = (latest_start_ - *first_submission_).to_seconds();
    return span > 0 ? sum_ / span : 0;
}

void Episode::observe(std::span<float> jobs, std::span<float> machine) const {
    const SchedulerState& state = *offer_.state;
    const double now = state.now.to_seconds();
    long long requested = 0;
    float* to = jobs.data();
    for (const JobIndex index : offer_.jobs) {
        const Seen& job = seen_[index];
        to[0] = share(now - job.submit, hour);
        to[1] = job.walltime_share;
        to[2] = job.size_share;
        to[3] = job.processors <= offer_.idle ? 1.0F : 0.0F;
        to[4] = 1.0F;
        to += features_of_job;
        requested += job.processors;
    }
    std::fill(to, jobs.data() + jobs.size(), 0.0F);

    const auto processors = static_cast<double>(state.processors);
    machine[0] = static_cast<float>(offer_.idle / processors);
    machine[1] = static_cast<float>(std::min(static_cast<double>(requested) / processors, 1.0));
    machine[2] = share(static_cast<double>(state.waiting.size()), 100);
    machine[3] = state.running.empty() ? 0.0F : share_until(state.running.front().end, state.now);
    if (offer_.reserved) {
        for (std::size_t place = 0; place < offer_.jobs.size(); ++place) {
            const Time end = state.now + state.job(offer_.jobs[place]).walltime;
            jobs[place * features_of_job + 3] = end <= offer_.reserved->start ? 1.0F : 0.0F;
        }
        machine[4] = share_until(offer_.reserved->start, state.now);
        machine[5] = static_cast<float>(offer_.reserved->processors / processors);
    }
}

}  // namespace batfill::environments
