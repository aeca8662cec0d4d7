#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <batfill/core/time.hpp>

#include "campaign_file.hpp"

namespace batfill::commands {

// A workload file of a campaign.
struct MadeWorkload {
    std::size_t entry = 0;  // of Campaign::workloads
    std::string name;       // of files and in tables; no other has it
    std::string period;     // "week-007" of a log that is cut; else empty
    std::string file;       // below the campaign's folder
    std::string platform;   // the machine that was drawn with it, below the campaign's folder; empty if none was
    std::string sha256;     // of the file
    std::size_t jobs = 0;
    int processors = 0;  // nb_res
    Time last_submission;
};

// Makes the workloads of a campaign as the commands `swf`, `generate` and `deadlines` do, in FOLDER/workloads/NAME/,
// each of which appears whole or not at all; what these commands print is in FOLDER/workloads/NAME/made.txt. What is
// there already, made of the same log with the same options by the same program, is not made again. `program` is a hash
// of the program. Prints a line for each that it makes. Throws InputError and UsageError that name the place in the
// campaign file, and InputError for a file that it would have to replace and that no campaign has made. Other processes
// may do the same at the same time: one waits for the other.
std::vector<MadeWorkload> make_workloads(const Campaign& campaign, const std::string& folder,
                                         const std::string& program);

// The machine on which a workload is replayed, as --platform takes it.
std::string platform_of(const MadeWorkload& made, const CampaignMachine& machine, const std::string& folder);

// Makes the failures of the machine with so many hosts that go with a workload, in FOLDER/events/WORKLOAD/, and
// returns the path of the file, below `folder`; an empty one if the machine does not fail. They end, unless an option
// says otherwise, with the last submission. Throws as make_workloads().
std::string make_failures(const Campaign& campaign, const MadeWorkload& made, const CampaignMachine& machine,
                          const std::string& folder);

// The command that has made a workload, for a shell: its arguments after "batfill".
Arguments making_command(const CampaignWorkload& workload);

}  // namespace batfill::commands
