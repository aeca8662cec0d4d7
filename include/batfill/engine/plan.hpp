#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/availability_profile.hpp>

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
// The plan remembers what it has proved: for each planned job, between which instants a start before its planned one
// may have become possible. That is nowhere when it is placed, and where processors are given back an index finds the
// jobs that may profit, by their width, their walltime and their planned start. All others are known to stay where they
// are without a search, which is what makes compression cheap (see docs/performance.md). Proofs are of the plan as it
// is when a job is placed and when processors are given back. Where some jobs are to be placed regardless of others
// (dbf's L0 of its L1), the others have to be cancelled before either; look_again_at is for a job where that was not
// so.
class Plan {
 public:
    Plan() : profile_(Time(), 0) {}

    // An empty plan of `processors` free from `now` on.
    void reset(Time now, int processors);

    // The clock moves to `now`. Requires that it does not move back.
    void advance(Time now);

    // Processors that a running job holds until `end`, or gives back that long before it. To give back costs a change
    // of the profile, a walk over it as far as these processors are free around, and O(1) for each job that is planned
    // in what is free there or is short enough for it.
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
    // instant `than`; it never moves later. Returns whether it moved. Cost: O(1) when nothing that was given back since
    // it was last looked at can help it, else one search of the profile; when it moves, two changes of the profile, a
    // search of the order, and what giving back costs.
    bool move_earlier(JobIndex job, Time now, Time than = Time::infinity());

    // Calls move_earlier for each planned job, in the order of their planned starts. A job that moves goes to a place
    // before its own, so the jobs behind it keep theirs. Returns how many moves there were. O(1) if no job may move,
    // else O(planned jobs) and the calls for those that may.
    std::size_t move_all_earlier(Time now, Time than = Time::infinity());

    // Calls move_earlier for the jobs in this order, and after each that moved again from the first one on, until none
    // moves. Returns how many moves there were. Requires that they are planned jobs, each once. Only jobs that may
    // move are looked at: O(log planned jobs) for each, and the call; O(planned jobs) once if there is such a job.
    std::size_t move_earlier_in_order(const std::vector<JobIndex>& order, Time now);

    // The same for moves to `now` alone, which has to be the profile's origin. Nothing is searched: what is free from
    // now on tells which jobs can start. Cost: O(jobs), again for each move that makes more free from now on, and O(1)
    // for each other move, apart from the move itself.
    std::size_t move_to_now_in_order(const std::vector<JobIndex>& order, Time now);

    // Whether move_earlier may have to search for some job. O(1).
    bool may_move() const { return !may_move_.empty(); }

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
    // Removes a job that will not start; its processors are given back, and it costs the same.
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

    // Starts that may have become possible.
    struct Opened {
        Time from;
        Time until;
        bool some() const { return from < until; }
        void include(const Opened& other) {
            from = std::min(from, other.from);
            until = std::max(until, other.until);
        }
    };
    static const Opened nothing_opened;
    static const Opened everything_opened;
    // What is asked of many jobs at once lies in one cache line.
    struct alignas(64) Slot {
        Time start;
        Opened opened;  // proved: before `start` it can start nowhere else
        JobIndex job;
        int processors;
        bool cancelled;  // else `start` is planned and in the profile
        bool listed;     // in may_move_
        Duration walltime;
        Time submit;
        Time end() const { return start + walltime; }
    };

    // What was given back in a pass by planned start, where each job is looked at once after all that can help it: the
    // starts that this opened, by how much it takes to use them.
    class Openings {
     public:
        void clear() { count_ = 0; }
        // For those that need at most `most`.
        void add(Duration most, const Opened& opened);
        // Adds the starts for one that needs that much, and maybe more than these, to `opened`. O(1).
        void include_in(Opened& opened, Duration needed) const {
            std::size_t step = 0;
            while (step < count_ && steps_[step].most >= needed) {
                ++step;
            }
            if (step > 0) {
                opened.include(steps_[step - 1].opened);
            }
        }

     private:
        struct Step {
            Duration most;
            Opened opened;  // of this one and those before
        };
        static constexpr std::size_t most_steps = 8;
        std::size_t count_ = 0;
        std::array<Step, most_steps + 1> steps_;  // the first `count_`: `most` decreases, and what is opened grows
    };
    // Of jobs of about the same width: for those that are short enough, and for those that are planned early enough.
    struct OpeningsOfWidth {
        Openings by_walltime;
        Openings by_start;
    };

    static constexpr std::uint32_t no_slot = UINT32_MAX;
    static constexpr std::size_t width_classes = AvailabilityProfile::Surroundings::powers;

    // Of a job that the plan is known to have.
    const Slot& slot(JobIndex job) const { return slots_[slot_of_[job]]; }
    Slot& slot(JobIndex job) { return slots_[slot_of_[job]]; }
    // The same, checked: of a job that is planned, or that is cancelled.
    std::uint32_t slot_number(JobIndex job) const {
        if (!contains(job)) {
            refuse_unplanned(job);
        }
        return slot_of_[job];
    }
    const Slot& planned(JobIndex job) const { return slots_[slot_number(job)]; }
    Slot& planned(JobIndex job) { return slots_[slot_number(job)]; }
    [[noreturn]] static void refuse_unplanned(JobIndex job);
    Slot& cancelled(JobIndex job);
    bool before(JobIndex a, JobIndex b) const;
    std::vector<JobIndex>::iterator place_of(JobIndex job);
    void find_place(Slot& slot, Time from);
    void change_place(const Slot& slot, int change);
    void forget(JobIndex job);
    void return_processors(Time from, Time end, int processors);
    // Finds the jobs that may profit from `processors` given back during [from, to).
    void open_starts(Time from, Time to, int processors);
    void open(std::uint32_t number, const Opened& opened);
    // Empties may_move_, and calls `use` with the numbers of the slots in it whose jobs may move. They count as listed
    // until `listed` is taken back: what opens more starts for them meanwhile does not list them again.
    template <class Use>
    void take_listed(Use use);
    void list(std::uint32_t number);
    // The same as for its job, which is at that place in the order by planned start, if that is known.
    bool move_earlier(Slot& slot, Time now, Time than, std::optional<std::size_t> place = {});
    // A job among those of its class of widths, which are sorted by walltime.
    struct Alike {
        Duration walltime;
        std::uint32_t slot;
        bool operator<(const Alike& other) const {
            return walltime != other.walltime ? walltime < other.walltime : slot < other.slot;
        }
    };
    std::vector<Alike>& alike(const Slot& slot);
    // What events are counted of: every attempt, also those that are known to be in vain.
    std::size_t try_all_in_order(const std::vector<JobIndex>& order, Time now, Time than);
    // Of a search for a start before `than` that has found `earlier`, or nothing: infinity.
    void count_events_of_search(const Slot& slot, Time than, Time earlier);

    AvailabilityProfile profile_;
    std::vector<JobIndex> by_start_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<std::uint32_t> slot_of_;  // by JobIndex; no_slot: not in the plan
    // The slots of all jobs that may move, once each, and of some that may not.
    std::vector<std::uint32_t> may_move_;
    // For each power of two of processors the jobs that need from it up to the next, by walltime.
    std::array<std::vector<Alike>, width_classes> by_walltime_;
    // In move_all_earlier what is opened is noted here, not with the jobs.
    bool passing_by_start_ = false;
    std::array<OpeningsOfWidth, width_classes> openings_;
    std::optional<Events> events_;
    // Of functions that use their memory again.
    AvailabilityProfile::Surroundings around_;
    AvailabilityProfile::FreeFromOrigin free_now_;
    AvailabilityProfile::FreeFromOrigin free_before_;
};

}  // namespace batfill
