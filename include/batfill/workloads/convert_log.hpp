#pragma once

#include <optional>
#include <string>
#include <vector>

#include <batfill/formats/swf.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/swf_conversion.hpp>

namespace batfill {

// What to make of the file of a log, and into which files.
struct LogConversion {
    std::string log;  // path
    SwfConversion conversion;
    bool count_from_first_job = false;  // see SwfSplit; needs a split
    WorkloadFormat format = WorkloadFormat::batsim4;
    std::optional<std::string> output;    // path of the workload, or with a split of a new folder; none: not written
    std::string name;                     // in that folder: "SP2" gives "SP2-week-007.json"
    std::optional<std::string> header;    // path for the log's comments; none: not written
    std::optional<std::string> schedule;  // path for the jobs.csv of the log's own schedule; none: not written
};

struct ConvertedLog {
    SwfLog log;
    SwfWorkload converted;
    std::vector<SwfPeriod> periods;          // without those that have no jobs; empty without a split
    std::optional<LoggedSchedule> schedule;  // if it was written
};

// Reads a log, makes a workload of it, or with a split one for each period, and writes the files. Each appears whole or
// not at all, and the header and the schedule only after the workloads.
// Requires: no schedule with a split.
// Throws: InputError as read_swf() and convert_swf(), for a file that cannot be written, and for an output without
// jobs. Cost: that of convert_swf(), split_into_periods() and schedule_of_log().
ConvertedLog convert_log(const LogConversion& request);

}  // namespace batfill
