#include "groupings.hpp"

namespace batfill::report {

Groupings::Groupings(const Report& report, const std::vector<FinishedJobs>& runs) : workload_jobs_(report.workloads) {
    if (report.workloads.empty()) {
        return;
    }
    FinishedJobs all;
    for (const FinishedJobs& jobs : runs) {
        all.insert(all.end(), jobs.begin(), jobs.end());
    }
    for (Grouping& grouping : groupings_) {
        for (const GroupSummary& group : groups(grouping, all, report.options.tau)) {
            grouping.names.push_back(group.name);
        }
        if (grouping.names == std::vector<std::string>{""}) {
            grouping.names.clear();
        }
        for (std::size_t i = 0; i < grouping.names.size(); ++i) {
            grouping.places[grouping.names[i]] = i;
        }
    }
}

}  // namespace batfill::report
