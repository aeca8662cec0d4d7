#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <batfill/simulator/simulator.hpp>

#include "campaign_file.hpp"
#include "campaign_workloads.hpp"
#include "src/formats/named_values.hpp"
#include "src/report/report.hpp"

namespace batfill::campaign {

// One replay of a campaign.
struct CampaignRun {
    const MadeWorkload* workload = nullptr;
    const CampaignMachine* machine = nullptr;
    const CampaignScheduler* scheduler = nullptr;
    std::string platform;  // as --platform takes it
    std::string events;    // file of failures, relative to the working directory; empty: no failures
    std::string prefix;    // of its files, relative to the campaign's folder
    std::string key;       // hash of everything that its results depend on
};

// The stored result of a run.
struct RunResult {
    NamedValues files;   // of its schedule, without PREFIX_, and their hashes
    NamedValues values;  // the metrics that have a value
};

// A hash of the program, its library and the plugins: others may give other results.
std::string hash_of_program(const std::vector<std::string>& plugins);

// Returns all runs of the campaign in the order of the file: by workload, then by machine. Makes the failures.
// `program` is a hash of the program and its plugins.
// Throws: InputError and UsageError as make_failures(), and for platforms that cannot be read.
std::vector<CampaignRun> runs_of(const Campaign& campaign, const std::vector<MadeWorkload>& workloads,
                                 const std::string& folder, const std::string& program, const Makers& makers);

// Returns the result that `folder` keeps for the run with this prefix and key. None if it keeps no result, or one with
// another key, or one that has changed since.
std::optional<RunResult> kept_result(const std::string& folder, const std::string& prefix, const std::string& key);

// Estimates the size of the campaign's folder, in bytes, once these runs are made. `runs` are some or all runs of the
// campaign. Includes the pages if `pages`.
// Requires: the workloads are made.
// Cost: O(runs).
std::uintmax_t estimated_size(const Campaign& campaign, const std::vector<CampaignRun>& runs,
                              const std::vector<MadeWorkload>& workloads, const std::string& folder, bool pages);

struct RunsOutcome {
    std::size_t made = 0;
    std::size_t kept = 0;               // the result and the files of the schedule are unchanged
    std::vector<std::string> problems;  // one line for each failed run, in the order of the runs
};

// Replays the runs that are not kept, on `threads` threads, and audits each schedule. Keeps the measurements in
// FOLDER/PREFIX_result.csv; with schedules, also the files that `simulate` writes. A run keeps nothing if it cannot be
// replayed or the audit finds its schedule wrong; the other runs continue. A run's files appear whole, or not at all.
// `progress`, if not empty, hears how many runs are done, and of how many; `in_run` is RunOptions::progress of each
// run. An Interrupted of one of them ends all runs.
RunsOutcome replay_runs(const Campaign& campaign, std::vector<CampaignRun> runs, const std::string& folder,
                        unsigned threads, const std::function<void(std::size_t, std::size_t)>& progress,
                        const Simulator::Progress& in_run = {});

// Returns the ordinary commands that repeat a run, one per line.
std::string commands_of(const CampaignRun& run, const std::string& folder);

// Which part of the runs, from 1, and of how many.
struct Shard {
    std::size_t number = 1;
    std::size_t count = 1;
};

// What to run, and where.
struct CampaignRequest {
    std::string file;
    std::string folder;  // of all output
    Shard shard;
    unsigned threads = 1;
    std::vector<std::string> plugins;  // paths of those that are loaded
    OwnAlgorithms own_algorithms;      // those of the calling program, which the file may name
    bool dry_run = false;              // makes the workloads, and replays nothing
};

// A campaign while it runs, and at its end. The runs refer to the other members.
struct MadeCampaign {
    MadeCampaign() = default;
    MadeCampaign(MadeCampaign&&) = default;

    Campaign campaign;
    std::vector<MadeWorkload> workloads;
    std::vector<CampaignRun> runs;      // all
    std::vector<CampaignRun> of_shard;  // those to replay
    std::uintmax_t size = 0;            // estimated, of the folder at the end, in bytes
    RunsOutcome outcome;
    std::vector<RunResult> results;  // of all runs; none for one of several shards, if runs failed and after a dry run
};

// Who hears of a campaign while it runs. Each function may be empty.
struct CampaignWatch {
    // There is a new folder of workloads, with so many of them.
    std::function<void(const std::string& folder, std::size_t workloads)> made;
    // All workloads are there; the runs begin.
    std::function<void(const MadeCampaign&)> begins;
    // So many runs are done, and of how many.
    std::function<void(std::size_t done, std::size_t total)> progress;
    // Called now and then in each run, by several threads. It may throw Interrupted, which ends the campaign.
    Simulator::Progress in_run;
    // All runs are done; the table is written, unless there are no results.
    std::function<void(const MadeCampaign&)> replayed;
    // There is a new page.
    std::function<void(const report::ReportRequest&)> page;
};

// Makes the workloads of a campaign, replays those runs of the shard that have no result yet, and audits each schedule.
// Writes FOLDER/manifest.json and, without shards, FOLDER/results.csv and the pages. Writes neither table nor pages if
// runs fail: the outcome says which.
// Throws: InputError as read_campaign(), make_workloads() and runs_of().
MadeCampaign run_campaign(const CampaignRequest& request, const Makers& makers, const CampaignWatch& watch);

// Returns the lines of a table: for each scheduler the mean of some metrics over all workloads and machines, and their
// standard deviation.
// Requires: the result of each run.
std::vector<std::vector<std::string>> table_of_means(const Campaign& campaign, const std::vector<RunResult>& results);

// Returns the runs that rejected jobs: "3 in PREFIX". Schedulers that reject different jobs are not comparable.
// Requires: the result of each run.
std::vector<std::string> rejections_of(const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results);

// Writes OUTPUT/results.csv of the runs that shards have made in these folders. Returns the number of runs.
// Requires: a folder.
// Throws: InputError
// - if the folders belong to different campaigns
// - if a run is in none of them
std::size_t merge_shards(const std::vector<std::string>& folders, const std::string& output);

}  // namespace batfill::campaign
