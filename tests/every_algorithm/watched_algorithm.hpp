#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/planning/plan_algorithm.hpp>

namespace batfill::tests {

// What a round has left, for a test that asks afterwards. The states refer to the machine of the engine.
struct Moment {
    SchedulerState state;
    std::vector<JobIndex> started;  // in this round, in this order
    bool plans = false;
    std::vector<Plan::PlannedJob> plan;  // by start
};

// What to do after a round of an algorithm, with the jobs that it has started, in this order.
using AfterRound =
    std::function<void(const Algorithm& watched, const SchedulerState& state, const std::vector<JobIndex>& started)>;

// An algorithm that decides as another.
class Watched : public Algorithm {
 public:
    Watched(std::unique_ptr<Algorithm> watched, AfterRound after_round)
        : watched_(std::move(watched)), after_round_(std::move(after_round)) {}

    void begin(Round& round) override { watched_->begin(round); }
    void completed(Round& round, std::span<const Completion> jobs) override { watched_->completed(round, jobs); }
    void machine_changed(Round& round, std::span<const Completion> jobs) override {
        watched_->machine_changed(round, jobs);
    }
    void window_ended(Round& round) override { watched_->window_ended(round); }
    void withdrawn(const SchedulerState& state, JobIndex job) override { watched_->withdrawn(state, job); }
    void waiting_jobs_ended(Round& round) override { watched_->waiting_jobs_ended(round); }
    void predictions_expired(Round& round) override { watched_->predictions_expired(round); }
    void submitted(Round& round, JobIndex job) override { watched_->submitted(round, job); }
    void decide(Round& round) override { watched_->decide(round); }
    void started(const SchedulerState& state, JobIndex job) override {
        started_.push_back(job);
        watched_->started(state, job);
    }
    void begin_round(const SchedulerState& state) override {
        started_.clear();
        watched_->begin_round(state);
    }
    void end_round(const SchedulerState& state) override {
        watched_->end_round(state);
        after_round_(*watched_, state, started_);
    }
    bool needs_run_times() const override { return watched_->needs_run_times(); }
    bool estimates_are_run_times() const override { return watched_->estimates_are_run_times(); }
    bool understands_resources() const override { return watched_->understands_resources(); }
    bool looks_ahead(const SchedulerState& state) const override { return watched_->looks_ahead(state); }
    std::optional<StatedNeeds> stated(const JobDescription& job) const override { return watched_->stated(job); }
    bool follows_conditions() const override { return watched_->follows_conditions(); }
    std::optional<Duration> assumed_walltime(const JobDescription& job) const override {
        return watched_->assumed_walltime(job);
    }
    RunLimits run_limits() const override { return watched_->run_limits(); }
    void rejected(const SchedulerState& state, JobIndex job) override { watched_->rejected(state, job); }
    void require_dependencies() const override { watched_->require_dependencies(); }
    std::optional<std::string> refuse(const JobDescription& job) const override { return watched_->refuse(job); }
    bool gives_guarantees() const override { return watched_->gives_guarantees(); }
    std::optional<Time> guaranteed_start(const SchedulerState& state, JobIndex job) const override {
        return watched_->guaranteed_start(state, job);
    }
    Time next_wake(Time after) const override { return watched_->next_wake(after); }

 private:
    std::unique_ptr<Algorithm> watched_;
    AfterRound after_round_;
    std::vector<JobIndex> started_;
};

// A registered algorithm, watched.
inline SchedulerChoice watched(const std::string& name, const Parameters::Given& given, const AfterRound& after_round) {
    AlgorithmDescription description = find_algorithm(name);
    description.make = [make = description.make, after_round](const Parameters& parameters) {
        return std::make_unique<Watched>(make(parameters), after_round);
    };
    return {std::make_shared<const AlgorithmDescription>(std::move(description)), given};
}
// The same, to note each round.
inline SchedulerChoice watched(const std::string& name, const Parameters::Given& given,
                               const std::shared_ptr<std::vector<Moment>>& moments) {
    return watched(name, given,
                   [moments](const Algorithm& algorithm, const SchedulerState& state, const auto& started) {
                       Moment& moment = moments->emplace_back(Moment{state, started, false, {}});
                       if (const auto* const planning = dynamic_cast<const PlanAlgorithm*>(&algorithm)) {
                           moment.plans = true;
                           moment.plan = planning->plan().places();
                       }
                   });
}

}  // namespace batfill::tests
