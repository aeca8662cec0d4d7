#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <batfill/availability_profile.hpp>
#include <batfill/job.hpp>
#include <batfill/planned_jobs.hpp>
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
// The plan remembers what it has proved: which starts of a job before the planned one were impossible when it was last
// looked at. Taking processors leaves that so. Processors that are given back make starts possible again, but only for
// jobs that need more than were free there before and no more than are free now, and that are planned in the time for
// which these stay free, or are short enough for it. An index over the planned jobs finds them (PlannedJobs), so that a
// compression looks at no others (see docs/performance.md).
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
    // the plan. Cost: a search and two changes of the profile, and a change of PlannedJobs.
    struct Request {
        JobIndex job;
        int processors;
        Duration walltime;
        Time submit;
    };
    Time place(const Request& request, Time from);

    // Removes a planned job and places it at earliest(job, now) if that is earlier than its planned start, and than the
    // instant `than`; it never moves later. Returns whether it moved. Cost: a search in PlannedJobs; unless it is
    // proved that it cannot move, one in that part of the profile where this is open; when it moves, three changes of
    // PlannedJobs, four of the profile, and finding the jobs that may profit.
    bool move_earlier(JobIndex job, Time now, Time than = Time::infinity());

    // Calls move_earlier for each planned job, by planned start. Returns how many moved. Jobs of which it is proved
    // that they cannot move cost nothing. Where a job comes behind a time in which all processors are free, it and all
    // jobs behind it move up together, at O(planned jobs) for all of them.
    std::size_t move_all_earlier(Time now, Time than = Time::infinity());

    // Calls move_earlier for the planned jobs in an order: for each once, or again from the first one on after each
    // that moved, until none moves. Returns how many moves there were. rank_of(job) is the job's rank, of which the
    // least goes first and no two are equal, or nothing if the job is not to be tried. Jobs of which it is proved that
    // they cannot move cost nothing.
    enum class Passes { one, until_none_moves };
    template <typename RankOf>
    std::size_t move_earlier_in_order(Time now, Time than, Passes passes, RankOf rank_of);

    // Takes planned jobs out of the profile and out of by_start(); until place_again they have no planned start. What
    // they free is theirs alone until then, and is not counted as given back. A change of the profile and one of
    // PlannedJobs for each.
    void cancel(std::span<const JobIndex> jobs);
    // Places a cancelled job at earliest(job, from). Costs what place() costs.
    void place_again(JobIndex job, Time from);

    // The next move_earlier of this planned job searches: nothing is taken as proved of it. A change of
    // PlannedJobs.
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

    // The planned jobs by planned start, ties by submission time, then order of arrival. O(planned jobs).
    std::vector<JobIndex> by_start() const { return due(Time::infinity()); }
    // Those of them that are planned until an instant. O(1) for each.
    std::vector<JobIndex> due(Time until) const;
    // How many jobs are planned. O(1).
    std::size_t size() const { return jobs_.size(); }
    // Whether the job is one of them. O(1).
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
    bool counts_events() const { return events_.has_value(); }
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
        int processors;
        bool cancelled;  // else `start` is planned and in the profile
        Time end() const { return start + walltime; }
    };

    static constexpr Time never = Time::at(-Duration::infinity());
    static constexpr std::uint32_t no_slot = UINT32_MAX;

    // Of a job that the plan is known to have.
    const Slot& slot(JobIndex job) const { return slots_[slot_of_[job]]; }
    Slot& slot(JobIndex job) { return slots_[slot_of_[job]]; }
    // The same, checked: of a job that is planned, or that is cancelled.
    const Slot& planned(JobIndex job) const;
    Slot& planned(JobIndex job) { return const_cast<Slot&>(std::as_const(*this).planned(job)); }
    Slot& cancelled(JobIndex job);
    static PlannedJobs::Key key_of(JobIndex job, const Slot& slot) { return {slot.start, slot.submit, job}; }
    void insert(JobIndex job, const Slot& slot, PlannedJobs::Open open);
    bool try_to_move(const PlannedJobs::Entry& entry, Time now, Time than);
    // Closes the time before this start if all processors are free in it: the jobs planned from there on move up
    // together. Returns how many, and to where.
    struct Shift {
        std::size_t jobs;
        Time start;
    };
    std::optional<Shift> shift_if_all_is_free(Time now, Time start);
    // The jobs to which a start before `than` is open.
    std::vector<JobIndex> movable(Time than) const;
    // Proved: no job that needs at least so many processors, for at least so long, and is planned at `start` or later,
    // can start before `before`. When a hole that is large enough for many jobs has been filled by the first of them,
    // that the second has found no place spares the others their searches.
    struct Proof {
        int processors;
        Duration walltime;
        Time start;
        Time before;
        bool is_about(const PlannedJobs::Entry& entry) const {
            return entry.processors >= processors && entry.walltime >= walltime && entry.key.start >= start &&
                   entry.open.until <= before;
        }
    };
    static constexpr std::size_t proofs_remembered = 16;
    bool is_hopeless(const PlannedJobs::Entry& entry) const;
    void note_proof(const Proof& proof);
    const PlannedJobs::Entry* next_open(const PlannedJobs::Key& key, Time than);
    void change_place(const Slot& slot, int change);
    void forget(JobIndex job);
    void return_processors(Time from, Time end, int processors);
    // Of a search for a start before `than` that has found `earlier`, or nothing: infinity.
    void count_events_of_search(const Slot& slot, Time than, Time earlier);

    AvailabilityProfile profile_;
    int processors_ = 0;  // of the machine, held or not
    PlannedJobs jobs_;    // all but the cancelled ones
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<std::uint32_t> slot_of_;  // by JobIndex; no_slot: not in the plan
    // While jobs are tried in an order: the jobs that may have become able to start before that instant.
    Time noted_before_ = never;
    std::vector<JobIndex> noted_;
    std::vector<Proof> proofs_;   // some of the latest, of which no return can have changed anything
    std::size_t last_proof_ = 0;  // the latest, if there is one
    std::optional<Events> events_;
};

template <typename RankOf>
std::size_t Plan::move_earlier_in_order(Time now, Time than, Passes passes, RankOf rank_of) {
    using Rank = typename std::invoke_result_t<RankOf, JobIndex>::value_type;
    using Candidate = std::pair<Rank, JobIndex>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
    std::optional<Rank> tried;
    std::size_t moves = 0;
    // Every attempt is counted, also one that is known to be in vain.
    noted_ = events_ ? by_start() : movable(than);
    noted_before_ = events_ ? never : than;
    do {
        for (const JobIndex job : noted_) {
            const std::optional<Rank> rank = rank_of(job);
            if (rank && (passes == Passes::until_none_moves || !tried || *tried < *rank)) {
                candidates.emplace(*rank, job);
            }
        }
        noted_.clear();
        if (candidates.empty()) {
            break;
        }
        const JobIndex job = candidates.top().second;
        tried = candidates.top().first;
        candidates.pop();
        if (move_earlier(job, now, than)) {
            ++moves;
            if (events_ && passes == Passes::until_none_moves) {
                candidates = {};
                noted_ = by_start();
            }
        }
    } while (true);
    noted_before_ = never;
    return moves;
}

}  // namespace batfill
