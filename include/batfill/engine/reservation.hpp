#pragma once

#include <span>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>

namespace batfill {

// The one reservation of the queue family: when and where, by the estimates, the first job that cannot start will be
// able to, and which others may start now without delaying it. It is made afresh in each round, and is good for the
// rest of that round.
//
// What is reserved depends on the placement of the job:
//   lowest, best-effort-contiguous: a number of processors, at the shadow time of EASY backfilling (Lifka, JSSPP 1995);
//   contiguous: the lowest block of consecutive processors, at the first time at which there is one;
//   machine: processors of one machine and copies of licences, at the first time at which some machine has them; of
//     several machines at that time, the first of Machine::groups() (Techiouba, Capannini, Baraglia, Puppin, Pasquali,
//     Ricci, Backfilling strategies for scheduling streams of jobs on computational farms, CoreGRID 2007, section 5).
class Reservation {
 public:
    // Requires that the job waits and cannot start now. O(running jobs), and for machine O(groups).
    Reservation(const SchedulerState& state, JobIndex job) : Reservation(state, job, state.running) {}
    // The same if other jobs run, or end otherwise than estimated; `running` is sorted by end. Of the idle processors
    // `withheld` are not to be used now: jobs of `running` hold them. With withheld processors the placement must be
    // lowest or best-effort-contiguous.
    Reservation(const SchedulerState& state, JobIndex job, std::span<const RunningJob> running, int withheld = 0);

    // When the job can start by the estimates, not before now; Time::infinity() if it cannot even when all running jobs
    // have ended, because processors are unavailable: nothing delays it then.
    Time shadow_time() const { return shadow_time_; }

    // Whether a job that runs so long from now on ends by the shadow time.
    bool ends_in_time(Duration estimate) const { return state_.now + estimate <= shadow_time_; }

    // Whether another job of this size may start now. Where the placement is lowest or best-effort-contiguous this is
    // the whole truth, provided that so many processors are idle; else only jobs are turned down that surely may not.
    // O(1).
    bool may_admit(int processors, Duration estimate) const {
        return ends_in_time(estimate) || place_matters_ || processors <= extra_processors_;
    }

    // Starts another waiting job if it can start now without delaying the reserved one: it ends by the shadow time, or
    // leaves what is reserved. It is put where its placement says; if it would be in the way there, on the next place
    // where it is not. Returns whether it started. O(1) and the start, or the search of a place.
    bool start_if_admitted(Round& round, JobIndex job);

 private:
    template <typename Add, typename Enough>
    void find_shadow_time(std::span<const RunningJob> running, Add add, Enough enough);
    void reserve_processors(std::span<const RunningJob> running, int processors);
    void reserve_block(std::span<const RunningJob> running, int processors);
    void reserve_on_machine(std::span<const RunningJob> running, const Request& request);
    bool start_beside_block(Round& round, JobIndex job);
    bool start_on_machine(Round& round, JobIndex job);
    bool leaves_copies(const Request& request) const;
    void take_copies(const Request& request);

    const SchedulerState& state_;
    int withheld_;
    bool place_matters_;  // contiguous and machine
    Time shadow_time_ = Time::infinity();
    // Of the processors, or of those of the machine, what the reserved job leaves free at the shadow time.
    int extra_processors_ = 0;
    ResourceSet block_;     // contiguous
    GroupIndex group_ = 0;  // machine
    // Machine: the copies that the job leaves free of each of its licences, at the shadow time.
    std::vector<std::pair<CounterIndex, long long>> extra_copies_;
};

}  // namespace batfill
