#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <batfill/formats/workload.hpp>

#include "src/support/json_writer.hpp"

namespace batfill {

// Writes a workload job by job, for workloads that do not fit in memory. The text is that of write_workload().
class WorkloadWriter {
 public:
    // Receives the text, piece by piece.
    using Sink = std::function<void(std::string_view)>;

    // `frame` is a workload without jobs and profiles.
    WorkloadWriter(Workload frame, Sink sink);

    // Throws: InputError as write_workload(). The caller names the file.
    void add(const WorkloadJob& job);
    // Call it once, after all jobs. Throws: as add().
    void finish(const std::map<std::string, JobProfile>& profiles);

 private:
    Workload frame_;
    Sink sink_;
    std::string line_;
    JsonWriter json_{line_};
};

// The text of a workload's file.
std::string text_of(const Workload& workload);

}  // namespace batfill
