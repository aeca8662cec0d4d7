#include "schedulers/flexible_backfilling.hpp"

namespace batfill {

namespace {

const Registration registration(farm::FlexibleBackfilling::description(
    "bf-mod", "flexible backfilling on a farm: the job with the highest priority has the reservation", "6",
    farm::FlexibleBackfilling::Head::moving));

}  // namespace

}  // namespace batfill
