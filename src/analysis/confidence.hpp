#pragma once

#include <cstddef>
#include <vector>

#include <batfill/analysis/intervals.hpp>

namespace batfill::analysis {

// As interval_of_mean(), around `center` in place of the mean, for any number of values.
// Requires: values.size() > 4 for workloads, else at least 2.
Interval interval_around(double center, const std::vector<double>& values, Sample sample, std::size_t comparisons);

}  // namespace batfill::analysis
