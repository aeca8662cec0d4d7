#pragma once

#include <cstdint>
#include <span>

#include <batfill/engine/algorithm.hpp>

#include "schedulers/easy_orders.hpp"

namespace batfill {

// One round of `easy` with a number of reservations other than 1. It walks the waiting jobs in the primary order. A job
// that can start does so; one that cannot gets a reservation at its earliest start. The walk ends with the last
// reservation, or with the first job that cannot start if there are no reservations to give. Then the round tries the
// other jobs in the backfill order. A job starts only if it delays no reservation.
//
// `free` processors can be used now, and the processors of the `running` jobs from their estimated ends on. `tests` is
// the number of jobs to look at after the first that cannot start.
// Requires: `orders` is prepared.
// Cost: sorting the waiting jobs, and with n running and reserved jobs O(n * log(n)) and what AvailabilityProfile says
// for each job that is looked at.
void decide_with_several_reservations(Round& round, EasyOrders& orders, int free, std::span<const RunningJob> running,
                                      std::uint64_t reservations, std::uint64_t tests);

}  // namespace batfill
