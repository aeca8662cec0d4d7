#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/resources.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/workloads/swf_selection.hpp"

namespace batfill {

// What a job of the log asks for besides its size, as SwfLog::read_fields has it.
// Cost: O(1) of accounting data, else that of making it.
LoggedNeeds needs_of(const SwfLog& log, const SwfJob& job, const SwfConversion& conversion);

// Adds to the summary what the kept jobs took of the log's machine, and from which columns the log knows it.
void add_machine_of_log(const SwfSelection& selection, const SwfConversion& conversion, ConversionSummary& summary);

// The machine that the log must have had at least, by what `summary` says of the kept jobs: the hosts that the log
// names, each with the partitions and the largest amounts of its jobs; else as many as the widest job of each partition
// has. With the pools.
// Throws: InputError if it has too many hosts, or one named master_host.
struct MachineOfLog {
    Platform platform;
    std::size_t jobs_without_hosts = 0;  // kept jobs whose hosts the log does not name, if it names others
    bool has_named_hosts = false;
};
MachineOfLog machine_of_log(const SwfSelection& selection, const SwfConversion& conversion,
                            const ConversionSummary& summary);

}  // namespace batfill
