#pragma once

#include <nanobind/nanobind.h>

#include <batfill/analysis/metrics.hpp>

#include "src/options/options.hpp"

// Options whose values are keywords of a call.
namespace batfill::python {

namespace nb = nanobind;

// The keywords of a call.
using Keywords = nb::typed<nb::dict, nb::str, nb::any>;

// Gives the options the values of the dict, and checks them. None is not given; a list repeats the option; a dict has
// its entries.
// Requires: the options name themselves as keywords.
// Throws: UsageError as Options::set() and finish(), and for a value that no option takes.
void set_keywords(options::Options& options, const nb::dict& keywords);

// Sets the two options that say how to measure.
// Throws: UsageError.
void set_measures(MetricsOptions& metrics, nb::handle tau, nb::handle short_deadline);

}  // namespace batfill::python
