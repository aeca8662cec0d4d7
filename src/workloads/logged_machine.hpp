#pragma once

#include <string>

#include <batfill/core/resources.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/workloads/swf_selection.hpp"

namespace batfill {

struct MachineOfLog {
    Platform platform;
    std::string description;  // of its hosts: "12 hosts that the log names"
    // Of one host: the largest of each. Empty if the log does not name its hosts.
    StatedNeeds::Amounts capacity;
    bool is_of_named_hosts = false;  // some kept jobs may not fit there
};

// The machine that the log must have had at least, by what `summary` says of the kept jobs, with its pools.
// - Of a log that names hosts: these and no others, each with the partitions of its jobs and the most that they took of
//   it at one instant. Jobs do not fit if they get the largest amounts of different hosts, or if their own hosts are
//   not all named. With more `conversion.processors`, hosts that can run every job follow: `unnamed1` and so on.
// - Of another log: `summary.processors` hosts, if that is known. Each partition has as many as its widest job, with
//   the largest amounts of its jobs. Partitions share hosts only if there are too few; hosts that are over are in all.
//   All kept jobs fit there, but for those that are wider than `summary.processors` where that is known.
// Throws: InputError if it has too many hosts, fewer than are named, or one named master_host.
// Cost: O(jobs log jobs + hosts of all jobs).
MachineOfLog machine_of_log(const SwfSelection& selection, const SwfConversion& conversion,
                            const ConversionSummary& summary);

}  // namespace batfill
