#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/campaign/campaign_file.hpp"
#include "src/campaign/campaign_runs.hpp"
#include "src/report/report.hpp"
#include "src/support/json.hpp"
#include "src/support/json_writer.hpp"

namespace batfill::campaign {

// A page of the runs of one workload on one machine under all schedulers.
struct CampaignPage {
    std::string output;  // path, in the campaign's folder
    std::string title;
    std::string workload;  // path, in the campaign's folder; empty: some scheduler registers jobs that it lacks
    std::string platform;  // as --platform takes it; a path in the campaign's folder if the campaign made it
    bool platform_is_made = false;
    MachineDetails machine = {};
    bool windows_are_made = false;  // `machine` has the path of a file that the campaign made, in its folder
    bool limits_are_made = false;   // likewise
    std::size_t first = 0;          // run
    std::size_t count = 0;          // of runs
    bool has_log = false;           // the last of them is the log's own schedule
};

// The pages of a campaign; none unless it asks for reports. They stand in the manifest, so that merging shards can make
// them without the campaign file.
struct CampaignPages {
    std::vector<CampaignPage> pages;
    std::string program;     // a hash of the program and its plugins
    MetricsOptions metrics;  // without a machine
};

CampaignPages pages_of(const Campaign& campaign, const std::vector<CampaignRun>& runs, const std::string& program);

// Writes the member "pages" of a manifest, and reads it. Throws: InputError for another form.
void write_pages(const CampaignPages& pages, JsonWriter& json);
CampaignPages read_pages(Fields& manifest);

// What pages are made of.
struct PageSources {
    std::vector<std::string> prefixes;  // of the runs, with the folders in which they are
    std::vector<std::string> keys;      // of the runs
    std::vector<RunResult> results;     // of the runs
    // The path of a file that the campaign made, with its folder.
    std::function<std::string(const std::string& file)> made_file;
};

// Makes the pages in `folder`. Keeps those whose inputs are unchanged. Calls `made`, if not empty, for each new page.
// Throws: InputError as render_report().
void make_pages(const CampaignPages& pages, const PageSources& sources, const std::string& folder,
                const std::function<void(const report::ReportRequest&)>& made);

}  // namespace batfill::campaign
