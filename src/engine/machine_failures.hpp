#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/scheduler_choice.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Decides what happens to jobs when processors become unavailable, by parameters that all algorithms have, and knows
// which killed jobs are to be submitted again.
// - Jobs that run on lost processors continue, are killed, or are killed and submitted again as new jobs.
// - Jobs that no longer fit wait or are rejected.
class MachineFailures {
 public:
    explicit MachineFailures(const CommonParameters& parameters)
        : on_failure_(parameters.on_failure), rejects_too_small_(parameters.rejects_too_small) {}

    bool kills() const { return on_failure_ != OnFailure::proceed; }
    bool requeues() const { return on_failure_ == OnFailure::requeue; }
    // Windows submit the jobs that they kill again.
    void requeue_for_windows() { requeues_for_windows_ = true; }
    // Whether killed jobs may be submitted again.
    bool may_requeue() const { return requeues() || requeues_for_windows_; }

    // ---- Running jobs

    // Records that these processors became unavailable in the current message.
    void lost(const ResourceSet& processors) { lost_.insert(processors); }
    // Ends the message: returns the running jobs to kill for the processors lost in it, in the order of arrival, and
    // notes in the state that they are being killed. Omits jobs that already are, and jobs that must stop now because
    // their assumed walltime is over. The jobs hold all of their processors until their end is reported.
    std::vector<JobIndex> to_be_killed(SchedulerState& state);
    // Records that a job ended in `end`. Returns whether it must be submitted again: it was killed for lost processors,
    // and did not end by itself just before; or by a window, with this number among the kills of windows.
    // Requires: the job's entry is as it was while it ran.
    bool ended(const SchedulerState& state, JobIndex index, JobState end, std::optional<std::size_t> window_kill);
    bool has_requeued() const { return !requeued_.empty(); }
    // Takes those: for lost processors in the order of their ends, then for windows in that of the kills.
    std::multimap<std::size_t, JobIndex> take_requeued() { return std::exchange(requeued_, {}); }
    // The job to submit in place of a killed one: the same, at time `now`, and waiting for no other. Its id is that of
    // the first run followed by "#1", "#2", ..., as Batsim's own schedulers number attempts. `next` will be its number.
    JobDescription next_attempt(JobDescription job, Time now, JobNumber killed, JobNumber next);

    // ---- Jobs that do not fit

    // Why a job cannot run on the currently available processors, as a predicate. Empty if it can, or if it is to wait
    // for others.
    // Cost: O(groups).
    std::optional<std::string> reason_to_reject(const SchedulerState& state, const Request& request) const;

    // Appends the counts, unless jobs always continue.
    void append_statistics(std::vector<Statistic>& statistics) const;

 private:
    struct Attempt {
        std::string first_id;
        int number;
    };

    OnFailure on_failure_;
    bool rejects_too_small_;
    bool requeues_for_windows_ = false;
    ResourceSet lost_;
    std::set<JobIndex> being_killed_;
    std::multimap<std::size_t, JobIndex> requeued_;  // by the numbers of kills, 0 for lost processors
    std::map<JobNumber, Attempt> attempts_;
    std::uint64_t killed_ = 0;
    Duration lost_processor_time_;
};

}  // namespace batfill
