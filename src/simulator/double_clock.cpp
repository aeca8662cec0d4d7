#include "double_clock.hpp"

#include <algorithm>
#include <limits>

namespace batfill {

namespace {

constexpr double precision = 1e-9;  // SimGrid's precision/timing

}  // namespace

void DoubleClock::wake(const std::vector<std::size_t>& sleepers) {
    double step = std::numeric_limits<double>::infinity();
    std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
        const bool wakes = std::find(sleepers.begin(), sleepers.end(), sleeper.number) != sleepers.end();
        step = wakes ? std::min(step, sleeper.remaining) : step;
        return wakes;
    });
    if (step != std::numeric_limits<double>::infinity()) {
        advance(step);
    }
}

bool DoubleClock::go_on_to(double time) {
    if (time <= now_) {
        return false;
    }
    advance(time - now_);
    return true;
}

void DoubleClock::advance(double step) {
    now_ += step;
    for (Sleeper& sleeper : sleepers_) {
        sleeper.remaining -= step;
        sleeper.remaining = sleeper.remaining < precision ? 0 : sleeper.remaining;
    }
}

void DoubleClock::forget(std::size_t sleeper) {
    std::erase_if(sleepers_, [&](const Sleeper& candidate) { return candidate.number == sleeper; });
}

}  // namespace batfill
