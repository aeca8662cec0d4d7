#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign_file.hpp"
#include "campaign_workloads.hpp"

namespace batfill::commands {

// One replay of a campaign.
struct CampaignRun {
    const MadeWorkload* workload = nullptr;
    const CampaignMachine* machine = nullptr;
    const CampaignScheduler* scheduler = nullptr;
    std::string platform;  // as --platform takes it
    std::string events;    // file of failures, as seen from where the program runs; empty if there are none
    std::string prefix;    // of its files, below the campaign's folder
    std::string key;       // a hash of all that its results depend on
};

// What is kept of a run.
struct RunResult {
    std::vector<std::pair<std::string, std::string>> files;   // of its schedule, without PREFIX_, and their hashes
    std::vector<std::pair<std::string, std::string>> values;  // the metrics that have a value, by name
};

// All runs of the campaign, workload by workload, machine by machine, in the order of the file. Makes the failures.
// `program` is a hash of the program and its plugins. Throws InputError and UsageError as make_failures(), and for
// platforms that cannot be read.
std::vector<CampaignRun> runs_of(const Campaign& campaign, const std::vector<MadeWorkload>& workloads,
                                 const std::string& folder, const std::string& program);

// The result of the run with this prefix and key as it was kept in `folder`; none if it was not, or with another key,
// or has changed since.
std::optional<RunResult> kept_result(const std::string& folder, const std::string& prefix, const std::string& key);

// Whether the files of its schedule are as they were when the result was kept. O(their size).
bool schedule_is_kept(const std::string& folder, const std::string& prefix, const RunResult& result);

// About how many bytes the campaign's folder has when these runs, a part or all of those of the campaign, are made;
// with their pages if `pages`. Requires that the workloads are made. O(runs).
std::uintmax_t estimated_size(const Campaign& campaign, const std::vector<CampaignRun>& runs,
                              const std::vector<MadeWorkload>& workloads, const std::string& folder, bool pages);

struct RunsOutcome {
    std::size_t made = 0;
    std::vector<std::string> problems;  // a line for each run that failed, in the order of the runs
};

// Replays the runs on so many threads, audits each schedule, and keeps in FOLDER/PREFIX_result.csv what is measured of
// it; with schedules, also what `simulate` writes. A run that cannot be replayed, or whose schedule the audit finds
// wrong, keeps nothing and does not hold up the others. A run's files appear whole, or not at all.
RunsOutcome replay_runs(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::string& folder,
                        unsigned threads);

// The ordinary commands that repeat a run, a line each.
std::string commands_of(const CampaignRun& run, const std::string& folder);

}  // namespace batfill::commands
