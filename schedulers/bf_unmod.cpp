#include "schedulers/flexible_backfilling.hpp"

namespace batfill {

namespace {

const Registration registration(farm::FlexibleBackfilling::description(
    "bf-unmod", "flexible backfilling on a farm: the job that has the reservation keeps it until it starts", "5",
    farm::FlexibleBackfilling::Head::kept));

}  // namespace

}  // namespace batfill
