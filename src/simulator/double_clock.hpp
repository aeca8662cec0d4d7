#pragma once

#include <cstddef>
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
    bool go_on_to(double time);
    // Advances to the time when the first of `sleepers` wakes, and forgets them all. Ignores sleepers that do not
    // sleep.
    // Cost: O(all sleepers) for each.
    void wake(const std::vector<std::size_t>& sleepers);
    // Forgets a sleeper. The clock does not change.
    void forget(std::size_t sleeper);

 private:
    struct Sleeper {
        std::size_t number;
        double remaining;
    };

    void advance(double step);

    double now_ = 0;
    std::vector<Sleeper> sleepers_;
};

}  // namespace batfill
