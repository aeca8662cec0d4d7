#pragma once

#include <cstddef>
#include <vector>

namespace batfill {

// The clock that Batsim has of SimGrid: a sum of doubles. All that waits sleeps for a number of seconds; the shortest
// of these is added to the clock and taken off all others, and what is less than a nanosecond is over. So the clock
// differs from the sum of the times by roundings, of which those of whole seconds have none.
class DoubleClock {
 public:
    double now() const { return now_; }
    // `sleeper` is any number that no other has.
    void sleep(std::size_t sleeper, double seconds) { sleepers_.push_back({sleeper, seconds}); }
    // Sleeps until the clock shows `time`.
    void sleep_until(std::size_t sleeper, double time) { sleep(sleeper, time > now_ ? time - now_ : 0); }
    // Goes on to `time`, while all others sleep on, if that is later; returns whether it is. O(all that sleep).
    bool go_on_to(double time);
    // Goes on to when the first of `sleepers` wakes, and forgets them. Those that do not sleep change nothing.
    // O(all that sleep) for each.
    void wake(const std::vector<std::size_t>& sleepers);
    // It sleeps no longer, and the clock stays as it is.
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
