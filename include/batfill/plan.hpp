#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <batfill/availability_profile.hpp>
#include <batfill/job.hpp>
#include <batfill/time.hpp>

namespace batfill {

// How many events of the profile a plain search from the present on would look at in all calls of Plan::move_earlier,
// up to the end of the job's place: what the paper on prioritized compression counts (section 4.3), by three readings
// of what an event is and what is in the profile.
struct ProfileEventCounts {
    std::uint64_t instants = 0;         // at which the number of free processors changes
    std::uint64_t starts_and_ends = 0;  // planned ones of all other jobs, those of one instant each for itself
    // The same where a pass takes all planned jobs out of the profile first, and then places one after the other; none
    // if there was no pass.
    std::optional<std::uint64_t> placed_anew;
};

// The planned starts of the waiting jobs and the availability profile that they and the running jobs leave. Owned by
// PlanAlgorithm: what distinguishes the algorithms of the plan family is only which jobs they place, and in which
// order.
//
// Whatever names a job throws BrokenRule if the plan does not have the job, or has it already where a new one is
// demanded.
//
// The plan remembers what it has proved: a job that could not start before some instant when it was last looked at can
// only do so now if processors were given back since, at an instant before its planned start, and enough of them.
// `move_earlier` answers such calls without a search, which is part of what makes compression cheap (see
// docs/performance.md).
// Proofs are of the plan as it is when a job is placed and when processors are given back. Where some jobs are to be
// placed regardless of others (dbf's L0 of its L1), the others have to be cancelled before either; look_again_at is for
// a job where that was not so.
class Plan {
 public:
    Plan() : profile_(Time(), 0) {}

    // An empty plan of `processors` free from `now` on.
    void reset(Time now, int processors);

    // The clock moves to `now`. Requires that it does not move back.
    void advance(Time now);

    // Processors that a running job holds until `end`, or gives back that long before it.
    void hold(Time from, Time end, int processors);
    void give_back(Time from, Time end, int processors);

    // Plans a job at earliest(job, from), which is returned: the first instant from `from` on at which its processors
    // are free for its whole walltime; Time::infinity() if the machine has too few at present. The job must be new to
    // the plan. Cost: a search and two changes of the profile, O(planned jobs) to keep the order.
    struct Request {
        JobIndex job;
        int processors;
        Duration walltime;
        Time submit;
    };
    Time place(const Request& request, Time from);

    // Removes a planned job and places it at earliest(job, now) if that is earlier than its planned start, and than the
    // instant `than`; it never moves later. Returns whether it moved. Cost: O(1) when nothing relevant was given
    // back since it was last looked at, else one search of the profile; four changes of the profile and a search of the
    // order when it moves.
    bool move_earlier(JobIndex job, Time now, Time than = Time::infinity());

    // Calls move_earlier for the jobs in this order, and after each that moved again from the first one on, until none
    // moves. Returns how many moves there were. Requires that they are all planned jobs, each once. Jobs that cannot
    // have profited from a move are not tried again. Cost: O(jobs) calls, and for each move O(jobs that are planned
    // behind what it gave back) to find those that may profit, and their calls.
    std::size_t move_earlier_in_order(const std::vector<JobIndex>& order, Time now, Time than);

    // Takes planned jobs out of the profile and out of by_start(); until place_again they have no planned start. What
    // they free is theirs alone until then, and is not counted as given back. O(planned jobs), and a change of the
    // profile for each.
    void cancel(std::span<const JobIndex> jobs);
    // Places a cancelled job at earliest(job, from). Costs what place() costs.
    void place_again(JobIndex job, Time from);

    // The next move_earlier of this planned job searches: nothing is taken as proved of it. O(1).
    void look_again_at(JobIndex job);

    // Planned jobs and their places, to be put back after a trial.
    struct Place {
        JobIndex job;
        Time start;
    };
    std::vector<Place> places() const;
    // Puts jobs back to where they were, and forgets what was proved of them; they are the planned and cancelled ones,
    // but for cancelled ones that stay so. Requires that running jobs hold no more than they did then. Two changes of
    // the profile for each job.
    void restore(const std::vector<Place>& places);

    // Removes a job that starts as planned: its processors stay taken until start + walltime.
    void start(JobIndex job);
    // Removes a job that will not start; its processors are given back.
    void remove(JobIndex job);

    // The planned jobs by planned start, ties by submission time, then order of arrival.
    const std::vector<JobIndex>& by_start() const { return by_start_; }
    // Whether the job is in by_start(). O(1).
    bool contains(JobIndex job) const {
        return job < slot_of_.size() && slot_of_[job] != no_slot && !slots_[slot_of_[job]].cancelled;
    }
    Time planned_start(JobIndex job) const { return planned(job).start; }
    // The first planned start after `after`; infinite if there is none. O(1), and O(1) for each job that is planned at
    // or before that instant.
    Time next_start(Time after) const;

    const AvailabilityProfile& profile() const { return profile_; }

    // Counts from now on; requires that nothing is held or planned yet. The searches themselves are cheaper: counting
    // costs O(log planned jobs) for each call, and O(planned and running jobs) for each change of the plan.
    void count_events() { events_.emplace(); }
    // Nothing if they are not counted.
    std::optional<ProfileEventCounts> counted_events() const {
        return events_ ? std::optional(events_->counts) : std::nullopt;
    }
    // From here on, each planned job is given to move_earlier once, by planned start. Only what is counted depends on
    // this.
    void begin_pass();

 private:
    // Instants in order, each as often as it was added; none that is infinite. O(log instants) to count, O(instants) to
    // change.
    class Instants {
     public:
        void add(Time instant);
        void remove(Time instant);  // once; nothing if it is not there
        void remove_until(Time instant);
        std::uint64_t within(Time after, Time until) const;

     private:
        std::vector<Time> instants_;
    };
    // What counts need: the ends of running jobs, the starts and ends of planned ones, and in a pass the ends of
    // running jobs with the starts and ends of those that it has placed.
    struct Events {
        ProfileEventCounts counts;
        Instants running;
        Instants planned;
        Instants in_pass;
    };

    struct Slot {
        Time start;
        Duration walltime;
        Time submit;
        Time impossible_before;  // proved: it cannot start before this, and none of the first `proved` returns of
        std::size_t proved;      // processors has changed that
        int processors;
        bool cancelled;  // else `start` is planned and in the profile
        Time end() const { return start + walltime; }
    };
    // Processors given back during [from, to). It helps only jobs that were too wide for some instant there before, and
    // were not afterwards: they need more than `least_before`, and not more than `most_after`. Of these one that is
    // planned within what is free around the interval may begin there earlier, and one that is planned behind it has to
    // fit: `around` is of the profile as it was then, for these numbers. It is not worth its cost where each job is
    // looked at once after all returns, and nothing there.
    struct Return {
        Time from;
        Time to;
        int least_before;
        int most_after;
        std::shared_ptr<const AvailabilityProfile::Surroundings> around = nullptr;  // apart, as it is large
        bool may_help(const Slot& slot) const;
        // Of a job that it may help: no start before this has become possible by it.
        Time first_start(const Slot& slot) const;
    };
    // The starts that returns have made possible are in [from, until); there is none if `from` is infinite.
    struct Opened {
        Time from;
        Time until;
    };

    static constexpr std::uint32_t no_slot = UINT32_MAX;

    // Of a job that the plan is known to have.
    const Slot& slot(JobIndex job) const { return slots_[slot_of_[job]]; }
    Slot& slot(JobIndex job) { return slots_[slot_of_[job]]; }
    // The same, checked: of a job that is planned, or that is cancelled.
    const Slot& planned(JobIndex job) const;
    Slot& planned(JobIndex job) { return const_cast<Slot&>(std::as_const(*this).planned(job)); }
    Slot& cancelled(JobIndex job);
    bool before(JobIndex a, JobIndex b) const;
    std::vector<JobIndex>::iterator place_of(JobIndex job);
    void find_place(Slot& slot, Time from);
    void change_place(const Slot& slot, int change);
    std::size_t returns_made() const { return returns_forgotten_ + returns_.size(); }
    void forget(JobIndex job);
    void note_return(Time from, Time to, int processors);
    // By the returns since the job was last looked at. O(returns).
    Opened opened(const Slot& slot) const;
    void return_processors(Time from, Time end, int processors);
    // Of a search for a start before `than` that has found `earlier`, or nothing: infinity.
    void count_events_of_search(const Slot& slot, Time than, Time earlier);

    AvailabilityProfile profile_;
    std::vector<JobIndex> by_start_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<std::uint32_t> slot_of_;  // by JobIndex; no_slot: not in the plan
    std::vector<Return> returns_;
    std::size_t returns_forgotten_ = 0;
    std::optional<Events> events_;
};

}  // namespace batfill
