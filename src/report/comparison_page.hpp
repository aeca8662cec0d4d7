#pragma once

#include <string>

#include "src/replay/comparison.hpp"

namespace batfill::report {

// Returns the page of `batfill report` for the one workload of the request under each scheduler, without files in
// between. `command` is the command that the page shows.
// Requires: the request has one workload, and no weeks.
// Throws: as compare().
std::string comparison_page(const ComparisonRequest& request, const std::string& command);

}  // namespace batfill::report
