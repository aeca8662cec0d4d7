#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <batfill/replay/replay.hpp>
#include <batfill/simulator/simulator.hpp>

#include "src/campaign/campaign_file.hpp"
#include "src/campaign/campaign_workloads.hpp"
#include "src/formats/named_values.hpp"
#include "src/replay/log_column.hpp"
#include "src/replay/notes.hpp"

namespace batfill::campaign {

// One replay of a campaign.
struct CampaignRun {
    const MadeWorkload* workload = nullptr;
    const CampaignMachine* machine = nullptr;
    const CampaignScheduler* scheduler = nullptr;  // null: the log's own schedule
    std::string platform;                          // as --platform takes it
    std::string windows;  // file of those that are cut for a period, relative to the campaign's folder; else empty
    std::string events;   // file of failures, relative to the working directory; empty: no failures
    std::string prefix;   // of its files, relative to the campaign's folder
    std::string key;      // hash of everything that its results depend on

    // In tables.
    std::string scheduler_name() const { return scheduler == nullptr ? log_name : scheduler->scheduler.name; }
};

// Whether both are of the same workload and machine.
inline bool is_beside(const CampaignRun& a, const CampaignRun& b) {
    return a.workload == b.workload && a.machine == b.machine;
}

// The stored result of a run.
struct RunResult {
    NamedValues files;   // of its schedule, without PREFIX_, and their hashes
    NamedValues values;  // the metrics that have a value
};

// Returns all runs of the campaign in the order of the file: by workload, then by machine, the log's own schedule
// behind those of schedulers. Makes the failures, and the windows of periods.
// `program` is a hash of the program and its plugins.
// Throws: InputError as make_failures(), for platforms that cannot be read, for windows that a machine cannot have, and
// for too many runs.
std::vector<CampaignRun> runs_of(const Campaign& campaign, const std::vector<MadeWorkload>& workloads,
                                 const std::string& folder, const std::string& program);

// Returns the result that `folder` keeps for the run with this prefix and key. None if it keeps no result, or one with
// another key, or one that has changed since.
std::optional<RunResult> kept_result(const std::string& folder, const std::string& prefix, const std::string& key);

// Estimates the size of the campaign's folder, in bytes, once these runs are made. `runs` are some or all runs of the
// campaign. Includes the pages if `pages`.
// Requires: the workloads are made.
// Cost: O(runs).
std::uintmax_t estimated_size(const Campaign& campaign, const std::vector<CampaignRun>& runs,
                              const std::vector<MadeWorkload>& workloads, const std::string& folder, bool pages);

// What the runs of a workload on a machine share.
struct PreparedRun {
    Replay replay;
    std::optional<Schedule> of_log{};  // none: not asked for
    StartedInLog started{};
};

// Runs that others make: those that are not kept, but for those of logs.
struct RunsToMake {
    std::vector<const CampaignRun*> runs;
    RunMeasure measure;
    bool with_files = false;  // whether the campaign keeps schedules
    std::function<std::shared_ptr<const PreparedRun>(const CampaignRun&)> prepare;
    // Keeps what came of the run at this place: the values of measure_run() and, with files, these; else null.
    std::function<void(std::size_t place, NamedValues values, const RunFiles* files)> take;
    // The run at this place fails, for this reason.
    std::function<void(std::size_t place, const std::string& problem)> fail;
};
using MakeElsewhere = std::function<void(const RunsToMake&)>;

// Replays, audits and measures, and hands over what came of it. `prefix` is that of the run, for errors.
// Throws: InputError if the run cannot be replayed, or if the audit finds its schedule wrong.
void measure_run(const Replay& replay, const StartedInLog* started, const SchedulerChoice& choice,
                 const RunMeasure& how, const std::string& prefix, const Simulator::Progress& in_run,
                 const std::function<void(NamedValues, const Outcome&)>& use);

struct RunsOutcome {
    std::size_t made = 0;
    std::size_t kept = 0;               // the result and the files of the schedule are unchanged
    std::vector<std::string> problems;  // one line for each failed run, in the order of the runs
    ReplayNotes notes;                  // on the runs that were made here
};

// Replays the runs that are not kept, or measures the log's own schedule, on `threads` threads, and audits each
// schedule. Keeps the measurements in FOLDER/PREFIX_result.csv; with schedules, also the files that `simulate` writes.
// A run keeps nothing if it cannot be replayed or the audit finds its schedule wrong; the other runs continue. A run's
// files appear whole, or not at all. `progress`, if not empty, hears how many runs are done, and of how many; `in_run`
// is RunOptions::progress of each run. An Interrupted of one of them ends all runs. `has_plugins`: algorithms may look
// at any field of a job. `elsewhere`, if not empty, makes the runs under schedulers in place of the threads.
RunsOutcome replay_runs(const Campaign& campaign, std::vector<CampaignRun> runs, const std::string& folder,
                        unsigned threads, const std::function<void(std::size_t, std::size_t)>& progress,
                        const Simulator::Progress& in_run, bool has_plugins, const MakeElsewhere& elsewhere);

// Returns the ordinary commands that repeat a run, one per line.
std::string commands_of(const CampaignRun& run, const std::string& folder);

}  // namespace batfill::campaign
