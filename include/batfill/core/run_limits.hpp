#pragma once

#include <algorithm>

#include <batfill/core/time.hpp>

namespace batfill {

// How long jobs hold what they have under a scheduler that itself launches them and looks at their limits, as Slurm
// does. Its clock has whole seconds.
struct RunLimits {
    Duration launch_delay;     // a job holds its processors so long before it runs
    Duration over_time_limit;  // a job may run on so long behind its limit
    Duration timeout_check;    // the time between looks at the limits; 0: it looks all the time
    Time checks_from;          // the first look, if there is time between them

    // Whether nothing of this is so: jobs end at their walltimes, counted from the moment of the start.
    bool are_none() const { return std::max({launch_delay, over_time_limit, timeout_check}) == Duration(); }
    // When a job that starts at `start` is stopped, if it is still there. Its limit is its walltime in whole minutes,
    // rounded up, and counts from the second in which it starts.
    Time stop(Time start, Duration walltime) const {
        constexpr Microseconds second = 1'000'000;
        const Microseconds limit = rounded_up(walltime.count(), 60 * second) + over_time_limit.count();
        const Microseconds end = rounded_up(start.since_zero().count() - second + 1, second) + limit;
        if (timeout_check == Duration()) {
            return Time::at(Duration::microseconds(end));
        }
        const Microseconds first = checks_from.since_zero().count();
        return Time::at(
            Duration::microseconds(first + rounded_up(std::max(end - first, Microseconds{0}), timeout_check.count())));
    }

 private:
    static constexpr Microseconds rounded_up(Microseconds value, Microseconds unit) {
        return (value + (value > 0 ? unit - 1 : 0)) / unit * unit;
    }
};

}  // namespace batfill
