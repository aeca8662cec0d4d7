#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/engine/fitting_hosts.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/timeline.hpp>

namespace batfill {

// What is free from now on, by the estimates, on a machine with pools, named hosts or windows: beside what runs and
// what is announced. The engine keeps it for algorithms that look ahead (Algorithm::looks_ahead); a Trial asks it. It
// looks only at the pools that are planned. Of the others, a job needs only what it takes when it starts.
class Availability {
 public:
    // The parameter `plan-pools`.
    static Parameter plan_pools();
    // What it says of the pools: a flag for each.
    // Throws: UsageError for a pool that the machine does not have.
    static std::vector<bool> planned(const Resources& resources, const std::string& plan_pools);

    Availability(const Machine& machine, Time now, const std::string& plan_pools)
        : timeline_(machine, now, planned(machine.resources(), plan_pools)) {}

    // ---- What the engine reports. `state` is always the one that has this object.

    void begin_round(const SchedulerState& state) { timeline_.begin_round(state); }
    void started(const SchedulerState& state, JobIndex job) { timeline_.started(state, job); }
    void left_queue(JobIndex job) { fitting_.forget(job); }
    void ended(const SchedulerState& state, std::span<const Completion> completions);
    // Anything else has changed.
    void reset(const SchedulerState& state) { timeline_.reset(state); }

    // ---- Where a waiting job could run, for as long as it is estimated to

    // Whether enough hosts have now what it takes of each, or enough are idle; true if it is booked.
    // Cost: O(hosts that have changed since the last call for the job).
    bool has_hosts_now(const SchedulerState& state, JobIndex job);
    // Where it would start now. None: it could not. Unplanned pools may lack.
    // Cost: that of Timeline::fits_now() and choose_now().
    std::optional<Place> place_now(const SchedulerState& state, JobIndex job);
    // Whether there is such a place, and it has what the job takes of all pools now.
    bool could_start(const SchedulerState& state, JobIndex job) const;
    // The same, with the place: for algorithms that reserve nothing.
    std::optional<Place> place_beside_windows(const SchedulerState& state, JobIndex job);
    // Whether only a pool that is not planned, or a limit, keeps the job from starting now.
    bool lacks_only_unplanned(const SchedulerState& state, JobIndex job) const;
    // When it could start, from now on; infinite: never. And where it would run then.
    // Cost: O(hosts that have changed) for the same job again, if nobody is to begin later on any host.
    Time earliest(const SchedulerState& state, JobIndex job) { return timeline_.earliest(state, job, kept_); }
    Place choose(const SchedulerState& state, JobIndex job, Time start) const {
        return timeline_.choose(state, job, start, kept_);
    }

    // Why a job has no start, on any machine.
    static Reason::Never never(const SchedulerState& state, JobIndex job);

    // For what trials hold.
    Timeline& timeline() { return timeline_; }
    const Timeline& timeline() const { return timeline_; }

 private:
    const FittingHosts* hosts_now(const SchedulerState& state, JobIndex job);

    Timeline timeline_;
    FittingHostsOfJobs fitting_;
    Timeline::Kept kept_;  // of the job that was asked for last
};

}  // namespace batfill
