#include "any_workload.hpp"

#include <filesystem>
#include <system_error>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/workload_writer.hpp"
#include "src/support/file_kind.hpp"
#include "src/support/files.hpp"
#include "src/support/names.hpp"

namespace batfill {

namespace {

// Unknown for what is no regular file.
FileKind kind_of_file(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return FileKind::unknown;
    }
    std::string beginning(std::size_t{1} << 16, '\0');
    beginning.resize(InputFile(path).read(beginning.data(), beginning.size()));
    return kind_of(beginning);
}

}  // namespace

bool begins_as_log(const std::string& path) {
    return kind_of_file(path) == FileKind::log;
}

bool begins_as_workload(const std::string& path) {
    return kind_of_file(path) == FileKind::workload;
}

std::string reasons_of(const std::vector<RuleCount>& dropped) {
    std::string text;
    for (const auto& [what, jobs] : dropped) {
        if (jobs > 0) {
            text += (text.empty() ? "" : ", ") + std::to_string(jobs) + " (" + what + ")";
        }
    }
    return text.empty() ? "none" : text;
}

std::string any_workload_text(const std::string& path, const Note& note) {
    if (!begins_as_log(path)) {
        return read_workload_text(path);
    }
    const SwfLog log = read_swf(path);
    const SwfWorkload converted = convert_swf(log, SwfConversion());
    if (converted.workload.jobs.empty()) {
        throw InputError(path + ": expected jobs to keep, but all of its " + counted(log.jobs.size(), "job") +
                         " are dropped");
    }
    note(path + ": converted as by batfill swf without options: " + std::to_string(converted.summary.kept) + " of " +
         counted(log.jobs.size(), "job") + " kept, dropped: " + reasons_of(converted.summary.dropped));
    return text_of(converted.workload);
}

Workload read_any_workload(const std::string& path, const std::string& name, const Note& note, bool keep_source) {
    return begins_as_log(path) ? parse_workload(any_workload_text(path, note), path, name, keep_source)
                               : read_workload(path, name, keep_source);
}

std::vector<Workload> read_any_workloads(const std::vector<std::string>& paths, const Note& note, bool keep_source) {
    std::vector<Workload> workloads;
    workloads.reserve(paths.size());
    for (const std::string& path : paths) {
        workloads.push_back(read_any_workload(path, "w" + std::to_string(workloads.size()), note, keep_source));
    }
    return workloads;
}

}  // namespace batfill
