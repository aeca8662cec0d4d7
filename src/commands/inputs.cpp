#include "inputs.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/formats/platform.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "options.hpp"
#include "platform_option.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"

namespace batfill::commands {

namespace {

std::string without_suffix(std::string path) {
    for (const std::string_view suffix : {".gz", ".swf", ".csv", "jobs", "_", "."}) {
        if (path.size() > suffix.size() && path.ends_with(suffix)) {
            path.resize(path.size() - suffix.size());
        }
    }
    return path;
}

}  // namespace

std::vector<Workload> read_workloads(const std::vector<std::string>& paths, bool keep_source) {
    std::vector<Workload> workloads;
    workloads.reserve(paths.size());
    for (const std::string& path : paths) {
        workloads.push_back(read_workload(path, "w" + std::to_string(workloads.size()), keep_source));
    }
    return workloads;
}

void note_other_machines(const std::vector<Workload>& workloads, std::size_t processors) {
    for (const Workload& workload : workloads) {
        if (static_cast<std::size_t>(workload.processors) != processors) {
            std::cerr << "batfill: note: " << workload.path << " is for " << workload.processors
                      << " processors (nb_res), the platform has " << processors << '\n';
        }
    }
}

std::string enumeration(std::vector<std::string> names) {
    constexpr std::size_t most = 6;
    if (names.size() > most) {
        const std::string more = std::to_string(names.size() - most + 1) + " more";
        names.resize(most - 1);
        names.push_back(more);
    }
    std::string text = list_of(names);
    if (const std::size_t comma = text.rfind(", "); names.size() > 1) {
        text.replace(comma, 2, " and ");
    }
    return text;
}

std::string workload_name(const std::string& path) {
    std::filesystem::path name = std::filesystem::path(path).filename();
    if (name.extension() == ".gz") {
        name = name.stem();
    }
    return name.stem().string();
}

void require_writable_folder(const std::string& prefix) {
    const std::filesystem::path folder = std::filesystem::path(prefix).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder)) {
        throw InputError(prefix + ": the folder " + folder.string() + " does not exist");
    }
}

void require_ending(const std::string& option, const std::string& path, const std::vector<std::string>& endings) {
    const std::filesystem::path name = std::filesystem::path(path).filename();
    const bool gzipped = name.extension() == ".gz";
    const std::string ending = (gzipped ? name.stem() : name).extension().string() + (gzipped ? ".gz" : "");
    if (!ending.empty() && std::find(endings.begin(), endings.end(), ending) == endings.end()) {
        throw UsageError("--" + option + ": expected a name that ends in " + list_of(endings) + ", found '" + path +
                         "'");
    }
}

void require_other_file(const Options& options, const std::string& name, const std::string& other) {
    if (!options.given(name) || !options.given(other)) {
        return;
    }
    const auto path = options.get<std::string>(name);
    if (std::filesystem::weakly_canonical(path) == std::filesystem::weakly_canonical(options.get<std::string>(other))) {
        throw UsageError("--" + name + ": expected another file than --" + other + ", found '" + path + "'");
    }
}

void add_threads_option(Options& options) {
    options.add("threads", Value<unsigned>("N"), "replays at a time; by default as many as there are cores");
}

unsigned threads_option(const Options& options) {
    if (!options.given("threads")) {
        return std::clamp(std::thread::hardware_concurrency(), 1U, 1024U);
    }
    const auto threads = options.get<unsigned>("threads");
    if (threads < 1 || threads > 1024) {
        throw UsageError("--threads: expected 1 to 1024, found " + std::to_string(threads));
    }
    return threads;
}

std::string word_option(const Options& options, const std::string& name, const std::vector<std::string>& words) {
    auto word = options.get<std::string>(name);
    if (word.empty() && !options.given(name)) {
        word = words.front();
    }
    if (std::find(words.begin(), words.end(), word) == words.end()) {
        throw UsageError("--" + name + ": " + unknown_name("value", word, words));
    }
    return word;
}

int integer_option(const Options& options, const std::string& name, int min, int max) {
    const int value = options.get<int>(name);
    if (value < min || value > max) {
        throw UsageError("--" + name + ": expected a number in " + std::to_string(min) + ".." + std::to_string(max) +
                         ", found " + std::to_string(value));
    }
    return value;
}

WorkloadFormat workload_format_option(const Options& options, WorkloadFormat otherwise) {
    if (!options.given("format")) {
        return otherwise;
    }
    return word_option(options, "format", {"batsim4", "batsim5"}) == "batsim5" ? WorkloadFormat::batsim5
                                                                               : WorkloadFormat::batsim4;
}

std::vector<std::string> run_labels(const std::vector<std::string>& paths) {
    std::vector<std::string> result(paths.size());
    std::transform(paths.begin(), paths.end(), result.begin(), [](std::string path) {
        if (path.size() > 1 && path.ends_with('/')) {
            path.pop_back();  // the prefix of files in a folder, which is called like the folder
        }
        return without_suffix(path.substr(path.rfind('/') + 1));
    });
    if (std::set<std::string>(result.begin(), result.end()).size() < paths.size()) {
        std::transform(paths.begin(), paths.end(), result.begin(), without_suffix);
    }
    return result;
}

void add_machine_options(Options& options) {
    options.add("platform,p", Value<std::string>(platform_value), platform_help);
    add_master_host_option(options);
    options.add("processors", Value<int>("N"), "number of processors, instead of a platform");
}

void set_machine(const Machine& machine, MetricsOptions& metrics) {
    metrics.processors = machine.processors();
    metrics.licenses = machine.licenses();
}

void machine_options(const Options& options, MetricsOptions& metrics) {
    if (options.given("processors") && options.given("platform")) {
        throw UsageError("--processors and --platform both give the number of processors, expected one of them");
    }
    if (options.given("platform")) {
        set_machine(Machine(platform_option(options).hosts), metrics);
    } else if (options.given("processors")) {
        metrics.processors = options.get<int>("processors");
        if (*metrics.processors < 1) {
            throw UsageError("--processors is " + std::to_string(*metrics.processors) + ", expected at least 1");
        }
    }
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

namespace {

bool is_log(const std::string& path) {
    return path.ends_with(".swf") || path.ends_with(".swf.gz");
}

Schedule read_schedule_of_log(const std::string& path) {
    const SwfLog log = read_swf(path);
    LoggedSchedule logged = schedule_of_log(convert_swf(log, SwfConversion()));
    const std::size_t left_out = log.jobs.size() - logged.schedule.jobs.size();
    if (logged.schedule.jobs.empty()) {
        throw InputError(path + ": expected jobs of known wait and run time, but none of its " +
                         std::to_string(log.jobs.size()) + " jobs is one");
    }
    if (left_out > 0) {
        std::cerr << "batfill: note: " << path << ": " << left_out << " of " << log.jobs.size()
                  << " jobs left out, as batfill swf drops them or their wait is unknown (" << logged.unknown_waits
                  << ")\n";
    }
    return std::move(logged.schedule);
}

}  // namespace

Schedule read_any_schedule(const std::string& path) {
    return is_log(path) ? read_schedule_of_log(path) : read_schedule(jobs_file(path));
}

void for_each_job(const std::string& path, const std::function<void(const ScheduledJob&)>& use) {
    if (is_log(path)) {
        const Schedule schedule = read_schedule_of_log(path);
        std::for_each(schedule.jobs.begin(), schedule.jobs.end(), use);
    } else {
        read_schedule(jobs_file(path), use);
    }
}

MeasuredSchedule measure_any_schedule(const std::string& path) {
    return is_log(path) ? MeasuredSchedule(read_schedule_of_log(path)) : read_measured_schedule(jobs_file(path));
}

void require_machine_of(const MeasuredSchedule& schedule, const MetricsOptions& options) {
    if (!options.processors) {
        return;
    }
    if (const auto job = schedule.first_beyond(*options.processors)) {
        throw InputError(schedule.path() + ": job " + shown(job->id) + " ran on processor " +
                         std::to_string(job->last_processor) + ", the machine has " +
                         std::to_string(*options.processors) + ": expected the platform of the run");
    }
}

Duration seconds_option(const std::string& name, const std::string& text, std::optional<Duration> min) {
    const std::optional<Duration> value = Duration::parse(text);
    if (!value || (min && *value < *min)) {
        throw UsageError(name + ": expected a number of seconds" + (min ? " from " + min->to_string() : "") +
                         ", found '" + text + "'");
    }
    return *value;
}

void add_tau_option(Options& options) {
    options.add("tau", Value<std::string>("SECONDS").otherwise("10"), "bound of the bounded slowdown");
}

Duration tau_option(const Options& options) {
    return seconds_option("--tau", options.get<std::string>("tau"), Duration::microseconds(1));
}

}  // namespace batfill::commands
