#include "any_workload.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/formats/workload_writer.hpp"
#include "src/support/names.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

std::string without_suffix(std::string path) {
    for (const std::string_view suffix : {".gz", ".swf", ".csv", "jobs", "_", "."}) {
        if (path.size() > suffix.size() && path.ends_with(suffix)) {
            path.resize(path.size() - suffix.size());
        }
    }
    return path;
}

Schedule read_schedule_of_log(const std::string& path, const Note& note) {
    const SwfLog log = read_swf(path);
    LoggedSchedule logged = schedule_of_log(convert_swf(log, SwfConversion()));
    const std::size_t left_out = log.jobs.size() - logged.schedule.jobs.size();
    if (logged.schedule.jobs.empty()) {
        throw InputError(path + ": expected jobs of known wait and run time, but none of its " +
                         std::to_string(log.jobs.size()) + " jobs is one");
    }
    if (left_out > 0) {
        note(path + ": " + std::to_string(left_out) + " of " + std::to_string(log.jobs.size()) +
             " jobs left out, as batfill swf drops them or their wait is unknown (" +
             std::to_string(logged.unknown_waits) + ")");
    }
    return std::move(logged.schedule);
}

}  // namespace

std::vector<std::string> run_labels(const std::vector<std::string>& paths) {
    std::vector<std::string> result;
    for (std::string path : paths) {
        if (path.size() > 1 && path.ends_with('/')) {
            path.pop_back();  // the prefix of files in a folder, which is called like the folder
        }
        result.push_back(without_suffix(path.substr(path.rfind('/') + 1)));
    }
    if (std::set<std::string>(result.begin(), result.end()).size() < paths.size()) {
        std::ranges::transform(paths, result.begin(), without_suffix);
    }
    return result;
}

std::string jobs_file(const std::string& prefix) {
    for (const char* const ending : {"_jobs.csv", "_jobs.csv.gz", "jobs.csv", "jobs.csv.gz"}) {
        if (std::filesystem::is_regular_file(prefix + ending)) {
            return prefix + ending;
        }
    }
    if (std::filesystem::exists(prefix) && !std::filesystem::is_directory(prefix)) {
        return prefix;
    }
    throw InputError(prefix + ": there is neither such a file nor " + prefix + "_jobs.csv nor " + prefix + "jobs.csv");
}

bool is_log(const std::string& path) {
    return path.ends_with(".swf") || path.ends_with(".swf.gz");
}

Schedule read_any_schedule(const std::string& path, const Note& note) {
    return is_log(path) ? read_schedule_of_log(path, note) : read_schedule(jobs_file(path));
}

void for_each_job(const std::string& path, const std::function<void(const ScheduledJob&)>& use, const Note& note) {
    if (is_log(path)) {
        const Schedule schedule = read_schedule_of_log(path, note);
        std::for_each(schedule.jobs.begin(), schedule.jobs.end(), use);
    } else {
        read_schedule(jobs_file(path), use);
    }
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
    if (kind_of_file(path) != FileKind::log) {
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
    return parse_workload(any_workload_text(path, note), path, name, keep_source);
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
