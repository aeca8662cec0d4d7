#include "src/workloads/named_workload.hpp"

#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/workload_writer.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

std::string named_workload_text(const std::string& path, const Note& note) {
    if (!is_log(path)) {
        return read_workload_text(path);
    }
    const SwfLog log = read_swf(path);
    const SwfWorkload converted = convert_swf(log, SwfConversion());
    require_kept_jobs(log, converted.summary);
    note(path + ": converted as by batfill swf without options: " + std::to_string(converted.summary.kept) + " of " +
         counted(log.jobs.size(), "job") + " kept, dropped: " + reasons_of(converted.summary.dropped));
    return text_of(converted.workload);
}

Workload read_named_workload(const std::string& path, const std::string& name, const Note& note, bool keep_source) {
    return parse_workload(named_workload_text(path, note), path, name, keep_source);
}

std::vector<Workload> read_named_workloads(const std::vector<std::string>& paths, const Note& note, bool keep_source) {
    std::vector<Workload> workloads;
    workloads.reserve(paths.size());
    for (const std::string& path : paths) {
        workloads.push_back(read_named_workload(path, "w" + std::to_string(workloads.size()), note, keep_source));
    }
    return workloads;
}

}  // namespace batfill
