#pragma once

#include <span>

#include <batfill/engine/state.hpp>
#include <batfill/engine/timeline.hpp>

namespace batfill {

// A job that a timeline has at a later time.
struct LaterJob {
    JobIndex job;
    Time start;
    Time end;
    Place place = {};
};

// Whom of such jobs another one would delay if it started now and ran for `length`: the first that, with those before
// it, leaves too little for it, and what that is. A job does not delay itself.
struct Delay {
    bool fits = false;             // without all of them
    const LaterJob* of = nullptr;  // null: nobody
    Shortage shortage = {};
};
// Requires: `free` has the jobs; `now` is its origin.
// Cost: O(steps) for each job.
Delay find_delay(const SchedulerState& state, JobIndex job, Duration length, std::span<const LaterJob> jobs,
                 Timeline free);

}  // namespace batfill
