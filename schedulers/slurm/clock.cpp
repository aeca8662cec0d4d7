#include "schedulers/slurm/clock.hpp"

#include <algorithm>

namespace batfill::slurm {

namespace {

// The background loop of the controller turns at half seconds.
Microseconds turn_at_or_after(Microseconds time) {
    constexpr Microseconds half = per_second / 2;
    const Microseconds from = time - half;
    return half + (from + (from > 0 ? per_second - 1 : 0)) / per_second * per_second;
}

}  // namespace

Clock::Clock(const Settings& settings, Microseconds start)
    : settings_(settings), start_(start), last_full_(start), last_priorities_(start) {}

void Clock::request_main(Microseconds now) {
    if (!requested_) {
        requested_ = now;
    }
}

Microseconds Clock::next_full() const {
    return turn_at_or_after(last_full_ + settings_.sched_interval * per_second);
}

Microseconds Clock::next_main() const {
    if (!requested_) {
        return next_full();
    }
    const Microseconds delay = settings_.batch_sched_delay * per_second;
    const Microseconds free_from = last_main_ ? *last_main_ + delay : *requested_;
    return std::min(turn_at_or_after(std::max(*requested_, free_from)), next_full());
}

Microseconds Clock::next_priorities() const {
    return settings_.computes_priorities() ? last_priorities_ + settings_.priority_calc_period * per_second : never;
}

Microseconds Clock::next_cycle() const {
    if (settings_.scheduler == SchedulerType::builtin || !changed_) {
        return never;
    }
    const Microseconds interval = settings_.bf_interval * per_second;
    if (!last_cycle_) {
        return std::max(start_ + interval, *changed_);
    }
    // A change in the second of the last cycle counts, even one before it.
    return second_of(*changed_) >= second_of(*last_cycle_) ? std::max(*last_cycle_ + interval, *changed_) : never;
}

Microseconds Clock::next() const {
    return std::min({next_main(), next_priorities(), next_cycle()});
}

void Clock::pass(Microseconds until) {
    for (Microseconds left_out = next(); left_out < until; left_out = next()) {
        take_turn(left_out);
    }
}

Clock::Turn Clock::take(Microseconds now) {
    pass(now);
    return take_turn(now);
}

Clock::Turn Clock::take_turn(Microseconds now) {
    Turn turn;
    if (next_main() == now) {
        turn.main = true;
        turn.is_full = next_full() == now;
        last_full_ += turn.is_full ? settings_.sched_interval * per_second : 0;
        last_main_ = now;
        requested_.reset();
    }
    if (next_priorities() == now) {
        turn.priorities = true;
        last_priorities_ = now;
        changed_ = now;
    }
    if (next_cycle() <= now) {
        turn.backfill = true;
        last_cycle_ = now;
    }
    return turn;
}

}  // namespace batfill::slurm
