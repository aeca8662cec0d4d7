#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <batfill/replay/replay.hpp>

#include "src/engine/named_scheduler.hpp"
#include "src/workloads/any_schedule.hpp"

namespace batfill {

// Workloads to replay under each of several schedulers.
struct ComparisonRequest {
    std::vector<NamedScheduler> schedulers;
    std::vector<std::string> workloads;  // paths
    std::string platform;                // as named_platform() takes it
    std::string master_host;
    ReplayMetric metric;
    unsigned threads = 1;
    Note note = [](const std::string&) {};
};

struct Comparison {
    // The values of one workload under each scheduler; none where no job of the workload counts.
    struct Row {
        std::string workload;  // name of the file without ending; the whole path if two files share a name
        std::vector<std::optional<double>> values;
    };

    std::vector<std::string> schedulers;  // names
    std::vector<Row> rows;
};

// Replays each workload under each scheduler. `progress` hears how many replays are done, and of how many.
// Throws: InputError for files that cannot be read.
// Throws: InputError, which names workload and scheduler, for a replay that fails.
Comparison compare(const ComparisonRequest& request, const std::function<void(std::size_t, std::size_t)>& progress);

// Writes the values as csv, in full precision.
// Throws: InputError if the file cannot be written.
void write_csv(const Comparison& comparison, const std::string& path);

}  // namespace batfill
