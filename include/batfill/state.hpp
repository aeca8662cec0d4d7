#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <batfill/job.hpp>
#include <batfill/plan.hpp>
#include <batfill/resource_set.hpp>
#include <batfill/time.hpp>

namespace batfill {

// A job as the scheduler follows it from submission to its end.
struct Job {
    enum class State : std::uint8_t { waiting, running, finished, rejected };

    JobDescription description;
    Duration walltime;              // the description's, or the assumed one
    bool walltime_assumed = false;  // by `default-walltime`: the scheduler itself must stop the job at its end
    bool kill_requested = false;
    State state = State::waiting;
    Time start;                            // once running
    ResourceSet allocation;                // while running
    std::optional<Time> guaranteed_start;  // the latest that the plan promised when the job was submitted, if it did

    int processors() const { return description.processors; }
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

// All that the scheduler knows at an instant. The engine owns and changes it; algorithms read it through Round and
// keep nothing of their own between rounds but what is theirs alone.
struct SchedulerState {
    Time now;
    int processors = 0;  // of the whole machine
    ResourceSet idle;    // available and not allocated
    int idle_count = 0;
    ResourceSet unavailable;  // allocated or not
    std::deque<Job> jobs;     // all that were submitted, by JobIndex: in order of arrival
    WaitingQueue waiting;
    std::vector<RunningJob> running;  // by end, ties by order of arrival
    Plan plan;                        // of the waiting jobs; the queue family leaves it empty
    // Waiting jobs whose place in the plan may still be given to others, by submission time, ties by order of arrival:
    // the list L1 of dbf. Every other waiting job has a definitive place: they are its list L0.
    std::vector<JobIndex> tentative;

    const Job& job(JobIndex index) const { return jobs[index]; }
    // The common rule for ties: by submission time, then by order of arrival.
    bool submitted_before(JobIndex a, JobIndex b) const {
        return jobs[a].submit() != jobs[b].submit() ? jobs[a].submit() < jobs[b].submit() : a < b;
    }
};

}  // namespace batfill
