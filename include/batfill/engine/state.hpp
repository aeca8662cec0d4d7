#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/job_state.hpp>
#include <batfill/core/machine.hpp>
#include <batfill/core/resource_set.hpp>
#include <batfill/core/time.hpp>

namespace batfill {

// A job as the scheduler follows it from submission to its end.
struct Job {
    SharedJobDescription shared_description;
    Request request;    // what it holds of the machine while it runs
    Duration walltime;  // what plans count with: the description's and the `walltime-margin`, or the assumed one
    Time start;         // once running
    // The latest start that it is guaranteed: as when it was submitted, or later since a loss of processors; infinite
    // if it is guaranteed nothing.
    Time guaranteed_start = Time::infinity();
    ResourceSet allocation;                // while running
    JobState state = JobState::submitted;  // waiting; then rejected, or running and completed
    bool walltime_assumed = false;         // by `default-walltime`: the scheduler itself must stop the job at its end
    bool kill_requested = false;           // by the scheduler, while it runs

    const JobDescription& description() const { return *shared_description; }
    int processors() const { return request.processors; }
    Time submit() const { return shared_description->submit; }
    Time expected_end() const { return start + walltime; }
    // Whether nothing will happen to it any more.
    bool is_over() const { return state == JobState::rejected || has_completed(state); }
};

// The jobs by JobIndex. Of those whose end was told, or that were rejected, most are forgotten: all that no job comes
// before that is not over. So what is kept does not grow with the number of jobs that were ever submitted, and who has
// to know something of a job after the round in which it ended keeps that itself.
class JobTable {
 public:
    // Adds a job that was submitted, and returns it.
    Job& emplace_back() { return jobs_.emplace_back(); }
    // How many were submitted.
    std::size_t size() const { return forgotten_ + jobs_.size(); }
    bool empty() const { return size() == 0; }
    // Whether a job of this number was submitted and is not forgotten.
    bool has(JobIndex index) const { return index >= forgotten_ && index < size(); }
    // Requires has(index).
    Job& operator[](JobIndex index) {
        assert(has(index));
        return jobs_[index - forgotten_];
    }
    const Job& operator[](JobIndex index) const {
        assert(has(index));
        return jobs_[index - forgotten_];
    }
    // Forgets what can be forgotten now. O(1) for each job, in all calls together.
    void forget_ended() {
        while (!jobs_.empty() && jobs_.front().is_over()) {
            jobs_.pop_front();
            ++forgotten_;
        }
    }

 private:
    std::deque<Job> jobs_;
    std::size_t forgotten_ = 0;
};

// The waiting jobs by submission time, ties by order of arrival. What every scan looks at stands in arrays of its own,
// so that passing over a job costs a comparison of two neighbouring integers.
class WaitingQueue {
 public:
    std::size_t size() const { return jobs_.size() - first_; }
    bool empty() const { return size() == 0; }
    JobIndex job(std::size_t position) const { return jobs_[first_ + position]; }
    int processors(std::size_t position) const { return processors_[first_ + position]; }
    Duration walltime(std::size_t position) const { return walltimes_[first_ + position]; }
    // Valid until a job is inserted or removed.
    std::span<const JobIndex> jobs() const { return std::span(jobs_).subspan(first_); }
    Duration shortest_walltime() const;  // requires that the queue is not empty; O(n)

    // The first position >= `from` whose job needs at most `processors`; size() if there is none. O(1) for each that is
    // passed over, many of which cost about as much as one.
    std::size_t next_fitting(std::size_t from, int processors) const;

    void insert(JobIndex index, const JobTable& jobs);  // O(1) for the latest submission time
    // O(log n) to find it, and to close the gap as many moves as there are jobs to the nearer end.
    void remove(JobIndex index, const JobTable& jobs);

 private:
    std::size_t place(JobIndex index, const JobTable& jobs) const;

    // Jobs mostly leave near the front, so the gap there is closed by those before it. What is before `first_` is left
    // over from that.
    std::size_t first_ = 0;
    std::vector<JobIndex> jobs_;
    std::vector<int> processors_;
    std::vector<Duration> walltimes_;
};

// A running job as the estimates see it.
struct RunningJob {
    Time end;  // start + estimate, which is the walltime unless run times are predicted
    JobIndex job;
    int processors;  // of its allocation, those that are available again when it ends
};

// How many processors of each group of the machine are idle, kept for Placement::machine. With G groups, the largest of
// which has m processors, it needs m * G bits; a job that starts or ends costs O(processors of the job), a search
// O(G / 64) for each counter of the request.
class IdleByGroup {
 public:
    // Counts `idle` anew. O(G * m / 64 + intervals).
    void reset(const Machine& machine, const ResourceSet& idle);
    void take(const Machine& machine, const ResourceSet& processors) { add(machine, processors, -1); }
    void give(const Machine& machine, const ResourceSet& processors) { add(machine, processors, 1); }

    int count(GroupIndex group) const { return counts_[group]; }
    const std::vector<int>& counts() const { return counts_; }
    // The largest of the counts. O(log(m)).
    int largest() const;
    // The first group from `from` on where this many processors, at least one, are idle and all these counters can be
    // used.
    std::optional<GroupIndex> first_with(const Machine& machine, int processors, std::span<const CounterIndex> counters,
                                         GroupIndex from = 0) const;

 private:
    void add(const Machine& machine, const ResourceSet& processors, int sign);
    void change(GroupIndex group, int count);

    std::vector<int> counts_;                           // by group
    std::vector<int> groups_with_;                      // by p - 1: how many groups have at least p idle processors
    std::vector<std::vector<std::uint64_t>> has_idle_;  // by p - 1: one bit for each of these groups
};

// What every scheduler knows at an instant: the clock, the machine, the jobs, the queue, and what runs. The engine owns
// and changes it; algorithms read it. What only some algorithms need (a plan, lists of jobs) is kept by them.
struct SchedulerState {
    Time now;
    Machine machine;
    int processors = 0;                       // of the whole machine
    Placement placement = Placement::lowest;  // of all jobs
    ResourceSet idle;                         // available, awake and not allocated
    int idle_count = 0;                       // how many these are
    IdleByGroup idle_by_group;                // of these; empty but with Placement::machine
    ResourceSet unavailable;                  // allocated or not
    // Processors that were put to sleep and may be woken, that are on their way there, and that wake. They are neither
    // idle nor allocated, and may be unavailable.
    ResourceSet asleep;
    ResourceSet falling_asleep;
    ResourceSet waking;
    std::vector<long long> copies_left;  // of each counter of the machine, those that no job holds
    JobTable jobs;                       // numbered in order of arrival
    WaitingQueue waiting;
    std::vector<RunningJob> running;  // by end, ties by order of arrival
    // How long jobs would run if nothing stopped them, by JobIndex, for algorithms that need to know
    // (Algorithm::needs_run_times); else empty.
    std::vector<Duration> run_times;
    // For how long jobs are predicted to run (RunTimePredictor), never longer than their walltimes, by JobIndex; empty
    // if run times are not predicted.
    std::vector<Duration> predictions;

    // Requires one that jobs.has(): that waits or runs, or whose end is told in this round.
    const Job& job(JobIndex index) const { return jobs[index]; }
    // For how long a job that waits or runs is taken to run, and until when one that runs: by its walltime, or by what
    // is predicted.
    Duration estimate(JobIndex index) const { return predictions.empty() ? jobs[index].walltime : predictions[index]; }
    Time estimated_end(JobIndex index) const { return jobs[index].start + estimate(index); }
    // Of the job at this place of the queue.
    Duration estimate_at(std::size_t position) const {
        return predictions.empty() ? waiting.walltime(position) : predictions[waiting.job(position)];
    }
    // The common rule for ties: by submission time, then by order of arrival.
    bool submitted_before(JobIndex a, JobIndex b) const {
        return jobs[a].submit() != jobs[b].submit() ? jobs[a].submit() < jobs[b].submit() : a < b;
    }

    // A waiting job that needs more processors than this cannot start now. O(1) for lowest and best effort, O(intervals
    // of the idle processors) for contiguous, O(log(size of the largest group)) for machine.
    int most_for_one_job() const;

    // Whether copies of all these counters are left.
    bool has_copies_of(std::span<const CounterIndex> counters) const {
        return std::all_of(counters.begin(), counters.end(),
                           [this](CounterIndex counter) { return copies_left[counter] > 0; });
    }

    // Whether a job of so many processors, at least one, and these counters could start now on one machine. Requires
    // Placement::machine.
    bool can_start_on_a_machine(int needed, std::span<const CounterIndex> counters) const {
        return has_copies_of(counters) && idle_by_group.first_with(machine, needed, counters).has_value();
    }

    // Whether a job with this request could start now. O(1) for lowest and best effort, else as processors_for.
    bool can_start(const Request& request) const;

    // The idle processors on which a job with this request would start now, as its placement says; none if it could not
    // start. O(intervals of the idle processors), and for machine the search of a group.
    std::optional<ResourceSet> processors_for(const Request& request) const;
};

}  // namespace batfill
