#include "src/runs/run_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/support/text_files.hpp"

namespace batfill::runs {

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
    refuse_if<InputError>(logged.schedule.jobs.empty(), path,
                          ": expected jobs of known wait and run time, but none of its ", log.jobs.size(),
                          " jobs is one");
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
    // A log and its replay may have one prefix.
    return std::set<std::string>(result.begin(), result.end()).size() < result.size() ? paths : result;
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

std::string eligible_file(const std::string& prefix) {
    const std::string jobs = jobs_file(prefix);
    std::string start = jobs.substr(0, jobs.size() - (jobs.ends_with(".gz") ? 3 : 0));
    constexpr std::string_view ending = "jobs.csv";
    refuse_if<InputError>(is_log(jobs) || !start.ends_with(ending), jobs,
                          ": expected the PREFIX_jobs.csv of a simulation, beside which PREFIX_eligible.csv lies");
    start.resize(start.size() - ending.size());
    const std::string file = start + "eligible.csv";
    for (const std::string& found : {file, file + ".gz"}) {
        if (std::filesystem::is_regular_file(found)) {
            return found;
        }
    }
    throw InputError(file + ": there is no such file; simulate writes it beside " + jobs +
                     " if jobs wait for others (field after)");
}

Schedule read_run(const std::string& path, const Note& note) {
    const std::string file = jobs_file(path);
    return is_log(file) ? read_schedule_of_log(file, note) : read_schedule(file, std::nullopt, TakenJobs::possible);
}

MeasuredSchedule read_measured_run(const std::string& path, const Note& note, const Resources& machine) {
    const std::string file = jobs_file(path);
    return is_log(file) ? MeasuredSchedule(read_schedule_of_log(file, note), machine)
                        : read_measured_schedule(file, machine);
}

void require_machine_of_run(const std::string& path, const MeasuredSchedule& schedule, const MetricsOptions& options,
                            const Note& note) {
    if (!is_log(jobs_file(path))) {
        require_machine_of(schedule, options);
    } else if (const auto most = schedule.most_processors(); options.processors && most > *options.processors) {
        note(schedule.path() + ": the schedule of the log has up to " + std::to_string(most) +
             " processors in use, the machine has " + std::to_string(*options.processors) +
             "; metrics are shares of these, and may exceed 100 %");
    }
}

void for_each_job(const std::string& path, const std::function<void(const ScheduledJob&)>& use, const Note& note) {
    const std::string file = jobs_file(path);
    if (is_log(file)) {
        const Schedule schedule = read_schedule_of_log(file, note);
        std::ranges::for_each(schedule.jobs, use);
    } else {
        read_schedule(file, use);
    }
}

}  // namespace batfill::runs
