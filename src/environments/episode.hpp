#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/planning/job_order.hpp>
#include <batfill/replay/outcome.hpp>
#include <batfill/replay/replay.hpp>

#include "src/environments/coroutine.hpp"
#include "src/environments/environment.hpp"

namespace batfill::environments {

// The job that has a reservation, and its reserved start.
struct ReservedJob {
    int processors;
    Time start;
};

// What the agent sees when it decides.
struct Offer {
    const SchedulerState* state = nullptr;
    std::span<const JobIndex> jobs;  // at most `queue`
    int idle = 0;                    // processors that jobs may use now
    std::optional<ReservedJob> reserved;
    std::vector<bool> can_start = {};  // of each job; empty: those can that need no more than the idle processors
};

// One replay, and what the agent and the algorithm of the environment tell each other.
class Episode {
 public:
    Episode(const Replay& replay, EnvironmentOptions options);

    // ---- For the algorithm

    const EnvironmentOptions& options() const { return options_; }
    // Stops the simulation until the agent has decided: its decision is in `action` or `weights`.
    void ask(const Offer& offer);
    // Notes that a job was submitted, or starts now.
    // Requires: called once for each job.
    void submitted(const SchedulerState& state, JobIndex index);
    void started(const SchedulerState& state, JobIndex index);
    // Notes that a job has ended.
    void ended(const SchedulerState& state, JobIndex index);

    // ---- For the environment

    // Runs to the next decision, or to the end.
    void advance() { is_done_ = !simulation_.resume(); }
    bool is_done() const { return is_done_; }
    const Offer& offer() const { return offer_; }
    // As Cost says, of the jobs that have started; not yet divided by scale().
    double cost() const;
    double scale() const { return scale_; }
    // As Environment::observe().
    // Requires: !is_done().
    void observe(std::span<float> jobs, std::span<float> machine) const;
    const std::optional<Outcome>& outcome() const { return outcome_; }
    // With options().records_jobs: as Environment::jobs_of() for started and ended, and Environment::record().
    const std::vector<JobIndex>& started_jobs() const { return started_; }
    const std::vector<JobIndex>& ended_jobs() const { return ended_; }
    const JobRecord& record(JobIndex job) const { return records_[job]; }
    // Forgets which jobs have started and ended.
    void forget_changes() {
        started_.clear();
        ended_.clear();
    }

    std::size_t action = 0;
    MixedWeights weights{};
    double rewarded = 0;       // the part of cost() for which the agent has its reward
    bool has_stepped = false;  // whether the agent has decided

 private:
    // What does not change while a job waits.
    struct Seen {
        double submit;  // seconds
        float walltime_share;
        float size_share;
        int processors;
        std::vector<float> shares;  // of pools and capacities
    };

    void run(const Replay& replay);

    EnvironmentOptions options_;
    const Replay* replay_;
    double scale_ = 1;
    Offer offer_;                     // at a decision
    std::vector<Seen> seen_;          // by JobIndex
    std::vector<JobRecord> records_;  // likewise, with options_.records_jobs
    std::vector<JobIndex> started_;
    std::vector<JobIndex> ended_;
    double sum_ = 0;
    std::optional<Time> first_submission_;
    Time latest_start_;
    bool is_done_ = false;
    std::optional<Outcome> outcome_;
    Coroutine simulation_;  // the last member: it uses the others until it is destroyed
};

// The place of a job in the order of the replay's only workload.
// Requires: the workload is sorted by submission, and has the job.
// Cost: O(log(jobs)), and O(1) for each job submitted at the same time.
std::size_t place_of(const Replay& replay, const JobDescription& job);

// The algorithm that asks the agent of this episode.
std::unique_ptr<Algorithm> asking_algorithm(Episode& episode);

}  // namespace batfill::environments
