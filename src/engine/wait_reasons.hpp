#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/state.hpp>
#include <batfill/engine/wait_reason.hpp>

#include "src/engine/dependencies.hpp"

namespace batfill {

// Records why some jobs wait. It reads the state at the end of each round, and takes what the algorithm says.
class WaitReasons {
 public:
    // `ids` are those of the jobs; none: nobody asks. Reasons leave out `prefix` where an id begins with it.
    explicit WaitReasons(std::set<std::string> ids = {}, std::string prefix = {})
        : ids_(std::move(ids)), prefix_(std::move(prefix)) {}

    bool explains() const { return !ids_.empty(); }
    // The job as reasons name it.
    std::string name(const std::string& id) const { return id.substr(id.starts_with(prefix_) ? prefix_.size() : 0); }
    // Those of the jobs that wait.
    std::span<const JobIndex> waiting() const { return waiting_; }

    // Notes that a job waits from now on.
    void submitted(JobIndex index, const std::string& id);
    // Notes that a job is held until it is eligible.
    void held(JobNumber number, const JobDescription& job);
    // Notes that a waiting job has ended without a start.
    void withdrawn(JobIndex index);
    // Notes that a job is rejected. Its reason is a predicate.
    void rejected(const SchedulerState& state, JobIndex index, const std::string& reason);
    // Notes why the algorithm does not start a job in this round. The last reason counts.
    void because(JobIndex index, Reason reason) { because_[index] = std::move(reason); }
    // Records the reasons of this round.
    // Requires: `dependencies` is not null if a job was held.
    // Cost, for each of the jobs that wait: O(running jobs), and with named hosts O(running jobs * hosts); for each of
    // those that are held: O(what it waits for).
    void end_round(const SchedulerState& state, const Dependencies* dependencies);

    const std::vector<WaitReason>& reasons() const { return reasons_; }

 private:
    WaitReason reason_of(const SchedulerState& state, JobIndex index);
    void find_holders(const SchedulerState& state, const Request& request, WaitReason& reason) const;
    void record(WaitReason reason);

    std::set<std::string> ids_;
    std::string prefix_;
    std::vector<JobIndex> waiting_;
    std::vector<std::pair<JobNumber, Waiting>> held_;
    std::map<JobIndex, Reason> because_;
    std::vector<WaitReason> reasons_;
    std::map<std::string, std::size_t> last_;  // by job: its last reason
};

}  // namespace batfill
