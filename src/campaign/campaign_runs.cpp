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

#include "src/formats/named_platform.hpp"
#include "src/support/command_line.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/mapped.hpp"
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
    if (details.limits_text) {
        details.limits = (fs::path(folder) / details.limits).string();
    }
    return details;
}

Scenario scenario_of(const CampaignRun& run, const std::string& folder) {
    const std::string workload_path = (fs::path(folder) / run.workload->file).string();
    Scenario scenario;
    scenario.platform = named_platform(run.platform, details_of(run, folder));
    const std::string text = read_workload_text(workload_path);
    refuse_if<InputError>(sha256(text) != run.workload->sha256, workload_path,
                          ": has changed since the campaign began: run the campaign again");
    scenario.workloads.push_back(parse_workload(text, workload_path, "w0"));
    if (!run.events.empty()) {
        scenario.event_lists.push_back(read_external_events(run.events, false));
    }
    return scenario;
}

PreparedRun prepared(const CampaignRun& run, const std::string& folder) {
    PreparedRun result{Replay(scenario_of(run, folder))};
    if (!run.workload->own_schedule.empty()) {
        const std::string path = (fs::path(folder) / run.workload->own_schedule).string();
        refuse_if<InputError>(!has_sha256(path, run.workload->own_schedule_sha256), path,
                              ": has changed since the campaign began: run the campaign again");
        result.of_log = read_schedule(path);
        result.started = started_in(*result.of_log);
    }
    return result;
}

// The workloads that threads replay now. Threads share a workload; the last one to end it releases it.
class Replays {
 public:
    explicit Replays(std::string folder) : folder_(std::move(folder)) {}

    std::shared_ptr<const PreparedRun> get(const CampaignRun& run) {
        Place* place = nullptr;
        {
            const std::lock_guard lock(mutex_);
            place = &places_[{run.workload, run.machine}];
        }
        const std::lock_guard lock(place->mutex);
        std::shared_ptr<const PreparedRun> shared = place->prepared.lock();
        if (!shared) {
            shared = std::make_shared<const PreparedRun>(prepared(run, folder_));
            place->prepared = shared;
        }
        return shared;
    }

 private:
    struct Place {
        std::mutex mutex;
        std::weak_ptr<const PreparedRun> prepared;
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

MetricsOptions options_for(const RunMeasure& how, const Replay& replay) {
    MetricsOptions options = how.metrics;
    options.set_machine(replay.machine());
    return options;
}

NamedValues values_of(const Metrics& metrics) {
    NamedValues values;
    const std::vector<std::string> names = metrics.names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (metrics.values()[i]) {
            values.emplace_back(names[i], exact(*metrics.values()[i]));
        }
    }
    return values;
}

// Keeps what came of a run: its files, if any are given, and the values.
void keep_run(const CampaignRun& run, const std::string& folder, NamedValues values, const RunFiles* files) {
    RunResult result{{}, std::move(values)};
    const std::string prefix = folder + '/' + run.prefix;
    create_folders(fs::path(prefix).parent_path().string());
    if (files != nullptr) {
        for (const std::string& path : write_files(*files, prefix)) {
            result.files.emplace_back(path.substr(prefix.size() + 1), sha256_of_file(path));
        }
    }
    write_result(result, run.key, prefix + "_result.csv");
}

// Measures the log's own schedule. Returns the notes on it.
ReplayNotes make_run_of_log(const Campaign& campaign, const CampaignRun& run, const std::string& folder,
                            Replays& replays) {
    const std::shared_ptr<const PreparedRun> shared = replays.get(run);
    Schedule schedule = *shared->of_log;
    leave_out_ends(schedule, campaign.warm_up, campaign.cool_down);
    RunResult result{
        {},
        values_of(measure_log(schedule, options_for(campaign, shared->replay), shared->replay.scenario().workloads))};
    const std::string prefix = folder + '/' + run.prefix;
    create_folders(fs::path(prefix).parent_path().string());
    if (campaign.schedules) {
        const std::string own = (fs::path(folder) / run.workload->own_schedule).string();
        write_file(prefix + "_jobs.csv", InputFile(own).read_all(max_own_schedule_size));
        result.files.emplace_back("jobs.csv", run.workload->own_schedule_sha256);
    }
    write_result(result, run.key, prefix + "_result.csv");
    ReplayNotes notes;
    notes.add_log(*shared->of_log, shared->replay.machine());
    return notes;
}

// Returns the notes on the run.
ReplayNotes make_run(const Campaign& campaign, const CampaignRun& run, const std::string& folder, Replays& replays,
                     const Simulator::Progress& in_run, bool has_plugins) {
    if (run.scheduler == nullptr) {
        return make_run_of_log(campaign, run, folder, replays);
    }
    const SchedulerChoice& choice = run.scheduler->scheduler.choice;
    const std::shared_ptr<const PreparedRun> shared = replays.get(run);
    const Replay& replay = shared->replay;
    ReplayNotes notes;
    notes.add_machine(replay.scenario().platform.notes);
    measure_run(
        replay, shared->of_log ? &shared->started : nullptr, choice, campaign, run.prefix, in_run,
        [&](NamedValues values, const Outcome& outcome) {
            const std::optional<RunFiles> files = campaign.schedules ? std::optional(run_files(outcome)) : std::nullopt;
            keep_run(run, folder, std::move(values), files ? &*files : nullptr);
            notes.add_run(replay.scenario().workloads.front(), replay.machine(), outcome.engine()->state().placement,
                          has_plugins || !run.scheduler->code.empty(), &outcome.engine()->choice());
        });
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
    text << program << '\n' << run.workload->sha256 << '\n';
    text << (number_of_hosts(run.platform) ? run.platform : sha256_of_file(platform_file(run.platform))) << '\n';
    MachineDetails details = details_of(run, folder);
    if (!details.windows.empty()) {
        details.windows = sha256_of_file(details.windows);
    }
    if (!details.limits.empty()) {
        details.limits = details.limits_text ? sha256(*details.limits_text) : sha256_of_file(details.limits);
    }
    for (const std::string& argument : arguments_of(details)) {
        text << argument << '\n';
    }
    text << (run.events.empty() ? "" : sha256_of_file(run.events)) << '\n';
    if (run.scheduler != nullptr) {
        const SchedulerChoice& choice = run.scheduler->scheduler.choice;
        text << choice.algorithm() << '\n';
        for (const auto& [name, value] : choice.parameters().given()) {
            text << name << '=' << value << '\n';
        }
    }
    text << campaign.metrics.tau.to_string() << '\n' << campaign.metrics.short_deadline.to_string() << '\n';
    text << campaign.warm_up.to_string() << '\n' << campaign.cool_down.to_string() << '\n';
    text << (campaign.schedules ? "with schedule\n" : "");
    text << (campaign.waits_from_eligible ? "waits from eligible\n" : "");
    text << (run.scheduler != nullptr ? run.scheduler->code : "");
    if (!run.workload->own_schedule.empty()) {
        text << "jobs of the log " << run.workload->own_schedule_sha256 << '\n';
    }
    text << (run.scheduler == nullptr ? "its schedule" : "");
    return sha256(text.str());
}

// Refuses windows and limits that the machine cannot have, before anything is replayed. Reads each platform once.
class DetailsCheck {
 public:
    void require_possible(const CampaignMachine& machine, const std::string& platform) {
        const bool has_any = !machine.details.windows.empty() || !machine.details.limits.empty();
        if (has_any && checked_.emplace(&machine, platform).second) {
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
    const std::size_t columns = campaign.schedulers.size() + (campaign.has_own_schedules() ? 1 : 0);
    refuse_if<InputError>(workloads.size() * campaign.machines.size() * columns > max_campaign_runs, campaign.path,
                          ": expected at most ", max_campaign_runs, " runs, found more with all periods of its logs");
    std::vector<CampaignRun> runs;
    DetailsCheck details;
    for (const MadeWorkload& workload : workloads) {
        for (const CampaignMachine& machine : campaign.machines) {
            std::string events = make_failures(campaign, workload, machine, folder);
            if (!events.empty()) {
                events.insert(0, folder + '/');
            }
            const std::string platform = platform_of(workload, machine, folder);
            details.require_possible(machine, platform);
            const std::string cut = cut_windows(workload, machine, folder);
            write_limits(machine, folder);
            const auto add_run = [&](const CampaignScheduler* scheduler) {
                CampaignRun run{&workload, &machine, scheduler, platform, cut, events, "", ""};
                run.prefix =
                    (fs::path("runs") / workload.name / machine.name / file_name_of(run.scheduler_name())).string();
                run.key = key_of(campaign, run, folder, program);
                runs.push_back(std::move(run));
            };
            for (const CampaignScheduler& scheduler : campaign.schedulers) {
                refuse_if<InputError>(!events.empty() && !scheduler.scheduler.choice.description().takes_event_files,
                                      campaign.path, ": scheduler ", shown(scheduler.scheduler.name),
                                      ": it does not know external events, expected workloads without failures");
                add_run(&scheduler);
            }
            if (!workload.own_schedule.empty()) {
                add_run(nullptr);
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
            const bool guarantees = run.scheduler != nullptr && run.scheduler->scheduler.choice.gives_guarantees();
            size += of_schedule + jobs * (of_job + (guarantees ? of_guarantee : 0));
        }
        if (pages) {
            size += jobs * of_job_in_page + of_page / campaign.schedulers.size();
        }
    }
    return size;
}

void measure_run(const Replay& replay, const StartedInLog* started, const SchedulerChoice& choice,
                 const RunMeasure& how, const std::string& prefix, const Simulator::Progress& in_run,
                 const std::function<void(NamedValues, const Outcome&)>& use) {
    const Outcome outcome = replay.run(choice, {.progress = in_run});
    require_no_violation(outcome);
    Schedule schedule = outcome.schedule();
    schedule.path = prefix;
    if (started != nullptr) {
        leave_out_others(schedule, *started);
    }
    leave_out_ends(schedule, how.warm_up, how.cool_down);
    const MetricsOptions options = options_for(how, replay);
    std::vector<Workload> place;
    MeasuredSchedule measured(schedule, options.resources);
    if (how.waits_from_eligible) {
        measured.count_waits_from(eligible_times(outcome, schedule), prefix);
    }
    use(values_of(compute_metrics(measured, options, outcome.workloads(place))), outcome);
}

RunsOutcome replay_runs(const Campaign& campaign, std::vector<CampaignRun> runs, const std::string& folder,
                        unsigned threads, const std::function<void(std::size_t, std::size_t)>& progress,
                        const Simulator::Progress& in_run, bool has_plugins, const MakeElsewhere& elsewhere) {
    RunsOutcome outcome;
    outcome.kept = std::erase_if(runs, [&](const CampaignRun& run) { return is_kept(run, folder); });
    Replays replays(folder);
    std::vector<std::string> problems(runs.size());
    std::vector<ReplayNotes> notes(runs.size());
    const auto with_place = [&](std::size_t number, const auto& work) {
        const CampaignRun& run = runs[number];
        try {
            with_place_in_errors(run.workload->name + " on " + run.machine->name + " under " + run.scheduler_name(),
                                 work);
        } catch (const InputError& problem) {
            problems[number] = problem.what();
        }
    };
    const auto told = [&](std::size_t done) {
        if (progress) {
            progress(done, runs.size());
        }
    };
    std::vector<std::size_t> here;
    std::vector<std::size_t> others;
    for (std::size_t number = 0; number < runs.size(); ++number) {
        (elsewhere && runs[number].scheduler != nullptr ? others : here).push_back(number);
    }
    for_each_in_parallel(
        here.size(), threads,
        [&](std::size_t place) {
            const std::size_t number = here[place];
            with_place(number,
                       [&] { notes[number] = make_run(campaign, runs[number], folder, replays, in_run, has_plugins); });
        },
        told);
    if (!others.empty()) {
        std::size_t done = here.size();
        elsewhere({mapped(others, [&](std::size_t number) { return &std::as_const(runs[number]); }), campaign,
                   campaign.schedules, [&](const CampaignRun& run) { return replays.get(run); },
                   [&](std::size_t place, NamedValues values, const RunFiles* files) {
                       with_place(others[place],
                                  [&] { keep_run(runs[others[place]], folder, std::move(values), files); });
                       told(++done);
                   },
                   [&](std::size_t place, const std::string& problem) {
                       with_place(others[place], [&] { throw InputError(problem); });
                       told(++done);
                   }});
    }
    for (const ReplayNotes& of_run : notes) {
        outcome.notes.add(of_run);
    }
    outcome.made = std::erase(problems, std::string());
    outcome.problems = std::move(problems);
    return outcome;
}

std::string commands_of(const CampaignRun& run, const std::string& folder) {
    const std::string prefix = folder + '/' + run.prefix;
    const std::string make_folder = "mkdir -p " + command_line({fs::path(prefix).parent_path().string()}) + " && ";
    if (run.scheduler == nullptr) {
        return make_folder + "cp " + command_line({folder + '/' + run.workload->own_schedule, prefix + "_jobs.csv"});
    }
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
    return make_folder + "batfill " + command_line(words);
}

}  // namespace batfill::campaign
