#include "environment.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "episode.hpp"

namespace batfill::environments {

std::vector<Parameter> order_parameters(Task task) {
    if (task == Task::weights) {
        Parameter weights = JobOrder::weights();
        weights.default_value = "1,0,0,0,0,0";  // until the agent sets them
        return {Parameter::choice("order", {"mixed"}, "mixed", ""), weights, JobOrder::scales(), JobOrder::field()};
    }
    return {JobOrder::order("order", "fcfs", "which waiting job goes first", {"field"}), JobOrder::weights(),
            JobOrder::scales(), JobOrder::field()};
}

std::size_t features_of_machine(Task task) {
    return task == Task::backfill ? 6 : 4;
}

std::size_t number_of_actions(const EnvironmentOptions& options) {
    if (options.task == Task::weights) {
        return 0;
    }
    return options.task == Task::backfill ? options.queue + 1 : options.queue;
}

Environment::Environment(const Replay& replay, const EnvironmentOptions& options)
    : replay_(&replay), options_(options) {
    assert(options.queue > 0 && options.tau > Duration() && options.period > Duration());
}
Environment::~Environment() = default;
Environment::Environment(Environment&&) noexcept = default;
Environment& Environment::operator=(Environment&&) noexcept = default;

void Environment::reset() {
    episode_.reset();
    episode_ = std::make_unique<Episode>(*replay_, options_);
    episode_->advance();
}

bool Environment::is_done() const {
    return !episode_ || episode_->is_done();
}

std::size_t Environment::choices() const {
    return episode_ ? episode_->offer().jobs.size() : 0;
}

bool Environment::is_possible(std::size_t action) const {
    return action < choices() || (!is_done() && options_.task == Task::backfill && action == options_.queue);
}

double Environment::step(std::size_t action) {
    assert(options_.task != Task::weights && is_possible(action));
    episode_->action = action;
    return advance();
}

double Environment::step(const MixedWeights& weights) {
    assert(options_.task == Task::weights && !is_done());
    episode_->weights = weights;
    return advance();
}

double Environment::advance() {
    episode_->advance();
    if (options_.reward_at_end && !is_done()) {
        return 0;
    }
    const double before = std::exchange(episode_->rewarded, episode_->cost());
    return (before - episode_->rewarded) / episode_->scale();
}

void Environment::observe(std::span<float> jobs, std::span<float> machine, std::span<bool> mask) const {
    assert(jobs.size() == options_.queue * features_of_job);
    assert(machine.size() == features_of_machine(options_.task) && mask.size() == number_of_actions(options_));
    if (is_done()) {
        std::fill(jobs.begin(), jobs.end(), 0.0F);
        std::fill(machine.begin(), machine.end(), 0.0F);
        std::fill(mask.begin(), mask.end(), false);
        return;
    }
    episode_->observe(jobs, machine);
    if (!mask.empty()) {
        const auto end_of_jobs = mask.begin() + static_cast<std::ptrdiff_t>(choices());
        std::fill(mask.begin(), end_of_jobs, true);
        std::fill(end_of_jobs, mask.end(), false);
        mask.back() = is_possible(mask.size() - 1);
    }
}

std::vector<std::size_t> Environment::seen_jobs() const {
    std::vector<std::size_t> places;
    if (is_done()) {
        return places;
    }
    const std::vector<WorkloadJob>& jobs = replay_->scenario().workloads.front().jobs;
    for (const JobIndex index : episode_->offer().jobs) {
        const JobDescription& wanted = state().job(index).description();
        auto at = std::ranges::lower_bound(jobs, wanted.submit, {},
                                           [](const WorkloadJob& job) { return job.description.submit; });
        at = std::find_if(at, jobs.end(), [&](const WorkloadJob& job) { return job.description.id == wanted.id; });
        places.push_back(static_cast<std::size_t>(at - jobs.begin()));
    }
    return places;
}

const SchedulerState& Environment::state() const {
    assert(!is_done());
    return *episode_->offer().state;
}

int Environment::idle() const {
    assert(!is_done());
    return episode_->offer().idle;
}

const Outcome& Environment::outcome() const {
    assert(is_done() && episode_ && episode_->outcome());
    return *episode_->outcome();
}

}  // namespace batfill::environments
