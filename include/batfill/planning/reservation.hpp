#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>

namespace batfill {

// The one reservation of the queue family, for the first job that cannot start now. It says when and where, by the
// estimates, this job will start, and which others may start now without delaying it. Each round rebuilds it; it holds
// for the rest of the round.
//
// The placement of the job determines what is reserved:
// - lowest, best-effort-contiguous: a number of processors, at the shadow time of EASY backfilling (Lifka, JSSPP 1995)
// - contiguous: the lowest block of consecutive processors, at the first time at which there is one
// - machine: processors of one machine and copies of licences, at the first time at which some machine has them; if
//   several have them, the first in Machine::groups() (Techiouba, Capannini, Baraglia, Puppin, Pasquali, Ricci,
//   Backfilling strategies for scheduling streams of jobs on computational farms, CoreGRID 2007, section 5)
class Reservation {
 public:
    // Requires: the job waits and cannot start now.
    // Cost: O(running jobs); for machine also O(groups).
    Reservation(const SchedulerState& state, JobIndex job) : Reservation(state, job, state.running) {}
    // As above, if other jobs run or end at other times than estimated. `running` is sorted by end. `withheld` idle
    // processors must not be used now: jobs of `running` hold them.
    // Requires: the placement is lowest or best-effort-contiguous if `withheld` is not 0.
    Reservation(const SchedulerState& state, JobIndex job, std::span<const RunningJob> running, int withheld = 0);
    // Leaves no extra processors: admits only jobs that end by `shadow_time` or, if it is strict, before.
    // Requires: no waiting job has placement contiguous or machine; `withheld` is as above.
    Reservation(const SchedulerState& state, Time shadow_time, int withheld, bool is_strict = false)
        : state_(state),
          withheld_(withheld),
          place_matters_(false),
          is_strict_(is_strict),
          shadow_time_(shadow_time - (is_strict ? Duration::microseconds(1) : Duration())),
          extra_processors_(-1) {}

    // When the job can start by the estimates, not before now. Time::infinity() if it cannot start even after all
    // running jobs have ended, because processors are unavailable: then nothing delays it.
    Time shadow_time() const { return shadow_time_; }

    // Whether a job that runs this long from now on ends by the shadow time.
    bool ends_in_time(Duration estimate) const { return state_.now + estimate <= shadow_time_; }

    // Whether another job of this size may start now. With placement lowest or best-effort-contiguous the answer is
    // exact, if enough processors are idle. With other placements, false is certain and true is not.
    // Cost: O(1).
    bool may_admit(int processors, Duration estimate) const {
        return ends_in_time(estimate) || place_matters_ || processors <= extra_processors_;
    }

    // Says of the explained jobs of the round why they do not start beside this reservation, which `reserved` has.
    void explain(Round& round, JobIndex reserved) const;

    // Starts another waiting job if it can start now without delaying the reserved one: because it ends by the shadow
    // time, or because it leaves what is reserved. Puts it where its placement says or, if it would be in the way
    // there, at the next place where it is not. Returns whether it started.
    // Cost: O(1) and the start, or the search of a place.
    bool start_if_admitted(Round& round, JobIndex job);

 private:
    template <typename Add, typename Enough>
    void find_shadow_time(std::span<const RunningJob> running, Add add, Enough enough);
    void reserve_processors(std::span<const RunningJob> running, int processors);
    void reserve_block(std::span<const RunningJob> running, int processors);
    void reserve_on_machine(std::span<const RunningJob> running, const Request& request);
    std::optional<ResourceSet> place_beside(JobIndex job) const;
    bool start_in_place(Round& round, JobIndex job);
    bool can_start_beside(JobIndex job) const;
    std::optional<LicenseIndex> lacking_copy(const Request& request) const;
    Time shown_shadow_time() const { return shadow_time_ + (is_strict_ ? Duration::microseconds(1) : Duration()); }
    Shortage shortage(const Request& request) const;
    void take_copies(const Request& request);

    const SchedulerState& state_;
    int withheld_;
    bool place_matters_;      // contiguous or machine
    bool is_strict_ = false;  // the shadow time is one microsecond before the start
    Time shadow_time_ = Time::infinity();
    // Processors that the reserved job leaves free at the shadow time: of all, or of those of its machine.
    int extra_processors_ = 0;
    ResourceSet block_;     // contiguous
    GroupIndex group_ = 0;  // machine
    // Machine: for each licence of the job, the copies that it leaves free at the shadow time.
    std::vector<std::pair<LicenseIndex, long long>> extra_copies_;
};

}  // namespace batfill
