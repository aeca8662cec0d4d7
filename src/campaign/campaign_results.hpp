#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign_runs.hpp"
#include "src/report/report.hpp"

namespace batfill::campaign {

// The part of the runs that a table of results needs. Merging shards reads it without the campaign file.
struct RunList {
    struct Row {
        std::string prefix;
        std::string key;
        std::vector<std::string> cells;  // of `columns`; empty where a column says nothing of the run
    };

    std::string campaign;  // hash of all that follows
    std::vector<std::string> columns;
    std::vector<Row> rows;
};

// Returns the list of the runs with the cells of their rows.
RunList list_of_runs(const Campaign& campaign, const std::vector<CampaignRun>& runs);

// Writes FOLDER/manifest.json, which lists the runs and the program.
// Throws: InputError if it cannot be written.
void write_manifest(const Campaign& campaign, const std::vector<MadeWorkload>& workloads, const RunList& list,
                    const std::string& program, const std::string& folder);

// Returns the kept results of all runs, in their order.
// Throws: InputError if a result is missing or has changed.
std::vector<RunResult> results_of(const std::vector<CampaignRun>& runs, const std::string& folder);

// Writes FOLDER/results.csv.
// Requires: as many results as there are rows.
void write_results_table(const RunList& list, const std::vector<RunResult>& results, const std::string& folder);

// Returns the lines of a table: for each scheduler the mean of some metrics over all workloads and machines, and their
// standard deviation.
// Requires: the result of each run.
std::vector<std::vector<std::string>> table_of_means(const Campaign& campaign, const std::vector<RunResult>& results);

// Returns the runs that rejected jobs: "3 in PREFIX". Schedulers that reject different jobs are not comparable.
// Requires: the result of each run.
std::vector<std::string> rejections_of(const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results);

// Makes a page for each workload and machine, of the runs under all schedulers. Keeps pages whose inputs are unchanged.
// Calls `made`, if not empty, for each new page.
// Requires: the result of each run.
void write_pages(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results,
                 const std::string& program, const std::string& folder,
                 const std::function<void(const report::ReportRequest&)>& made);

// Writes OUTPUT/results.csv of the runs that shards have made in these folders. Returns the number of runs.
// Requires: a folder.
// Throws: InputError
// - if the folders belong to different campaigns
// - if a run is in none of them
std::size_t merge_shards(const std::vector<std::string>& folders, const std::string& output);

}  // namespace batfill::campaign
