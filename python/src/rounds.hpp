#pragma once

#include <nanobind/nanobind.h>

#include "python/src/round_view.hpp"

namespace batfill::python {

// Adds the class of rounds, and those of what a round returns, to the module.
void bind_rounds(nb::module_& module);

}  // namespace batfill::python
