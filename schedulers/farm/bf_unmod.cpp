#include "schedulers/farm/flexible_backfilling.hpp"

namespace batfill {

namespace {

const Registration registration(flexible_backfilling(
    "bf-unmod", "flexible backfilling on a farm: the job that has the reservation keeps it until it starts", "5",
    true));

}  // namespace

}  // namespace batfill
