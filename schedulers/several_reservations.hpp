#pragma once

#include <cstdint>
#include <span>

#include <batfill/engine/algorithm.hpp>

#include "schedulers/easy_orders.hpp"
#include "schedulers/profile_of_round.hpp"

namespace batfill {

// One round of `easy` with a number of reservations other than 1. It walks the waiting jobs in the primary order. A job
// that can start does so; one that cannot gets a reservation at its earliest start. The walk ends with the last
// reservation, or with the first job that cannot start if there are no reservations to give. Then the round tries the
// other jobs in the backfill order. A job starts only if it delays no reservation.
class SeveralReservations {
 public:
    struct Limits {
        std::uint64_t reservations;
        std::uint64_t tests;  // jobs to look at after the first that cannot start
    };

    // `free` processors can be used now, and the processors of the `running` jobs later.
    SeveralReservations(Round& round, int free, std::span<const RunningJob> running, Limits limits)
        : round_(round),
          state_(round.state()),
          profile_(state_.now, free, running),
          free_(free),
          reservations_left_(limits.reservations),
          tests_left_(limits.tests) {}

    // Starts jobs.
    // Requires: called once, with `orders` prepared.
    // Cost: sorting the waiting jobs, and the cost of ProfileOfRound for each job that is looked at.
    void start_and_backfill(EasyOrders& orders);

 private:
    bool may_look();
    bool start(JobIndex index);

    Round& round_;
    const SchedulerState& state_;
    ProfileOfRound profile_;
    int free_;
    std::uint64_t reservations_left_;
    std::uint64_t tests_left_;
    bool one_could_not_start_ = false;
};

}  // namespace batfill
