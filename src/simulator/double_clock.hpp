#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace batfill {

// The clock of Batsim and SimGrid: a sum of doubles. Everything that waits sleeps for a number of seconds. Each step
// adds the shortest sleep to the clock and subtracts it from all others. A rest below a nanosecond counts as 0. So the
// clock differs from the exact sum by rounding errors, except for whole seconds.
class DoubleClock {
 public:
    double now() const { return now_; }
    // Requires: no other sleeper has this number.
    void sleep(std::size_t sleeper, double seconds) { sleepers_.push_back({sleeper, seconds}); }
    // Sleeps until the clock shows `time`.
    void sleep_until(std::size_t sleeper, double time) { sleep(sleeper, time > now_ ? time - now_ : 0); }
    // Advances to `time`, if that is later, and keeps all sleepers asleep. Returns whether it is later.
    // Cost: O(sleepers).
    bool go_on_to(double time) {
        if (time <= now_) {
            return false;
        }
        advance(time - now_);
        return true;
    }
    // Advances to the time when the first of `sleepers` wakes, and forgets them all. Ignores sleepers that do not
    // sleep.
    // Cost: O(all sleepers) for each.
    void wake(const std::vector<std::size_t>& sleepers) {
        double step = std::numeric_limits<double>::infinity();
        std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
            const bool wakes = std::ranges::find(sleepers, sleeper.number) != sleepers.end();
            step = wakes ? std::min(step, sleeper.remaining) : step;
            return wakes;
        });
        if (step != std::numeric_limits<double>::infinity()) {
            advance(step);
        }
    }
    // Forgets a sleeper. The clock does not change.
    void forget(std::size_t sleeper) {
        std::erase_if(sleepers_, [&](const Sleeper& candidate) { return candidate.number == sleeper; });
    }

 private:
    struct Sleeper {
        std::size_t number;
        double remaining;
    };

    static constexpr double precision = 1e-9;  // SimGrid's precision/timing

    void advance(double step) {
        now_ += step;
        for (Sleeper& sleeper : sleepers_) {
            sleeper.remaining -= step;
            sleeper.remaining = sleeper.remaining < precision ? 0 : sleeper.remaining;
        }
    }

    double now_ = 0;
    std::vector<Sleeper> sleepers_;
};

}  // namespace batfill
