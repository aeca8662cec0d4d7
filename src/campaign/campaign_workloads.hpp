#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>

#include "src/campaign/campaign_file.hpp"

namespace batfill::campaign {

// The largest jobs.csv of a log's own schedule, in bytes.
inline constexpr std::size_t max_own_schedule_size = std::size_t{1} << 40;

// A workload file of a campaign.
struct MadeWorkload {
    std::size_t entry = 0;  // index in Campaign::workloads
    std::string name;       // in file names and tables; unique
    std::string period;     // "week-007" of a log cut into periods; else empty
    std::string file;       // below the campaign's folder
    std::string platform;   // the machine generated with it, relative to the campaign's folder; empty if none was
    std::string sha256;     // of the file
    std::string jobs_hash;  // see hash_of_jobs()
    std::size_t jobs = 0;
    int processors = 0;  // nb_res
    Time last_submission;
    Time begin;  // of a period, in the time of the whole workload; else 0
    // The jobs.csv of the log's own schedule of these jobs, below the campaign's folder; empty: none is asked for.
    std::string own_schedule{};
    std::string own_schedule_sha256{};
    std::size_t jobs_in_log = 0;  // of its jobs, those that started in the log
};

// Makes the workloads of a campaign, and the schedules of their logs, as the commands `swf`, `generate` and `deadlines`
// do, in FOLDER/workloads/NAME/. Each folder appears whole or not at all. The output of these commands is in
// FOLDER/workloads/NAME/made.txt. Keeps a workload that the same program made of the same log with the same options.
// `program` is a hash of the program. Processes that do this at the same time wait for each other. Calls `told`, if not
// empty, for each new folder, with the number of its workloads.
// Throws: InputError, which names the place in the campaign file, for a workload that cannot be made, and as LogColumn.
// Throws: InputError for a file that it would have to replace and that no campaign has made.
std::vector<MadeWorkload> make_workloads(const Campaign& campaign, const std::string& folder,
                                         const std::string& program,
                                         const std::function<void(const std::string&, std::size_t)>& told);

// Whether there is a file of this path with this hash.
bool has_sha256(const std::string& path, const std::string& sha256);

// Returns the machine that replays a workload, as --platform takes it.
std::string platform_of(const MadeWorkload& made, const CampaignMachine& machine, const std::string& folder);

// Windows are in the time of a whole workload. If this one is a period of a log, and the machine has windows, writes
// those that are left in the period's own time to FOLDER/windows/WORKLOAD/MACHINE.jsonl. Returns the path of the file,
// relative to `folder`; else an empty path.
// Throws: InputError, which names the place in the campaign file, for windows that cannot be read or written.
std::string cut_windows(const MadeWorkload& made, const CampaignMachine& machine, const std::string& folder);

// Writes limits that stand in the campaign file itself to FOLDER/limits/MACHINE.jsonl.
// Throws: InputError, which names the file.
void write_limits(const CampaignMachine& machine, const std::string& folder);

// Makes the failures of the machine that go with a workload, in FOLDER/events/WORKLOAD/. Returns the path of the file,
// relative to `folder`; an empty path if the machine does not fail. Failures end with the last submission, unless an
// option says otherwise.
// Throws: as make_workloads().
std::string make_failures(const Campaign& campaign, const MadeWorkload& made, const CampaignMachine& machine,
                          const std::string& folder);

}  // namespace batfill::campaign
