#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
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
    // By how much less the cost is than at the last call. The cost is what Cost says, of the jobs that have started;
    // until the episode has ended, a mean is over all jobs. Jobs that never start are known at the end.
    double take_reward();
    // The place of a job that was submitted, in the workload's order of jobs.
    std::size_t place(JobIndex job) const { return seen_[job].place; }
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
    bool has_stepped = false;  // whether the agent has decided

 private:
    // What does not change while a job waits.
    struct Seen {
        std::size_t place;  // in the workload's order of jobs
        Time submit;        // as the workload says: that of the description is when a job became eligible
        float walltime_share;
        float size_share;
        int processors;
        std::vector<float> shares;  // of pools and capacities
    };

    void run(const Replay& replay);

    // Notes that more processors are busy from now on, or fewer.
    void count_busy(Time now, int change);

    EnvironmentOptions options_;
    const Replay* replay_;
    const std::vector<WorkloadJob>* jobs_;                      // of the only workload
    std::unordered_map<std::string_view, std::size_t> places_;  // in it, by id
    Offer offer_;                                               // at a decision
    std::vector<Seen> seen_;                                    // by JobIndex
    std::vector<JobRecord> records_;                            // likewise, with options_.records_jobs
    std::vector<JobIndex> started_;
    std::vector<JobIndex> ended_;
    std::size_t starts_ = 0;  // of jobs
    double sum_ = 0;          // of what Cost says, over these; of utilisation, busy processor seconds
    double rewarded_ = 0;     // the part of it for which the agent has its reward
    double scale_ = 1;        // by which that was divided
    Time first_submission_;
    Time latest_start_;
    double busy_time_ = 0;  // processor seconds until `busy_since_`
    Time busy_since_;
    int busy_ = 0;  // processors
    bool is_done_ = false;
    std::optional<Outcome> outcome_;
    Coroutine simulation_;  // the last member: it uses the others until it is destroyed
};

// The algorithm that asks the agent of this episode.
std::unique_ptr<Algorithm> asking_algorithm(Episode& episode);

}  // namespace batfill::environments
