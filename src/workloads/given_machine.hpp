#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/formats/platform.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/machine_listing.hpp"
#include "src/workloads/swf_selection.hpp"

namespace batfill {

// Leaves the jobs out of the selection that could not run on this machine even if it were empty, and counts them by a
// rule for each reason. `no_partition` begins the reason where no host is in their partition. Pools that the machine
// does not have limit no job. Returns the share that these jobs have of the time of hosts. Requires: sizes of jobs are
// hosts (SwfLog::counts_hosts). Cost: O(jobs + different needs * (kinds of hosts * amounts)), and O(n log n) for n
// hosts.
double drop_misfits(const Platform& platform, SwfSelection& selection, const SwfConversion& conversion,
                    std::string_view no_partition = "the machine has no partition ");

// The machine that the user gives for a log, in place of one that its jobs must have had.
class JobsOnMachine {
 public:
    // Throws: as read_machine_listing().
    explicit JobsOnMachine(const std::string& path);

    int hosts() const { return static_cast<int>(listing_.platform.hosts.size()); }

    // As above, on this machine.
    // Throws: InputError if sizes of jobs are not hosts.
    // Cost: O(names of hosts in the log), too.
    double drop_misfits(SwfSelection& selection, const SwfConversion& conversion);

    // What the machine is, and what drop_misfits() found.
    const GivenMachine& summary() const { return summary_; }

    // The machine with pools of these names and totals, where it has none of that name.
    // Throws: InputError for a machine that platform_text() cannot write.
    Platform platform_with(const std::vector<std::pair<std::string, Amount>>& pools) const;

 private:
    void open_queues(const SwfSelection& selection);
    void find_missing_hosts(const SwfSelection& selection);

    MachineListing listing_;
    GivenMachine summary_;
};

}  // namespace batfill
