#pragma once

#include <algorithm>
#include <span>

#include <batfill/engine/availability_profile.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Number of free processors from now on, in one round of `easy` with several reservations. Running jobs hold theirs
// until their estimated ends, and so do jobs that this round started or reserved. Overdue jobs end at the next instant.
//
// Cost: O(n * log(n)) to make, with n running and reserved jobs; the calls cost what AvailabilityProfile says.
class ProfileOfRound {
 public:
    // `free` processors can be used now, and the processors of the `running` jobs later.
    ProfileOfRound(Time now, int free, std::span<const RunningJob> running)
        : now_(now), profile_(now, free + processors_of(running)) {
        for (const RunningJob& job : running) {
            profile_.add(now, std::max(job.end, next_instant()), -job.processors);
        }
    }

    // Whether the job, if it runs for `estimate`, can start now and finish undisturbed.
    bool can_start(const Job& job, Duration estimate) const {
        return profile_.earliest(now_, estimate, job.processors(), Time::infinity(), next_instant()) == now_;
    }
    // Takes the processors of a job from now on until its estimated end.
    void take(const Job& job, Duration estimate) { profile_.add(now_, now_ + estimate, -job.processors()); }

    // Takes the processors of a job at the earliest time at which it can run. Does nothing if no such time exists.
    void reserve(const Job& job, Duration estimate) {
        const Time start = profile_.earliest(now_, estimate, job.processors());
        if (!start.is_infinite()) {
            profile_.add(start, start + estimate, -job.processors());
        }
    }

 private:
    static int processors_of(std::span<const RunningJob> running) {
        int processors = 0;
        for (const RunningJob& job : running) {
            processors += job.processors;
        }
        return processors;
    }
    Time next_instant() const { return now_ + Duration::microseconds(1); }

    Time now_;
    AvailabilityProfile profile_;
};

}  // namespace batfill
