#include "pick.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/reservation.hpp>

#include "coroutine.hpp"

namespace batfill::environments {

namespace {

constexpr double hour = 3600;

float share(double value, double half) {
    return static_cast<float>(value / (value + half));
}

}  // namespace

// One replay, and what the agent and the scheduler tell each other.
struct PickEnvironment::Episode {
    Episode(const Replay& the_replay, const PickOptions& the_options)
        : options(the_options), simulation([this, &the_replay](Coroutine&) { run(the_replay); }) {
        for (const Workload& workload : the_replay.scenario().workloads) {
            jobs += workload.jobs.size();
        }
    }

    void run(const Replay& replay);
    // Called by the scheduler: lets the agent pick one of the first `choices` waiting jobs.
    std::size_t pick(const SchedulerState& now, std::size_t among);
    // Called by the scheduler: a job starts now, and will wait no longer.
    void count_start(const Job& job, Duration run_time, Time now);
    void advance() { is_done = !simulation.resume(); }

    PickOptions options;
    std::size_t jobs = 0;
    const SchedulerState* state = nullptr;  // at a pick
    std::size_t choices = 0;
    std::size_t action = 0;
    double cost = 0;  // of the jobs that have started
    bool is_done = false;
    std::optional<Outcome> outcome;
    Coroutine simulation;  // the last member: it uses the others until it is destroyed
};

namespace {

// Asks the agent which job is first.
template <class Episode>
class PickAlgorithm : public Algorithm {
 public:
    explicit PickAlgorithm(Episode& episode) : episode_(episode) {}

    bool needs_run_times() const override { return true; }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        while (!state.waiting.empty() &&
               state.waiting.next_fitting(0, state.most_for_one_job()) < state.waiting.size()) {
            const JobIndex picked =
                state.waiting.job(episode_.pick(state, std::min(episode_.options.queue, state.waiting.size())));
            if (start(round, picked)) {
                continue;
            }
            if (episode_.options.backfilling == Backfilling::easy) {
                backfill(round, picked);
            }
            return;
        }
    }

 private:
    bool start(Round& round, JobIndex job) {
        const bool started = round.start_if_possible(job);
        if (started) {
            count(round.state(), job);
        }
        return started;
    }

    void backfill(Round& round, JobIndex reserved) {
        const SchedulerState& state = round.state();
        Reservation reservation(state, reserved);
        for (std::size_t at = 0;
             (at = state.waiting.next_fitting(at, state.most_for_one_job())) < state.waiting.size();) {
            const JobIndex job = state.waiting.job(at);
            if (job != reserved && reservation.start_if_admitted(round, job)) {
                count(state, job);  // the job has left the queue: the next one is at its place
            } else {
                ++at;
            }
        }
    }

    void count(const SchedulerState& state, JobIndex job) {
        episode_.count_start(state.job(job), state.run_times[job], state.now);
    }

    Episode& episode_;
};

}  // namespace

void PickEnvironment::Episode::run(const Replay& replay) {
    AlgorithmDescription description;
    description.name = "pick";
    description.summary = "an agent picks the first job";
    description.placements = {Placement::lowest};
    description.make = [this](const Parameters&) { return std::make_unique<PickAlgorithm<Episode>>(*this); };
    SchedulerChoice choice;
    choice.algorithm = description.name;
    choice.description = std::make_shared<const AlgorithmDescription>(with_common_parameters(std::move(description)));
    outcome.emplace(replay.run(choice));
}

std::size_t PickEnvironment::Episode::pick(const SchedulerState& now, std::size_t among) {
    state = &now;
    choices = among;
    simulation.suspend();
    state = nullptr;
    choices = 0;
    return action;
}

void PickEnvironment::Episode::count_start(const Job& job, Duration run_time, Time now) {
    const Duration run = std::min(run_time, job.walltime);
    const double wait = (now - job.submit()).to_seconds();
    const double length = run.to_seconds();
    switch (options.cost) {
        case Cost::bounded_slowdown:
            cost += std::max((wait + length) / std::max(length, options.tau.to_seconds()), 1.0);
            return;
        case Cost::slowdown:
            cost += (wait + length) / length;
            return;
        case Cost::wait:
            cost += wait;
            return;
    }
}

PickEnvironment::PickEnvironment(const Replay& replay, const PickOptions& options)
    : replay_(&replay), options_(options) {
    assert(options.queue > 0 && options.tau > Duration());
}
PickEnvironment::~PickEnvironment() = default;
PickEnvironment::PickEnvironment(PickEnvironment&&) noexcept = default;
PickEnvironment& PickEnvironment::operator=(PickEnvironment&&) noexcept = default;

void PickEnvironment::reset() {
    episode_.reset();
    episode_ = std::make_unique<Episode>(*replay_, options_);
    episode_->advance();
}

bool PickEnvironment::is_done() const {
    return !episode_ || episode_->is_done;
}

std::size_t PickEnvironment::choices() const {
    return episode_ ? episode_->choices : 0;
}

double PickEnvironment::step(std::size_t action) {
    assert(action < choices());
    const double before = episode_->cost;
    episode_->action = action;
    episode_->advance();
    const auto jobs = static_cast<double>(std::max<std::size_t>(episode_->jobs, 1));
    if (options_.reward_at_end) {
        return episode_->is_done ? -episode_->cost / jobs : 0;
    }
    return (before - episode_->cost) / jobs;
}

void PickEnvironment::observe(std::span<float> jobs, std::span<float> machine) const {
    assert(jobs.size() == options_.queue * features_of_job && machine.size() == features_of_machine);
    std::fill(jobs.begin(), jobs.end(), 0.0F);
    std::fill(machine.begin(), machine.end(), 0.0F);
    if (is_done()) {
        return;
    }
    const SchedulerState& state = *episode_->state;
    const auto processors = static_cast<double>(state.processors);
    const int idle = state.idle.count();
    long long requested = 0;
    for (std::size_t place = 0; place < episode_->choices; ++place) {
        const std::span<float> job = jobs.subspan(place * features_of_job, features_of_job);
        const int size = state.waiting.processors(place);
        requested += size;
        job[0] = share((state.now - state.job(state.waiting.job(place)).submit()).to_seconds(), hour);
        job[1] = share(state.waiting.walltime(place).to_seconds(), hour);
        job[2] = static_cast<float>(size / processors);
        job[3] = size <= idle ? 1.0F : 0.0F;
        job[4] = 1.0F;
    }
    machine[0] = static_cast<float>(idle / processors);
    machine[1] = static_cast<float>(std::min(static_cast<double>(requested) / processors, 1.0));
    machine[2] = share(static_cast<double>(state.waiting.size()), 100);
    machine[3] =
        state.running.empty() ? 0.0F : share(std::max((state.running.front().end - state.now).to_seconds(), 0.0), hour);
}

const SchedulerState& PickEnvironment::state() const {
    assert(!is_done());
    return *episode_->state;
}

const Outcome& PickEnvironment::outcome() const {
    assert(is_done() && episode_ && episode_->outcome);
    return *episode_->outcome;
}

}  // namespace batfill::environments
