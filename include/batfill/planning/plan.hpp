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
#include <batfill/engine/state.hpp>
#include <batfill/engine/timeline.hpp>
#include <batfill/planning/availability_profile.hpp>

namespace batfill {

// The planned starts of the waiting jobs, and the availability profile that these jobs and the running jobs leave.
// PlanAlgorithm owns the plan. The algorithms of the plan family differ only in which jobs they place, and in which
// order.
//
// Throws: BrokenRule from each function that takes a job, except contains(), if
// - the plan does not have the job
// - the plan already has it, where the function requires a new one
//
// The plan remembers proofs. For each planned job it keeps the interval in which a start before the planned one may
// have become possible. This interval is empty after the job is placed from the present on. When processors are given
// back, an index finds the jobs that may profit, by width, walltime and planned start. All other jobs stay where they
// are without a search. This makes compression cheap (see docs/architecture.md).
//
// A proof describes the plan at the time when the job is placed and when processors are given back. If some jobs must
// be placed as if others did not exist (dbf places L0 regardless of L1), cancel the others before either. Otherwise
// call look_again_at for each job concerned.
class Plan {
 public:
    Plan() : profile_(Time(), 0) {}

    // Makes the plan empty, with `processors` free from `now` on.
    void reset(Time now, int processors);
    // As above, for a machine with pools or named hosts: with what the timeline has free.
    void reset(Timeline timeline);
    // Without planned jobs, with what runs on the machine of the state. `plan_pools` says which of its pools are
    // planned, as Availability::plan_pools().
    void reset(const SchedulerState& state, const std::string& plan_pools);

    // Moves the clock to `now`.
    // Requires: the clock does not move back.
    void advance(Time now);

    // Takes `processors` for a running job during [from, end).
    void hold(Time from, Time end, int processors);
    // Gives back `processors` of a running job during [from, end).
    // Cost: one change of the profile; a walk over the free interval around [from, end); O(1) for each job planned
    // inside that interval or short enough to fit into it.
    void give_back(Time from, Time end, int processors);

    // The same of a job that has ended early: what it had, but for what is unavailable.
    // Cost: as above; with a timeline, one change of it and O(planned jobs).
    void give_back(const SchedulerState& state, const Completion& completion);

    // With a timeline: takes what windows hold that are announced now. Returns whether there was one.
    bool learn_windows(Time now) { return timeline_ && timeline_->learn_windows(now); }
    // Whether there is one to look at.
    bool has_news(Time now) const { return timeline_ && timeline_->has_news(now); }
    // Windows have been announced, and places may be in their way. In the order of planned starts, each job keeps its
    // start and its hosts if they are still free beside those that have kept theirs before it; then the others are
    // placed at their earliest starts, in that order.
    // Cost: a search and two changes of the timeline for each planned job.
    void make_room();

    // A job for the plan.
    struct Entry {
        JobIndex job;
        int processors;
        Duration walltime;
        Time submit;
        const Request* request = nullptr;  // with a timeline: what the job takes; outlives its place
    };
    // Plans a job and returns its planned start, earliest(job, from). That is the first instant from `from` on at which
    // its processors are free for its whole walltime; Time::infinity() if the machine has too few at present.
    // Requires: the plan does not have the job.
    // Cost: one search, one change of the profile, and O(planned jobs) to keep the order.
    Time place(const Entry& entry, Time from);

    // Moves a planned job to its earliest start from the present on, as if the job itself were not in the plan. Does so
    // only if that start is earlier than both the planned one and `than`. Returns whether the job moved.
    // Cost: O(1) if nothing given back since the last look can help the job; else one search of the profile. A move
    // adds a change of the profile, a search of the order, and what give_back costs.
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

    // As above, but only for jobs that can start now. Finds them from what is free from now on, without a search.
    // Cost: O(jobs) at first, and again after each move that frees more from now on. Each move also costs one
    // free_from_now().
    // With a timeline, looks only at jobs that `may_start`, and searches for each that may move.
    std::size_t move_to_now_in_order(const std::vector<JobIndex>& order,
                                     const std::function<bool(JobIndex)>& may_start = {});

    // Whether move_earlier may have to search for some job.
    // Cost: O(1).
    bool may_move() const { return !may_move_.empty(); }

    // Takes planned jobs out of the profile and out of by_start(). They have no planned start until place_again. The
    // processors that they free do not count as given back: no other job is looked at because of them.
    // Cost: O(planned jobs), and one change of the profile for each cancelled job.
    void cancel(std::span<const JobIndex> jobs);
    // Places a cancelled job at its earliest start from the present on.
    // Cost: as place().
    void place_again(JobIndex job);

    // Forgets what was proved of this planned job, so its next move_earlier searches.
    // Cost: O(1).
    void look_again_at(JobIndex job);

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
    // Cost: two changes of the profile for each job.
    void restore(const std::vector<PlannedJob>& places);

    // Removes a job that starts as planned. Its processors stay taken until start + walltime.
    void start(JobIndex job);
    // Removes a job that will not start, and gives its processors back.
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
        return {job, slot.processors, slot.walltime, slot.submit, slot.request};
    }
    // The first planned start after `after`; infinite if there is none.
    // Cost: O(1), and O(1) for each job planned at or before `after`.
    Time next_start(Time after) const;

    // What the plan holds for a planned job: the hosts if they have names, and the window of a booked job.
    // Throw: std::logic_error without a timeline.
    const Place& place_held(JobIndex job) const {
        require_timeline(true);
        return places_[slot_number(job)];
    }
    // The earliest start from `from` on of a job that the plan does not have.
    // Cost: one search.
    Time earliest(const Entry& entry, Time from) const;

    // Which of the two there is.
    bool has_timeline() const { return timeline_.has_value(); }
    // Throw: std::logic_error where there is the other.
    const AvailabilityProfile& profile() const {
        require_timeline(false);
        return profile_;
    }
    const Timeline& timeline() const {
        require_timeline(true);
        return *timeline_;
    }

 private:
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
    static const StartInterval no_start;
    static const StartInterval any_start;
    // A job that is planned or cancelled. The first cache line holds the fields that scans of many jobs read first.
    struct alignas(64) Slot {
        Time start;
        StartInterval possible;  // proved: no other start before `start` is possible
        JobIndex job;
        int processors;
        bool cancelled;  // if not, `start` is planned and in the profile
        bool listed;     // is in may_move_
        Duration walltime;
        Time submit;
        const Request* request;  // null without a timeline
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
    // For one class of widths: the starts for jobs that are short enough, and for jobs that are planned early enough.
    struct StartIntervalsOfWidth {
        StartIntervals by_walltime;
        StartIntervals by_start;
    };

    static constexpr std::uint32_t no_slot = UINT32_MAX;
    static constexpr std::size_t width_classes = AvailabilityProfile::FreeSpans::powers;

    void require_timeline(bool expected) const {
        if (timeline_.has_value() != expected) {
            refuse_form();
        }
    }
    [[noreturn]] void refuse_form() const;
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
    Time origin() const { return timeline_ ? timeline_->origin() : profile_.origin(); }
    // With a timeline: chooses hosts for the planned start and takes the place; opens starts in what was given back.
    void take_place(const Slot& slot);
    void allow_starts_beside(const Request& given, const Place& place, Time from, Time to);
    Time start_on_timeline(const Slot& slot, Time first, Time last);
    void forget(JobIndex job);
    // Opens starts for the jobs that may profit from `processors` given back during [from, to).
    void allow_starts(Time from, Time to, int processors);
    void collect_starts(Time to);
    void allow_starts_in_spans(Time from, Time to);
    void allow(std::uint32_t number, const StartInterval& possible);
    // Empties may_move_, and calls `use` with the number of each slot in it whose job may move. The slot counts as
    // listed until the caller resets `listed`: until then, list() does not list it again.
    template <class Use>
    void take_listed(Use use);
    void list(std::uint32_t number);
    // As the public move_earlier, for a slot. `position` is the job's position in by_start(), if the caller knows it.
    bool move_earlier(Slot& slot, Time than, std::optional<std::size_t> position = {});
    // An entry of by_walltime_.
    struct ByWalltime {
        Duration walltime;
        std::uint32_t slot;
        bool operator<(const ByWalltime& other) const {
            return walltime != other.walltime ? walltime < other.walltime : slot < other.slot;
        }
    };
    std::vector<ByWalltime>& same_width(const Slot& slot);

    // Invariants between calls of public functions, and the functions that break them for a while:
    // 1. slot_of_[job] is no_slot or the number of the slot that has the job. All other slots are in free_slots_, once
    //    each.
    // 2. by_start_ has the planned jobs, once each, sorted by before(). move_earlier changes `start` first and then the
    //    position.
    // 3. profile_ is the number of processors, minus what running jobs hold, minus each planned job's processors during
    //    [start, end()). A start at infinity takes nothing.
    // 4. by_walltime_[k] has the planned and cancelled jobs that need at least 2^k and less than 2^(k+1) processors,
    //    once each, sorted. place() adds a job last.
    // 5. may_move_ has the slots with `listed`, once each. take_listed() leaves slots listed outside may_move_ until
    //    its caller resets `listed`.
    // 6. A planned job is listed if `possible` has an instant before `start`. In free slots and for cancelled jobs,
    //    `possible` is empty.
    // 7. A planned job cannot start between the origin and `start`, except in `possible`. cancel() breaks this until
    //    the cancelled jobs are back, or look_again_at() is called for the others. In move_all_earlier() it holds for a
    //    job once the pass has added the starts in intervals_ to `possible`.
    // 8. intervals_ is empty and passing_by_start_ is false, except in move_all_earlier().
    // 9. With a timeline, it takes the place of profile_ in 3, and places_ has where.
    AvailabilityProfile profile_;
    std::optional<Timeline> timeline_;
    std::vector<Place> places_;  // by slot; empty without a timeline
    std::vector<JobIndex> by_start_;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<std::uint32_t> slot_of_;  // by JobIndex; no_slot: the plan does not have the job
    // Jobs that may move (invariant 5), and some that may not.
    std::vector<std::uint32_t> may_move_;
    // Index: the power of two that the job's processors are rounded down to.
    std::array<std::vector<ByWalltime>, width_classes> by_walltime_;
    // In move_all_earlier, intervals_ collects possible starts, and the slots do not.
    bool passing_by_start_ = false;
    std::array<StartIntervalsOfWidth, width_classes> intervals_;
    // Kept between calls to reuse their memory.
    AvailabilityProfile::FreeSpans free_spans_;
    AvailabilityProfile::FreeFromNow free_now_;
    AvailabilityProfile::FreeFromNow free_before_;
};

// The planned starts as tests show them behind the bar of a round (tests/support/small_machine.hpp): "b 100; c none",
// in the order of arrival.
std::string to_string(const Plan& plan, const SchedulerState& state);

}  // namespace batfill
