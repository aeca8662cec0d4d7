#pragma once

#include <functional>
#include <string>
#include <vector>

#include "campaign_runs.hpp"
#include "src/report/report.hpp"

namespace batfill::campaign {

// What a table of results needs of the runs, also where the campaign file is not at hand.
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

// Returns the list of the runs, with what the table says of each.
RunList list_of_runs(const Campaign& campaign, const std::vector<CampaignRun>& runs);

// Writes FOLDER/manifest.json: what is run, by which program.
// Throws: InputError if it cannot be written.
void write_manifest(const Campaign& campaign, const std::vector<MadeWorkload>& workloads, const RunList& list,
                    const std::string& program, const std::string& folder);

// Returns the kept results of all runs, in their order.
// Throws: InputError if one has gone or changed.
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

// Makes a page for each workload and machine, of the runs under all schedulers. Keeps pages that are made of the same.
// `made` hears of each page that was made.
// Requires: the result of each run.
void write_pages(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::vector<RunResult>& results,
                 const std::string& program, const std::string& folder,
                 const std::function<void(const report::ReportRequest&)>& made);

// Writes OUTPUT/results.csv of the runs that shards have made in these folders. Returns how many there are.
// Requires: a folder.
// Throws: InputError if the folders are of different campaigns, or if a run is in none of them.
std::size_t merge_shards(const std::vector<std::string>& folders, const std::string& output);

}  // namespace batfill::campaign
