#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/availability_profile.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/engine/timeline.hpp>

namespace batfill {

// The planned starts of the waiting jobs, and what these jobs, the running jobs and announced windows leave of the
// machine over time (Timeline). PlanAlgorithm owns the plan. The algorithms of the plan family differ only in which
// jobs they place, and in which order.
//
// Throws: BrokenRule from each function that takes a job, except contains(), if
// - the plan does not have the job
// - the plan already has it, where the function requires a new one
//
// The plan remembers proofs. For each planned job it keeps the interval in which a start before the planned one may
// have become possible. This interval is empty after the job is placed from the present on. When something is given
// back, an index for each column of what is counted finds the jobs that may profit, by the amount that they take, their
// walltimes and planned starts. All other jobs stay where they are without a search. This makes compression cheap (see
// docs/architecture.md).
//
// A proof describes the plan at the time when the job is placed and when something is given back. If some jobs must
// be placed as if others did not exist (dbf places L0 regardless of L1), cancel the others before either. Otherwise
// call look_again_at for each job concerned.
class Plan {
 public:
    // Makes the plan empty: nothing but what the timeline has.
    void reset(Timeline timeline);
    // Without planned jobs, with what runs on the machine of the state. `plan_pools` says which of its pools are
    // planned, as Availability::plan_pools().
    void reset(const SchedulerState& state, const std::string& plan_pools);

    // Moves the clock to `now`.
    // Requires: the clock does not move back.
    void advance(Time now) { timeline_->advance(now); }

    // Gives back what a job had at this place, with this number of processors, during [from, end).
    // Cost: one change of the timeline. Of each column of what is counted, a walk over the free interval around
    // [from, end), and O(1) for each job planned inside that interval or short enough to fit into it. With named hosts
    // or bookings, O(planned jobs).
    void give_back(const Request& request, int processors, const Place& place, Time from, Time end);
    // The same of a job that has ended early: what it had, but for what is unavailable.
    void give_back(const SchedulerState& state, const Completion& completion);

    // Takes what windows hold that are announced now. Returns whether there was one.
    bool learn_windows(Time now) { return timeline_->learn_windows(now); }
    // Looks from now on at the planned pools that have become scarce.
    // Requires: the plan has no running job that has ended.
    // Cost: O(running and planned jobs) changes of such a pool, if there is one.
    void add_scarce_pools(const SchedulerState& state);
    // Whether there is a window to look at.
    bool has_news(Time now) const { return timeline_->has_news(now); }
    // Windows have been announced, and places may be in their way. In the order of planned starts, each job keeps its
    // start and its hosts if they are still free beside those that have kept theirs before it; then the others are
    // placed at their earliest starts, in that order.
    // Cost: a search and two changes of the timeline for each planned job.
    void make_room();

    // A job for the plan.
    struct Entry {
        JobIndex job;
        Duration walltime;
        Time submit;
        const Request* request;  // outlives the job's place
    };
    // Plans a job and returns its planned start, earliest(job, from). That is the first instant from `from` on at which
    // what it takes is free for its whole walltime; Time::infinity() if the machine has too little at present.
    // Requires: the plan does not have the job.
    // Cost: one search, one change of the timeline, and O(planned jobs) to keep the order.
    Time place(const Entry& entry, Time from);

    // Moves a planned job to its earliest start from the present on, as if the job itself were not in the plan. Does so
    // only if that start is earlier than both the planned one and `than`. Returns whether the job moved.
    // Cost: O(1) if nothing given back since the last look can help the job; else one search of the timeline. A move
    // adds a change of the timeline, a search of the order, and what give_back costs.
    bool move_earlier(JobIndex job, Time than = Time::infinity());

    // Calls move_earlier for each planned job, in the order of planned starts. A job only moves forward in that order,
    // so the jobs behind it keep their positions. Returns the number of moves.
    // Cost: O(1) if no job may move; else O(planned jobs) and the calls for those that may.
    std::size_t move_all_earlier(Time than = Time::infinity());

    // Calls move_earlier for the jobs in this order. After each move, starts again from the first job, until none
    // moves. Returns the number of moves. Looks only at jobs that may move.
    // Requires: `order` has planned jobs only, each once.
    // Cost: O(log planned jobs) and the call for each job that may move; O(planned jobs) once if there is such a job.
    std::size_t move_earlier_in_order(const std::vector<JobIndex>& order);

    // As above, but only for jobs that can start now, and that `may_start`. Where all is counted, finds them from what
    // is free from now on, without a search.
    // Cost: O(jobs) at first, and again after each move that frees more from now on. Each move also costs one
    // free_from_now() of each column. With named hosts or bookings, a search for each job that may move.
    std::size_t move_to_now_in_order(const std::vector<JobIndex>& order,
                                     const std::function<bool(JobIndex)>& may_start);

    // Whether move_earlier may have to search for some job.
    // Cost: O(1).
    bool may_move() const { return !may_move_.empty(); }

    // Takes planned jobs out of the timeline and out of by_start(). They have no planned start until place_again. The
    // processors that they free do not count as given back: no other job is looked at because of them.
    // Cost: O(planned jobs), and one change of the timeline for each cancelled job.
    void cancel(std::span<const JobIndex> jobs);
    // Places a cancelled job at its earliest start from the present on.
    // Cost: as place().
    void place_again(JobIndex job);

    // An interval [from, until) of starts that may have become possible.
    struct StartInterval {
        Time from;
        Time until;
        bool some() const { return from < until; }
        void include(const StartInterval& other) {
            from = std::min(from, other.from);
            until = std::max(until, other.until);
        }
    };
    // Those at which move_earlier still looks for this planned job. It is proved that the job could start at no other
    // instant from the present to its planned start, even if it were not in the plan.
    // Cost: O(1).
    StartInterval possible_starts(JobIndex job) const { return planned(job).possible; }

    // Forgets what was proved of this planned job, so its next move_earlier searches.
    // Cost: O(1).
    void look_again_at(JobIndex job);
    // Of all planned jobs.
    // Cost: O(planned jobs).
    void look_again_at_all();

    // A planned job and its start, to be restored after a trial.
    struct PlannedJob {
        JobIndex job;
        Time start;
        Place place;
    };
    std::vector<PlannedJob> places() const;
    // Puts jobs back to their `places`, and forgets what was proved of them. Leaves other jobs of the plan cancelled.
    // Requires:
    // - `places` comes from places(), and its jobs are planned or cancelled now
    // - running jobs hold no more than they did then
    // Cost: two changes of the timeline for each job.
    void restore(const std::vector<PlannedJob>& places);

    // Removes a job that starts as planned. What it takes stays taken until start + walltime. Returns its place.
    Place start(JobIndex job);
    // Removes a job that will not start, and gives back what it takes.
    // Cost: as give_back().
    void remove(JobIndex job);

    // The planned jobs by planned start; ties by submission time, then by order of arrival.
    const std::vector<JobIndex>& by_start() const { return by_start_; }
    // Whether the job is in by_start().
    // Cost: O(1).
    bool contains(JobIndex job) const {
        return job < slot_of_.size() && slot_of_[job] != no_slot && !slots_[slot_of_[job]].cancelled;
    }
    Time planned_start(JobIndex job) const { return planned(job).start; }
    // What a planned job was placed with.
    Entry entry(JobIndex job) const {
        const Slot& slot = planned(job);
        return {job, slot.walltime, slot.submit, slot.request};
    }
    // The first planned start after `after`; infinite if there is none.
    // Cost: O(1), and O(1) for each job planned at or before `after`.
    Time next_start(Time after) const;

    // What the plan holds for a planned job: the hosts if they have names, and the window of a booked job.
    const Place& place_held(JobIndex job) const { return places_[slot_number(job)]; }
    // The earliest start from `from` on of a job that the plan does not have.
    // Cost: one search.
    Time earliest(const Entry& entry, Time from) const;

    // Requires: reset() was called.
    const Timeline& timeline() const { return *timeline_; }

 private:
    static const StartInterval no_start;
    static const StartInterval any_start;
    // A job that is planned or cancelled. The first cache line holds the fields that scans of many jobs read first.
    struct alignas(64) Slot {
        Time start;
        StartInterval possible;  // proved: no other start before `start` is possible
        JobIndex job;
        int processors;
        bool cancelled;  // if not, `start` is planned and in the timeline
        bool listed;     // is in may_move_
        bool booked;     // as its request says
        Duration walltime;
        Time submit;
        const Request* request;
        Time end() const { return start + walltime; }
    };

    // Collects the starts that moves open during a pass by planned start: for each bound `most`, those for jobs that
    // need at most this much. The pass looks at each job once, after all moves that can help it.
    class StartIntervals {
     public:
        void clear() { count_ = 0; }
        // For jobs that need at most `most`.
        void add(Duration most, const StartInterval& possible);
        // Adds the starts for a job that needs `needed` to `possible`, and perhaps more than these.
        // Cost: O(1).
        void include_in(StartInterval& possible, Duration needed) const {
            std::size_t step = 0;
            while (step < count_ && steps_[step].most >= needed) {
                ++step;
            }
            if (step > 0) {
                possible.include(steps_[step - 1].possible);
            }
        }

     private:
        struct Step {
            Duration most;
            StartInterval possible;  // by this step and those before it
        };
        static constexpr std::size_t most_steps = 8;
        std::size_t count_ = 0;
        // The first `count_` are used. `most` decreases, `possible` grows.
        std::array<Step, most_steps + 1> steps_;
    };
    // An entry of Column::Class::by_walltime.
    struct ByWalltime {
        Duration walltime;
        std::uint32_t slot;
        bool operator<(const ByWalltime& other) const {
            return walltime != other.walltime ? walltime < other.walltime : slot < other.slot;
        }
    };
    // The jobs that take of one column of what is counted (CountedProfile::each_column), in classes: each ranges from a
    // power of two up to the next. In move_all_earlier, the intervals collect possible starts, and the slots do not:
    // for jobs that are short enough, and for jobs that are planned early enough.
    struct Column {
        struct Class {
            std::vector<ByWalltime> by_walltime;
            StartIntervals for_walltimes;
            StartIntervals for_starts;
        };
        std::vector<Class> classes;  // by the exponent of the power of two
        bool has_intervals = false;  // whether a class has some
        // More than any job takes that has a class.
        Amount widest() const { return Amount{1} << classes.size(); }
        FreeSpans free_spans;  // kept between calls to reuse the memory, as those below
        FreeFromNow free_now;
        FreeFromNow free_before;
    };

    static constexpr std::uint32_t no_slot = UINT32_MAX;

    // Requires: the plan has the job.
    const Slot& slot(JobIndex job) const { return slots_[slot_of_[job]]; }
    Slot& slot(JobIndex job) { return slots_[slot_of_[job]]; }
    // The same, checked: slot_number() and planned() require a planned job, cancelled() a cancelled one.
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
    std::vector<JobIndex>::iterator position_of(JobIndex job);
    void insert(Slot& slot, Time from);
    void change_place(const Slot& slot, int change);
    Time origin() const { return timeline_->origin(); }
    // Calls `use` with each column, its profile, and a function that says what a slot takes of it.
    template <class Use>
    void each_column(Use use);
    // Chooses hosts and a window for the planned start, and takes them.
    void take_place(const Slot& slot);
    void forget(JobIndex job);
    // Opens starts for the jobs that may profit from what was given back during [from, to).
    void allow_starts(const Request& given, int processors, const Place& place, Time from, Time to);
    void allow_starts_in_columns(const Request& given, int processors, Time from, Time to);
    // What is given back until `to`, on some hosts from `from` on, and on others from a later instant on.
    struct GivenOnHosts {
        ResourceSet hosts;
        Time from;
    };
    void allow_starts_on_hosts(const Request& request, std::span<const GivenOnHosts> given, Time to);
    void forget_given(bool is_new);
    // By given_, from number `first` on.
    void allow_starts_of(std::uint32_t number, std::size_t first);
    static void add_to_class(Column& column, Amount amount, const ByWalltime& added);
    static void collect_starts(Column& column, Time to);
    template <class Taken>
    void allow_starts_in_spans(const Column& column, Taken taken, Time from, Time to);
    // Whether the job could start now, by what is free from now on.
    bool fits_from_now_on(const Slot& slot);
    // Whether a move has freed more from now on.
    bool look_from_now_on();
    void allow(std::uint32_t number, const StartInterval& possible);
    // Empties may_move_, and calls `use` with the number of each slot in it whose job may move. The slot counts as
    // listed until the caller resets `listed`: until then, list() does not list it again.
    template <class Use>
    void take_listed(Use use);
    void list(std::uint32_t number);
    // As the public move_earlier, for a slot. `position` is the job's position in by_start(), if the caller knows it.
    bool move_earlier(Slot& slot, Time than, std::optional<std::size_t> position = {});
    // Invariants between calls of public functions, and the functions that break them for a while:
    // 1. slot_of_[job] is no_slot or the number of the slot that has the job. All other slots are in free_slots_, once
    //    each.
    // 2. by_start_ has the planned jobs, once each, sorted by before(). move_earlier changes `start` first and then the
    //    position.
    // 3. timeline_ has what running jobs and announced windows hold, and what each planned job takes at its place of
    //    places_ during [start, end()). A start at infinity takes nothing.
    // 4. by_walltime of class k of a column has the planned and cancelled jobs that take at least 2^k and less than
    //    2^(k+1) of it, once each, sorted. place() adds a job last.
    // 5. may_move_ has the slots with `listed`, once each. take_listed() leaves slots listed outside may_move_ until
    //    its caller resets `listed`.
    // 6. A planned job is listed if `possible` has an instant before `start`. In free slots and for cancelled jobs,
    //    `possible` is empty.
    // 7. A planned job cannot start between the origin and `start`, except in `possible`. cancel() breaks this until
    //    the cancelled jobs are back, or look_again_at() is called for the others. In move_all_earlier() it holds for a
    //    job once the pass has added the starts in the intervals of its classes, and those by given_, to `possible`.
    // 8. The intervals of all classes are empty and passing_by_start_ is false, except in move_all_earlier(). There,
    //    the slot whose turn it is counts as listed while it looks at given_.
    std::optional<Timeline> timeline_;     // none before the first reset()
    std::vector<Place> places_;            // by slot
    std::vector<GivenHosts::Need> needs_;  // by slot, if hosts have names
    std::vector<JobIndex> by_start_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<std::uint32_t> slot_of_;  // by JobIndex; no_slot: the plan does not have the job
    // Jobs that may move (invariant 5), and some that may not.
    std::vector<std::uint32_t> may_move_;
    std::vector<Column> columns_;
    bool passing_by_start_ = false;  // in move_all_earlier
    // What was given back last; in move_all_earlier, during the pass. Not used if all is only counted.
    struct Given {
        Time from;
        Time until;
        std::size_t first_host;  // in given_hosts_
    };
    std::vector<Given> given_;
    GivenHosts given_hosts_;
};

// The planned starts as tests show them behind the bar of a round (tests/support/small_machine.hpp): "b 100; c none",
// in the order of arrival.
std::string to_string(const Plan& plan, const SchedulerState& state);

}  // namespace batfill
