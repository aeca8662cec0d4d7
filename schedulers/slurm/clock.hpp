#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "schedulers/slurm/settings.hpp"

namespace batfill::slurm {

// An instant of Unix time, or a duration.
using Microseconds = std::int64_t;
constexpr Microseconds per_second = 1'000'000;

// The whole second in which an instant lies: what a scheduler that runs then takes for the time.
// Requires: time >= 0.
constexpr Seconds second_of(Microseconds time) {
    return time / per_second;
}

// When the schedulers run, and priorities are computed. It knows nothing of jobs: the caller says what asks for a run,
// and what is a change.
class Clock {
 public:
    static constexpr Microseconds never = std::numeric_limits<Microseconds>::max();

    // `start`: of the controller, from which its periods count.
    // Requires: `settings` outlives this object.
    Clock(const Settings& settings, Microseconds start);

    // What is due at an instant, in this order.
    struct Turn {
        bool main = false;
        bool is_full = false;  // a run of the main scheduler that takes the whole queue
        bool priorities = false;
        bool backfill = false;
    };

    // A job has come, or its last node is clean: the main scheduler is to run.
    void request_main(Microseconds now);
    // A job has come, started or ended, a node is clean, or a scheduler has put a job off: backfill is to run.
    void note_change(Microseconds now) { changed_ = now; }

    // The next instant at which something is due; `never` if that needs a request or a change. With nobody waiting a
    // caller need not ask: take() counts turns that it leaves out as turns that did nothing.
    Microseconds next() const;
    // Counts the turns before `until` as turns that did nothing, so that a request or a change then comes behind them.
    // Requires: `until` is not before the last call.
    void pass(Microseconds until);
    // What is due at `now`. The caller does it, and notes the changes that follow.
    // Requires: `now` is not before the last call.
    Turn take(Microseconds now);

 private:
    Microseconds next_main() const;
    Microseconds next_full() const;
    Microseconds next_priorities() const;
    Microseconds next_cycle() const;
    Turn take_turn(Microseconds now);

    const Settings& settings_;
    Microseconds start_;
    Microseconds last_full_;        // its place among the multiples of sched_interval
    Microseconds last_priorities_;  // likewise
    std::optional<Microseconds> last_main_;
    std::optional<Microseconds> requested_;
    std::optional<Microseconds> last_cycle_;
    std::optional<Microseconds> changed_;
};

}  // namespace batfill::slurm
