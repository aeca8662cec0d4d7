#include "src/campaign/campaign_runs.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/replay/replay.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/command_line.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/parallel.hpp"
#include "src/support/place_in_errors.hpp"

namespace batfill::campaign {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_result_size = std::size_t{1} << 20;
constexpr std::string_view of_file = "sha256 of ";  // begins the line of a file in what is kept of a run

// What the machine of a run has, as the options of a command say it.
MachineDetails details_of(const CampaignRun& run, const std::string& folder) {
    MachineDetails details = run.machine->details;
    if (!run.windows.empty()) {
        details.windows = (fs::path(folder) / run.windows).string();
    }
    return details;
}

Scenario scenario_of(const CampaignRun& run, const std::string& folder) {
    const std::string workload_path = (fs::path(folder) / run.workload->file).string();
    Scenario scenario;
    scenario.platform = named_platform(run.platform, details_of(run, folder));
    const std::string text = read_workload_text(workload_path);
    if (sha256(text) != run.workload->sha256) {
        throw InputError(workload_path + ": has changed since the campaign began: run the campaign again");
    }
    scenario.workloads.push_back(parse_workload(text, workload_path, "w0"));
    if (!run.events.empty()) {
        scenario.event_lists.push_back(read_external_events(run.events, false));
    }
    return scenario;
}

// The workloads that threads replay now. Threads share a workload; the last one to end it releases it.
class Replays {
 public:
    explicit Replays(std::string folder) : folder_(std::move(folder)) {}

    std::shared_ptr<const Replay> get(const CampaignRun& run) {
        Place* place = nullptr;
        {
            const std::lock_guard lock(mutex_);
            place = &places_[{run.workload, run.machine}];
        }
        const std::lock_guard lock(place->mutex);
        std::shared_ptr<const Replay> replay = place->replay.lock();
        if (!replay) {
            replay = std::make_shared<const Replay>(scenario_of(run, folder_));
            place->replay = replay;
        }
        return replay;
    }

 private:
    struct Place {
        std::mutex mutex;
        std::weak_ptr<const Replay> replay;
    };

    std::string folder_;
    std::mutex mutex_;
    std::map<std::pair<const MadeWorkload*, const CampaignMachine*>, Place> places_;
};

// Throws InputError with the first violation.
void require_no_violation(const Outcome& outcome) {
    const CheckReport report = audit(outcome, {.rejections_allowed = true});  // the table counts them
    if (!report.violations.empty()) {
        const SchedulerState& state = outcome.engine()->state();
        const bool ignores_licenses = !state.machine.licenses().empty() && state.placement != Placement::machine;
        throw InputError("the audit finds " + std::to_string(report.violations.size()) +
                         " violations, the first: " + report.violations.front().text +
                         (ignores_licenses ? "; only placement=machine looks at licences" : ""));
    }
}

// Omits jobs that are submitted while the machine fills or empties.
void leave_out_ends(Schedule& schedule, Duration warm_up, Duration cool_down) {
    if (schedule.jobs.empty() || (warm_up <= Duration() && cool_down <= Duration())) {
        return;
    }
    const auto [first, last] = std::ranges::minmax_element(schedule.jobs, {}, &ScheduledJob::submit);
    const Time from = first->submit + warm_up;
    const Time to = last->submit - cool_down;
    std::erase_if(schedule.jobs, [&](const ScheduledJob& job) { return job.submit < from || job.submit > to; });
}

// When jobs of the schedule that waited for others became eligible.
std::vector<EligibleTime> eligible_times(const Outcome& outcome, const Schedule& schedule) {
    std::unordered_set<std::string_view> kept;  // only looked up
    std::ranges::transform(schedule.jobs, std::inserter(kept, kept.end()), &ScheduledJob::id);
    std::vector<EligibleTime> times;
    if (outcome.has_dependencies()) {
        outcome.for_each_dependent([&](const EligibleTime& time) {
            if (kept.contains(time.job_id)) {
                times.push_back(time);
            }
        });
    }
    return times;
}

// The first lines of what is kept of a run: a hash of its inputs, and one of the other lines.
std::string head_of_result(const std::string& key, const std::string& lines) {
    return "name,value\nkey," + key + "\nsha256," + sha256(lines) + '\n';
}

void write_result(const RunResult& result, const std::string& key, const std::string& path) {
    std::string lines;
    for (const auto& [name, hash] : result.files) {
        lines.append(of_file).append(name).append(",").append(hash).append("\n");
    }
    for (const auto& [name, value] : result.values) {
        lines.append(name).append(",").append(value).append("\n");
    }
    write_file(path, head_of_result(key, lines) + lines);
}

// Returns the notes on the run.
ReplayNotes make_run(const Campaign& campaign, const CampaignRun& run, const std::string& folder, Replays& replays,
                     const Simulator::Progress& in_run, bool has_plugins) {
    const SchedulerChoice& choice = run.scheduler->scheduler.choice;
    const std::shared_ptr<const Replay> replay = replays.get(run);
    const Outcome outcome = replay->run(choice, {.progress = in_run});
    require_no_violation(outcome);
    Schedule schedule = outcome.schedule();
    schedule.path = run.prefix;
    leave_out_ends(schedule, campaign.warm_up, campaign.cool_down);
    MetricsOptions options = campaign.metrics;
    options.set_machine(replay->machine());
    std::vector<Workload> place;
    MeasuredSchedule measured(schedule, options.resources);
    if (campaign.waits_from_eligible) {
        measured.count_waits_from(eligible_times(outcome, schedule), run.prefix);
    }
    const Metrics metrics = compute_metrics(measured, options, outcome.workloads(place));
    RunResult result;
    const std::vector<std::string> names = metrics.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (metrics.values()[i]) {
            result.values.emplace_back(names[i], exact(*metrics.values()[i]));
        }
    }
    const std::string prefix = folder + '/' + run.prefix;
    create_folders(fs::path(prefix).parent_path().string());
    if (campaign.schedules) {
        for (const std::string& path : write_files(outcome, prefix)) {
            result.files.emplace_back(path.substr(prefix.size() + 1), sha256_of_file(path));
        }
    }
    write_result(result, run.key, prefix + "_result.csv");
    ReplayNotes notes;
    notes.add_run(replay->scenario().workloads.front(), replay->machine(), outcome.engine()->state().placement,
                  has_plugins || !run.scheduler->code.empty());
    return notes;
}

// Whether the result is kept, and the files of the schedule are unchanged since then.
bool is_kept(const CampaignRun& run, const std::string& folder) {
    const std::optional<RunResult> result = kept_result(folder, run.prefix, run.key);
    return result && std::ranges::all_of(result->files, [&](const auto& file) {
               return has_sha256(folder + '/' + run.prefix + '_' + file.first, file.second);
           });
}

std::string key_of(const Campaign& campaign, const CampaignRun& run, const std::string& folder,
                   const std::string& program) {
    std::ostringstream text;
    const SchedulerChoice& choice = run.scheduler->scheduler.choice;
    text << program << '\n' << run.workload->sha256 << '\n';
    text << (number_of_hosts(run.platform) ? run.platform : sha256_of_file(platform_file(run.platform))) << '\n';
    MachineDetails details = details_of(run, folder);
    if (!details.windows.empty()) {
        details.windows = sha256_of_file(details.windows);
    }
    for (const std::string& argument : arguments_of(details)) {
        text << argument << '\n';
    }
    text << (run.events.empty() ? "" : sha256_of_file(run.events)) << '\n' << choice.algorithm() << '\n';
    for (const auto& [name, value] : choice.parameters().given()) {
        text << name << '=' << value << '\n';
    }
    text << campaign.metrics.tau.to_string() << '\n' << campaign.metrics.short_deadline.to_string() << '\n';
    text << campaign.warm_up.to_string() << '\n' << campaign.cool_down.to_string() << '\n';
    text << (campaign.schedules ? "with schedule\n" : "");
    text << (campaign.waits_from_eligible ? "waits from eligible\n" : "");
    text << run.scheduler->code;
    return sha256(text.str());
}

// Refuses windows that the machine cannot have, before anything is replayed. Reads each platform once.
class WindowsCheck {
 public:
    void require_possible(const CampaignMachine& machine, const std::string& platform) {
        if (!machine.details.windows.empty() && checked_.emplace(&machine, platform).second) {
            with_place_in_errors(machine.subject, [&] { named_platform(platform, machine.details); });
        }
    }

 private:
    std::set<std::pair<const CampaignMachine*, std::string>> checked_;
};

}  // namespace

std::vector<CampaignRun> runs_of(const Campaign& campaign, const std::vector<MadeWorkload>& workloads,
                                 const std::string& folder, const std::string& program) {
    // More than in the campaign file if logs are cut into periods.
    if (workloads.size() * campaign.machines.size() * campaign.schedulers.size() > max_campaign_runs) {
        throw InputError(campaign.path + ": expected at most " + std::to_string(max_campaign_runs) +
                         " runs, found more with all periods of its logs");
    }
    std::vector<CampaignRun> runs;
    WindowsCheck windows;
    for (const MadeWorkload& workload : workloads) {
        for (const CampaignMachine& machine : campaign.machines) {
            std::string events = make_failures(campaign, workload, machine, folder);
            if (!events.empty()) {
                events.insert(0, folder + '/');
            }
            const std::string platform = platform_of(workload, machine, folder);
            windows.require_possible(machine, platform);
            const std::string cut = cut_windows(workload, machine, folder);
            for (const CampaignScheduler& scheduler : campaign.schedulers) {
                const fs::path prefix =
                    fs::path("runs") / workload.name / machine.name / file_name_of(scheduler.scheduler.name);
                CampaignRun run{&workload, &machine, &scheduler, platform, cut, events, prefix.string(), ""};
                run.key = key_of(campaign, run, folder, program);
                runs.push_back(std::move(run));
            }
        }
    }
    return runs;
}

std::optional<RunResult> kept_result(const std::string& folder, const std::string& prefix, const std::string& key) {
    const std::string path = folder + '/' + prefix + "_result.csv";
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) {
        return std::nullopt;
    }
    const std::string text = InputFile(path).read_all(max_result_size);
    const std::string lines = text.substr(std::min(head_of_result(key, "").size(), text.size()));
    if (text != head_of_result(key, lines) + lines) {
        return std::nullopt;
    }
    RunResult result;
    for (auto& [name, value] : parse_named_values("name,value\n" + lines, path)) {
        const bool is_file = name.starts_with(of_file);
        (is_file ? result.files : result.values)
            .emplace_back(is_file ? name.substr(of_file.size()) : name, std::move(value));
    }
    return result;
}

std::uintmax_t estimated_size(const Campaign& campaign, const std::vector<CampaignRun>& runs,
                              const std::vector<MadeWorkload>& workloads, const std::string& folder, bool pages) {
    // Measured on campaigns of logs and models, in bytes.
    constexpr std::uintmax_t of_run = 5'000;  // its result, and its part of results.csv and manifest.json
    constexpr std::uintmax_t of_schedule = 1'000;
    constexpr std::uintmax_t of_job = 165;  // in jobs.csv
    constexpr std::uintmax_t of_guarantee = 38;
    constexpr std::uintmax_t of_page = 330'000;
    constexpr std::uintmax_t of_job_in_page = 68;
    std::uintmax_t size = 0;
    for (const MadeWorkload& workload : workloads) {
        size += fs::file_size(fs::path(folder) / workload.file);
    }
    for (const CampaignRun& run : runs) {
        const std::uintmax_t jobs = run.workload->jobs;
        size += of_run;
        if (campaign.schedules) {
            size +=
                of_schedule + jobs * (of_job + (run.scheduler->scheduler.choice.gives_guarantees() ? of_guarantee : 0));
        }
        if (pages) {
            size += jobs * of_job_in_page + of_page / campaign.schedulers.size();
        }
    }
    return size;
}

RunsOutcome replay_runs(const Campaign& campaign, std::vector<CampaignRun> runs, const std::string& folder,
                        unsigned threads, const std::function<void(std::size_t, std::size_t)>& progress,
                        const Simulator::Progress& in_run, bool has_plugins) {
    RunsOutcome outcome;
    outcome.kept = std::erase_if(runs, [&](const CampaignRun& run) { return is_kept(run, folder); });
    Replays replays(folder);
    std::vector<std::string> problems(runs.size());
    std::vector<ReplayNotes> notes(runs.size());
    for_each_in_parallel(
        runs.size(), threads,
        [&](std::size_t number) {
            const CampaignRun& run = runs[number];
            const std::string place =
                run.workload->name + " on " + run.machine->name + " under " + run.scheduler->scheduler.name;
            try {
                with_place_in_errors(
                    place, [&] { notes[number] = make_run(campaign, run, folder, replays, in_run, has_plugins); });
            } catch (const InputError& problem) {
                problems[number] = problem.what();
            }
        },
        [&](std::size_t done) {
            if (progress) {
                progress(done, runs.size());
            }
        });
    for (const ReplayNotes& of_run : notes) {
        outcome.notes.add(of_run);
    }
    outcome.made = std::erase(problems, std::string());
    outcome.problems = std::move(problems);
    return outcome;
}

std::string commands_of(const CampaignRun& run, const std::string& folder) {
    const std::string prefix = folder + '/' + run.prefix;
    const SchedulerChoice& choice = run.scheduler->scheduler.choice;
    Arguments words{"simulate", "-p", run.platform, "-w", folder + '/' + run.workload->file, "-a", choice.algorithm()};
    for (const auto& [name, value] : choice.parameters().given()) {
        words.insert(words.end(), {"-P", std::string(name).append("=").append(value)});
    }
    const Arguments details = arguments_of(details_of(run, folder));
    words.insert(words.end(), details.begin(), details.end());
    if (!run.events.empty()) {
        words.insert(words.end(), {"--events", run.events});
    }
    words.insert(words.end(), {"-e", prefix});
    return "mkdir -p " + command_line({fs::path(prefix).parent_path().string()}) + " && batfill " + command_line(words);
}

}  // namespace batfill::campaign
