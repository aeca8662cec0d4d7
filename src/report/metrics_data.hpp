#pragma once

#include <cstddef>
#include <vector>

#include <batfill/analysis/metrics.hpp>

#include "src/support/json_writer.hpp"

namespace batfill::report {

// Writes the metrics that any run has: names, meanings, which direction is better, values, and differences to the run
// `baseline`, an index in `runs`.
void write_metrics_table(const std::vector<const Metrics*>& runs, std::size_t baseline, CompactJson& json);

}  // namespace batfill::report
