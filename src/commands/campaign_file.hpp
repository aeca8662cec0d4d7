#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>

#include "command.hpp"
#include "scheduler_argument.hpp"

namespace batfill::commands {

// What one combination of the values in a `sweep` says: which option has which value.
using Swept = std::vector<std::pair<std::string, std::string>>;

// A campaign has no more runs.
inline constexpr std::size_t max_campaign_runs = 100'000;

// The model of `batfill generate` that draws a machine with each workload.
inline constexpr const char* farm_model = "farm";

// One workload of a campaign, or several if it is a log that is cut into periods.
struct CampaignWorkload {
    enum class Source { log, workload, model };

    std::string name;     // of files and in tables; no other workload has it
    std::string subject;  // how messages begin: file, line and name
    Source source = Source::log;
    std::string path;                    // of a log or workload; as seen from where the program runs
    Arguments options;                   // of `batfill swf`, or the model and options of `batfill generate`
    std::optional<Arguments> deadlines;  // options of `batfill deadlines`; none: none are made
    std::optional<Arguments> failures;   // options of `batfill generate failures`; none: the machine does not fail
    Swept swept;
};

struct CampaignMachine {
    std::string name;  // of files and in tables
    std::string word;  // as --platform takes it; empty: the one drawn with the workload, or as many hosts as that says
};

struct CampaignScheduler {
    NamedScheduler scheduler;
    Swept swept;
};

// What a campaign file asks for: every workload on every machine under every scheduler (docs/campaign.md).
struct Campaign {
    std::string path;
    std::string text;
    std::vector<CampaignWorkload> workloads;    // at least one
    std::vector<CampaignMachine> machines;      // at least one
    std::vector<CampaignScheduler> schedulers;  // at least one
    MetricsOptions metrics;
    Duration warm_up;    // jobs that are submitted sooner after the first one are left out of the metrics
    Duration cool_down;  // as are those submitted later than this before the last one
    bool schedules = false;
    bool reports = false;
};

// Reads a campaign file, YAML or JSON. Multiplies sweeps out, the last option fastest. Does not look at the options of
// other commands.
// Throws: InputError, which names file and line,
// - if the file is no YAML, or has more than one document
// - for unknown keys, algorithms and parameters, and for values of the wrong kind
// - for names and keys that occur twice
// - for an alias inside of what it names
// - for too many values or runs
// Cost: O(runs).
Campaign read_campaign(const std::string& path);

// A name in which everything but letters, digits and "._=,+-" is "_", and which is not too long for a file.
std::string file_name_of(const std::string& name);

}  // namespace batfill::commands
