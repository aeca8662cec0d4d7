#include "src/simulator/machines.hpp"

#include <algorithm>
#include <utility>

namespace batfill {

const char* Machines::name_of(State state) {
    constexpr const char* names[states] = {"idle", "busy", "unavailable", "asleep", "falling asleep", "waking"};
    return names[static_cast<std::size_t>(state)];
}

Machines::Machines(std::size_t number, bool like_batsim5)
    : like_batsim5_(like_batsim5), state_(number), since_(number), busy_(number), power_(number), counted_(number) {}

void Machines::may_be_shared(ResourceSet machines) {
    shared_ = std::move(machines);
    users_.assign(shared_.empty() ? 0 : state_.size(), 0);
}

int Machines::first_not_free(Interval machines) const {
    const auto begin = state_.begin() + machines.first;
    const auto end = state_.begin() + machines.last + 1;
    // Counting is vectorised. A search that stops is not.
    if (std::count(begin, end, State::idle) == end - begin) {
        return -1;
    }
    const auto is_free = [&](int machine) {
        return state(machine) == State::idle || (state(machine) == State::computing && shared_.contains(machine));
    };
    for (int machine = machines.first; machine <= machines.last; ++machine) {
        if (!is_free(machine)) {
            return machine;
        }
    }
    return -1;
}

MachineTimes Machines::times() const {
    const auto in = [this](State state) { return times_[static_cast<std::size_t>(state)]; };
    return {in(State::computing), in(State::idle),           in(State::unavailable),
            in(State::sleeping),  in(State::falling_asleep), in(State::waking)};
}

void Machines::take(Interval machines, Time now) {
    if (!users_.empty()) {
        for (int machine = machines.first; machine <= machines.last; ++machine) {
            const auto at = static_cast<std::size_t>(machine);
            busy_[at] = 1;
            if (users_[at]++ == 0) {
                set_state({machine, machine}, State::idle, State::computing, now);
            }
        }
        return;
    }
    set_state(machines, State::idle, State::computing, now);
    std::fill(busy_.begin() + machines.first, busy_.begin() + machines.last + 1, 1);
}

void Machines::leave(Interval machines, Time now) {
    if (!users_.empty()) {
        for (int machine = machines.first; machine <= machines.last; ++machine) {
            const auto at = static_cast<std::size_t>(machine);
            busy_[at] = --users_[at] > 0 ? 1 : 0;
            if (busy_[at] == 0 && state(machine) == State::computing) {
                set_state({machine, machine}, State::computing, State::idle, now);
            }
        }
        return;
    }
    std::fill(busy_.begin() + machines.first, busy_.begin() + machines.last + 1, 0);
    if (unavailable_ == 0) {
        set_state(machines, State::computing, State::idle, now);
        return;
    }
    for (int machine = machines.first; machine <= machines.last; ++machine) {
        if (state(machine) == State::computing) {
            set_state({machine, machine}, State::computing, State::idle, now);
        }
    }
}

void Machines::set_available(int machine, bool available, Time now) {
    const auto at = static_cast<std::size_t>(machine);
    const State returned = busy_[at] != 0 ? State::computing : power_[at];
    set_state({machine, machine}, state_[at], available ? returned : State::unavailable, now);
    available ? --unavailable_ : ++unavailable_;
}

void Machines::set_power(const ResourceSet& machines, State power, Time now) {
    for (const Interval& interval : machines.intervals()) {
        for (int machine = interval.first; machine <= interval.last; ++machine) {
            const auto at = static_cast<std::size_t>(machine);
            power_[at] = power;
            if (state_[at] != State::unavailable) {
                set_state({machine, machine}, state_[at], power, now);
            } else if (like_batsim5_) {
                count_time_like_batsim5(at, power, now);
            }
        }
    }
}

void Machines::set_state(Interval machines, State from, State to, Time now) {
    std::fill(state_.begin() + machines.first, state_.begin() + machines.last + 1, to);
    if (like_batsim5_) {
        const bool leaves_job = from == State::computing && to == State::idle;
        if (leaves_job || from == State::unavailable || to == State::unavailable) {
            return;
        }
        for (int machine = machines.first; machine <= machines.last; ++machine) {
            count_time_like_batsim5(static_cast<std::size_t>(machine), to, now);
        }
        return;
    }
    const auto first = since_.begin() + machines.first;
    const auto end = since_.begin() + machines.last + 1;
    Duration before;
    for (auto since = first; since != end; ++since) {
        before = before + since->since_zero();
    }
    count_time(from, now.since_zero() * (end - first) - before);
    std::fill(first, end, now);
}

void Machines::count_time_like_batsim5(std::size_t machine, State to, Time now) {
    count_time(counted_[machine], now - since_[machine]);
    since_[machine] = now;
    counted_[machine] = to;
}

void Machines::count_time(State state, Duration spent) {
    Duration& time = times_[static_cast<std::size_t>(state)];
    time = time + spent;
}

}  // namespace batfill
