#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign_runs.hpp"
#include "src/report/report.hpp"

namespace batfill::campaign {

// Makes a page for each workload and machine, of the runs under all schedulers. Keeps pages that are made of the same.
// `made` hears of each page that was made.
// Requires: the result of each run.
void write_pages(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results,
                 const std::string& program, const std::string& folder,
                 const std::function<void(const report::ReportRequest&)>& made);

}  // namespace batfill::campaign
