#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/simulator/simulator.hpp>

#include "src/analysis/tables.hpp"
#include "src/campaign/campaign_file.hpp"
#include "src/campaign/campaign_runs.hpp"
#include "src/campaign/campaign_workloads.hpp"
#include "src/report/report.hpp"

namespace batfill::campaign {

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
    MakeElsewhere elsewhere{};         // makes the runs under schedulers, if it is not empty
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
// Throws: UsageError if FOLDER/manifest.json or FOLDER/results.csv is the campaign file.
MadeCampaign run_campaign(const CampaignRequest& request, const CampaignWatch& watch);

// A table for people, and what its marks mean.
struct MarkedTable {
    analysis::MarkedLines lines;
    std::string meaning;  // one or more sentences; empty without intervals
};

// Returns a table: for each machine and scheduler the mean of some metrics over all workloads, with a 95 % confidence
// interval if there are enough workloads (see mean_over_groups()). The marks of each machine hold together
// (src/analysis/told_apart.hpp).
// Requires: the result of each run.
MarkedTable table_of_means(const MadeCampaign& made);

// Returns such a table without marks, of the differences to the log's own schedule of the same workload. Empty without
// own schedules.
std::vector<std::vector<std::string>> table_of_differences_to_log(const MadeCampaign& made);

// Returns what a reader of the log's own schedules has to know: which jobs and workloads they lack.
std::vector<std::string> notes_on_logs(const MadeCampaign& made);

// Returns the groups of workloads with the same jobs, of those that have any.
// Requires: the result of each run.
WorkloadGroups groups_of(const MadeCampaign& made);

// Returns the runs that rejected jobs: "3 in PREFIX". Schedulers that reject different jobs are not comparable.
// Requires: the result of each run.
std::vector<std::string> rejections_of(const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results);

// Writes OUTPUT/results.csv of the runs that shards have made in these folders, and the pages if the campaign asks for
// them. `page`, if not empty, hears of each new page. Returns the number of runs.
// Requires: a folder.
// Throws: InputError
// - if the folders belong to different campaigns
// - if a run, or a file that a page needs, is in none of them
std::size_t merge_shards(const std::vector<std::string>& folders, const std::string& output,
                         const std::function<void(const report::ReportRequest&)>& page);

}  // namespace batfill::campaign
