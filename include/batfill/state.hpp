#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include <batfill/job.hpp>
#include <batfill/job_state.hpp>
#include <batfill/machine.hpp>
#include <batfill/resource_set.hpp>
#include <batfill/time.hpp>

namespace batfill {

// A job as the scheduler follows it from submission to its end.
struct Job {
    JobDescription description;
    Request request;    // what it holds of the machine while it runs
    Duration walltime;  // the description's, or the assumed one
    Time start;         // once running
    // The latest start that it was guaranteed when it was submitted; infinite if it was guaranteed nothing.
    Time guaranteed_start = Time::infinity();
    ResourceSet allocation;                // while running
    JobState state = JobState::submitted;  // waiting; then rejected, or running and completed
    bool walltime_assumed = false;         // by `default-walltime`: the scheduler itself must stop the job at its end
    bool kill_requested = false;

    int processors() const { return request.processors; }
    Time submit() const { return description.submit; }
    Time expected_end() const { return start + walltime; }
};

// The waiting jobs by submission time, ties by order of arrival. What every scan looks at stands in arrays of its own,
// so that passing over a job costs a comparison of two neighbouring integers.
class WaitingQueue {
 public:
    std::size_t size() const { return jobs_.size(); }
    bool empty() const { return jobs_.empty(); }
    JobIndex job(std::size_t position) const { return jobs_[position]; }
    int processors(std::size_t position) const { return processors_[position]; }
    Duration walltime(std::size_t position) const { return walltimes_[position]; }
    const std::vector<JobIndex>& jobs() const { return jobs_; }

    // The first position >= `from` whose job needs at most `processors`; size() if there is none.
    std::size_t next_fitting(std::size_t from, int processors) const;

    void insert(JobIndex index, const std::deque<Job>& jobs);  // O(1) for the latest submission time
    void remove(JobIndex index, const std::deque<Job>& jobs);  // O(log n) to find, O(n) to close the gap

 private:
    std::size_t place(JobIndex index, const std::deque<Job>& jobs) const;

    std::vector<JobIndex> jobs_;
    std::vector<int> processors_;
    std::vector<Duration> walltimes_;
};

// A running job as the estimates see it.
struct RunningJob {
    Time end;  // start + walltime
    JobIndex job;
    int processors;  // of its allocation, those that are available again when it ends
};

// What every scheduler knows at an instant: the clock, the machine, the jobs, the queue, and what runs. The engine owns
// and changes it; algorithms read it. What only some algorithms need (a plan, lists of jobs) is kept by them.
struct SchedulerState {
    Time now;
    Machine machine;
    int processors = 0;                  // of the whole machine
    ResourceSet idle;                    // available and not allocated
    int idle_count = 0;                  // how many these are
    ResourceSet unavailable;             // allocated or not
    std::vector<long long> copies_left;  // of each counter of the machine, those that no job holds
    std::deque<Job> jobs;                // all that were submitted, by JobIndex: in order of arrival
    WaitingQueue waiting;
    std::vector<RunningJob> running;  // by end, ties by order of arrival

    const Job& job(JobIndex index) const { return jobs[index]; }
    // The common rule for ties: by submission time, then by order of arrival.
    bool submitted_before(JobIndex a, JobIndex b) const {
        return jobs[a].submit() != jobs[b].submit() ? jobs[a].submit() < jobs[b].submit() : a < b;
    }

    // Idle processors on which a job with this request could start now: the lowest ones, of the first group that has
    // enough if they have to be of one group. None if it could not start. O(intervals of the idle processors), and for
    // one group that times the groups.
    std::optional<ResourceSet> lowest_idle(const Request& request) const;
};

}  // namespace batfill
