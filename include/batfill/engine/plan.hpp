// Moved. This name goes with version 0.3.
#pragma once

#include <batfill/planning/plan.hpp>
