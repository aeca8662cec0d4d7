#include "schedulers/farm/flexible_backfilling.hpp"

namespace batfill {

namespace {

const Registration registration(flexible_backfilling(
    "bf-mod", "flexible backfilling on a farm: the job with the highest priority has the reservation", "6", false));

}  // namespace

}  // namespace batfill
