#pragma once

#include <string>

#include <batfill/replay/outcome.hpp>

#include "src/replay/comparison.hpp"
#include "src/report/report.hpp"

namespace batfill::campaign {

// An outcome as the page shows it.
// Cost: O(jobs).
report::Run run_of(const Outcome& outcome, const std::string& label);

// Returns the page of `batfill report` for the one workload of the request under each scheduler, without files in
// between. `command` is the command that the page shows.
// Requires: the request has one workload, and no weeks.
// Throws: as compare().
std::string comparison_page(const ComparisonRequest& request, const std::string& command);

}  // namespace batfill::campaign
