#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/planning/timeline.hpp>

namespace batfill {

// The timeline of an algorithm that needs one only on a machine with pools or named hosts (Resources). It has what
// runs, and looks only at the pools that are planned. Of the others, a job needs only what it takes when it starts.
class PlannedTimeline {
 public:
    // The parameter `plan-pools`.
    static Parameter plan_pools();
    // What it says of the pools: a flag for each.
    // Throws: UsageError for a pool that the machine does not have.
    static std::vector<bool> planned(const Resources& resources, const std::string& plan_pools);
    explicit PlannedTimeline(const Parameters& parameters) : planned_(parameters.text("plan-pools")) {}

    // To be called by the functions of Algorithm of these names. They do nothing on another machine.
    // Throws: UsageError for a pool to plan that the machine does not have.
    void begin(const Round& round);
    void begin_round(const SchedulerState& state);
    void started(const SchedulerState& state, JobIndex job);
    void completed(const SchedulerState& state, std::span<const Completion> completions);
    void machine_changed(const SchedulerState& state);

    // Whether there is one: after begin().
    bool is_on() const { return timeline_.has_value(); }
    Timeline& operator*() { return *timeline_; }
    Timeline* operator->() { return &*timeline_; }

    // From now on there is none.
    void switch_off() { timeline_.reset(); }

    // Starts a job if it can run now for as long as it is estimated to run, beside what is announced and reserved, and
    // what it takes of all pools is left now. Returns whether it did. Without windows, what is free now is enough.
    bool start_if_it_fits(Round& round, JobIndex job) const;
    // Whether it would.
    bool could_start(const SchedulerState& state, JobIndex job) const;
    // Whether only a pool that is not planned keeps the job from starting now.
    // Requires: is_on().
    bool lacks_only_unplanned(const SchedulerState& state, JobIndex job) const;
    // Why a job with this request has no start.
    static Reason::Never never(const Request& request) {
        return request.is_booked() ? Reason::Never::no_room_inside : Reason::Never::too_little;
    }

 private:
    // Where the job would start now, beside windows. None: it could not.
    // Requires: is_on().
    std::optional<Place> place_now(const SchedulerState& state, JobIndex job) const;

    std::string planned_;
    std::optional<Timeline> timeline_;
};

}  // namespace batfill
