#pragma once

#include <iosfwd>

#include "src/report/report.hpp"

namespace batfill::commands {

// Prints the line that says which page was made.
void print_report(const report::ReportRequest& request, std::ostream& out);

}  // namespace batfill::commands
