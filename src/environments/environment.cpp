#include "src/environments/environment.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/formats/schedule.hpp>

#include "src/environments/episode.hpp"
#include "src/support/mapped.hpp"

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

namespace {

std::size_t number_of_resources(const Machine& machine) {
    return machine.resources().pools().size() + machine.resources().capacities().size();
}

std::size_t features_of_plain_machine(Task task) {
    return task == Task::backfill ? 6 : 4;
}

}  // namespace

std::size_t features_of_job(const Machine& machine) {
    return features_of_plain_job + number_of_resources(machine);
}

std::size_t features_of_machine(const EnvironmentOptions& options, const Machine& machine) {
    return features_of_plain_machine(options.task) + number_of_resources(machine) + (options.shows_windows ? 2 : 0);
}

void require_machine_for(const EnvironmentOptions& options, const Machine& machine) {
    for (const Window& window : machine.windows()) {
        refuse_if(window.begins_a_round(), window.place, ": window ", window.name,
                  " kills or requeues jobs, or is for a reservation: not for environments");
    }
    refuse_if(options.task == Task::pick && options.head == Head::kept && !machine.is_plain(),
              "head=kept: not for machines with pools, capacities, partitions or windows");
    refuse_if(options.cost == Cost::utilisation && machine.resources().has_shared_hosts(),
              "reward=utilisation: not for machines whose hosts are shared, where utilisation has no value");
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
    if (std::exchange(episode_->has_stepped, true) && !options_.reward_at_end) {
        episode_->forget_changes();
    }
    episode_->advance();
    return options_.reward_at_end && !is_done() ? 0 : episode_->take_reward();
}

void Environment::observe(std::span<float> jobs, std::span<float> machine, std::span<bool> mask) const {
    assert(jobs.size() == options_.queue * features_of_job(replay_->machine()));
    assert(machine.size() == features_of_machine(options_, replay_->machine()));
    if (is_done()) {
        std::fill(jobs.begin(), jobs.end(), 0.0F);
        std::fill(machine.begin(), machine.end(), 0.0F);
    } else {
        episode_->observe(jobs, machine);
    }
    observe_mask(mask);
}

void Environment::observe_mask(std::span<bool> mask) const {
    assert(mask.size() == number_of_actions(options_));
    if (!mask.empty()) {
        const auto end_of_jobs = mask.begin() + static_cast<std::ptrdiff_t>(choices());
        std::fill(mask.begin(), end_of_jobs, true);
        std::fill(end_of_jobs, mask.end(), false);
        mask.back() = is_possible(mask.size() - 1);
    }
}

std::vector<std::size_t> Environment::seen_jobs() const {
    if (is_done()) {
        return {};
    }
    return mapped(episode_->offer().jobs, [&](JobIndex job) { return episode_->place(job); });
}

std::optional<std::pair<Time, int>> Environment::reservation() const {
    assert(!is_done());
    const std::optional<ReservedJob>& reserved = episode_->offer().reserved;
    return reserved ? std::optional(std::pair(reserved->start, reserved->processors)) : std::nullopt;
}

std::vector<JobIndex> Environment::jobs_of(JobSet set) const {
    assert(options_.records_jobs && episode_);
    if (set == JobSet::started || set == JobSet::ended) {
        return set == JobSet::started ? episode_->started_jobs() : episode_->ended_jobs();
    }
    if (is_done()) {
        return {};
    }
    if (set == JobSet::running) {
        return mapped(state().running, &RunningJob::job);
    }
    const std::span<const JobIndex> found = set == JobSet::seen ? episode_->offer().jobs : state().waiting.jobs();
    return {found.begin(), found.end()};
}

const JobRecord& Environment::record(JobIndex job) const {
    assert(options_.records_jobs && episode_);
    return episode_->record(job);
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

namespace {

constexpr double hour = 3600;

float share(double value, double half) {
    return static_cast<float>(value / (value + half));
}

float share_until(Time then, Time now) {
    return share(std::max((then - now).to_seconds(), 0.0), hour);
}

// Of all that there is; what is not there is not taken.
float share_of(Amount amount, Amount total) {
    const double part = total > 0 ? static_cast<double>(amount) / static_cast<double>(total) : 0;
    return static_cast<float>(std::clamp(part, 0.0, 1.0));
}

// What the job takes of each pool and each capacity, as a share of all.
std::vector<float> shares_taken(const Machine& machine, const Request& request) {
    const Resources& resources = machine.resources();
    std::vector<float> shares;
    for (std::size_t pool = 0; pool < resources.pools().size(); ++pool) {
        shares.push_back(share_of(request.of_pool(pool), resources.pools()[pool].total));
    }
    const std::vector<Amount> totals = resources.totals();
    for (std::size_t capacity = 0; capacity < totals.size(); ++capacity) {
        shares.push_back(request.takes_whole_hosts()
                             ? share_of(request.processors, machine.processors())
                             : share_of(request.per_host()[capacity] * request.processors, totals[capacity]));
    }
    return shares;
}

// Writes what is free of each pool and each capacity. Returns where the next feature goes.
float* write_free(const SchedulerState& state, float* to) {
    const Resources& resources = state.machine.resources();
    for (std::size_t pool = 0; pool < resources.pools().size(); ++pool) {
        *to++ = share_of(state.pools_left[pool], resources.pools()[pool].total);
    }
    const std::vector<Amount> totals = resources.totals();
    for (std::size_t capacity = 0; capacity < totals.size(); ++capacity) {
        Amount free = 0;
        for (int host = 0; host < state.processors; ++host) {
            free += state.hosts.is_available(host) ? state.hosts.free(host, capacity) : 0;
        }
        *to++ = share_of(free, totals[capacity]);
    }
    return to;
}

// Writes when the next announced window begins, and what it takes.
void write_next_window(const SchedulerState& state, float* to) {
    const Window* next = nullptr;
    for (const Window& window : state.machine.windows()) {
        if (window.announced <= state.now && window.from > state.now && (next == nullptr || window.from < next->from)) {
            next = &window;
        }
    }
    to[0] = next == nullptr ? 1.0F : share_until(next->from, state.now);
    to[1] = next == nullptr ? 0.0F
                            : share_of(next->hosts.empty() ? next->processors : next->hosts.size(), state.processors);
}

}  // namespace

Episode::Episode(const Replay& replay, EnvironmentOptions options)
    : options_(std::move(options)),
      replay_(&replay),
      jobs_(&replay.scenario().workloads.front().jobs),
      first_submission_(Time::infinity()),
      simulation_([this](Coroutine&) { run(*replay_); }) {
    places_.reserve(jobs_->size());
    for (const WorkloadJob& job : *jobs_) {
        places_.emplace(job.description.id, places_.size());
        first_submission_ = std::min(first_submission_, job.description.submit);
    }
    if (options_.cost != Cost::utilisation) {
        scale_ = static_cast<double>(std::max<std::size_t>(jobs_->size(), 1));
    }
    seen_.reserve(jobs_->size());
}

void Episode::run(const Replay& replay) {
    AlgorithmDescription description;
    description.name = "agent";
    description.summary = "an agent decides";
    description.placements = {Placement::lowest, Placement::snug, Placement::fullest};
    description.make = [this](const Parameters&) { return asking_algorithm(*this); };
    outcome_.emplace(
        replay.run({std::make_shared<const AlgorithmDescription>(with_common_parameters(std::move(description))), {}}));
}

void Episode::ask(const Offer& offer) {
    offer_ = offer;
    simulation_.suspend();
    offer_ = Offer();
}

void Episode::submitted(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    const std::size_t place = places_.at(job.description().id);
    const Time submit = (*jobs_)[place].description.submit;
    seen_.resize(std::max(seen_.size(), std::size_t{index} + 1));
    seen_[index] = {place,
                    submit,
                    share(job.walltime.to_seconds(), hour),
                    static_cast<float>(job.processors() / static_cast<double>(state.processors)),
                    job.processors(),
                    shares_taken(state.machine, job.request)};
    if (options_.records_jobs) {
        records_.resize(seen_.size());
        records_[index] = {place, submit, job.processors(), job.walltime, {}, {}, {}};
    }
}

void Episode::started(const SchedulerState& state, JobIndex index) {
    const double wait = (state.now - seen_[index].submit).to_seconds();
    const Duration run_time = state.run_time(index);
    const double length = (run_time == Duration() ? shown_for_no_time : run_time).to_seconds();
    latest_start_ = state.now;
    ++starts_;
    count_busy(state.now, seen_[index].processors);
    if (options_.records_jobs) {
        records_[index].run_time = run_time;
        records_[index].start = state.now;
        started_.push_back(index);
    }
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
            sum_ = -busy_time_ / state.processors;
            return;
    }
}

void Episode::ended(const SchedulerState& state, JobIndex index) {
    count_busy(state.now, -seen_[index].processors);
    if (options_.records_jobs) {
        records_[index].end = state.now;
        ended_.push_back(index);
    }
}

void Episode::count_busy(Time now, int change) {
    busy_time_ += busy_ * (now - busy_since_).to_seconds();
    busy_since_ = now;
    busy_ += change;
}

double Episode::take_reward() {
    double cost = sum_;
    double scale = scale_;
    if (options_.cost == Cost::utilisation) {
        const double span = sum_ == 0 ? 0 : (latest_start_ - first_submission_).to_seconds();
        cost = span > 0 ? sum_ / span : 0;
    } else if (is_done_) {
        scale = static_cast<double>(std::max<std::size_t>(starts_, 1));
    }
    // With one scale, the difference is divided once: that loses fewer digits.
    const double reward = scale == scale_ ? (rewarded_ - cost) / scale : rewarded_ / scale_ - cost / scale;
    rewarded_ = cost;
    scale_ = scale;
    return reward;
}

void Episode::observe(std::span<float> jobs, std::span<float> machine) const {
    const SchedulerState& state = *offer_.state;
    const double now = state.now.to_seconds();
    const std::size_t width = features_of_job(state.machine);
    const auto can_start = [this](std::size_t place) {
        return offer_.can_start.empty() ? seen_[offer_.jobs[place]].processors <= offer_.idle : offer_.can_start[place];
    };
    long long requested = 0;
    float* to = jobs.data();
    for (const JobIndex index : offer_.jobs) {
        const Seen& job = seen_[index];
        to[0] = share(now - job.submit.to_seconds(), hour);
        to[1] = job.walltime_share;
        to[2] = job.size_share;
        to[3] = can_start(static_cast<std::size_t>(to - jobs.data()) / width) ? 1.0F : 0.0F;
        to[4] = 1.0F;
        std::ranges::copy(job.shares, to + features_of_plain_job);
        to += width;
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
            jobs[place * width + 3] = end <= offer_.reserved->start ? 1.0F : 0.0F;
        }
        machine[4] = share_until(offer_.reserved->start, state.now);
        machine[5] = static_cast<float>(offer_.reserved->processors / processors);
    }
    float* const rest = write_free(state, machine.data() + features_of_plain_machine(options_.task));
    if (options_.shows_windows) {
        write_next_window(state, rest);
    }
}

}  // namespace batfill::environments
