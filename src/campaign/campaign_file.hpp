#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>

#include "src/choice/named_scheduler.hpp"
#include "src/formats/named_platform.hpp"
#include "src/options/options.hpp"

namespace batfill::campaign {

// One combination of the values in a `sweep`: each option and its value.
using Swept = std::vector<std::pair<std::string, std::string>>;

// The name of the log's own schedule among the schedulers.
inline constexpr const char* log_name = "log";

// The largest number of runs of a campaign.
inline constexpr std::size_t max_campaign_runs = 100'000;

// The models of `batfill generate` that need words of their own here. The farm brings its machine.
inline constexpr const char* farm_model = "farm";
inline constexpr const char* shared_hosts_model = "shared";

// One workload of a campaign; several if it is a log cut into periods.
struct CampaignWorkload {
    std::string name;            // in file names and tables; unique among workloads
    std::string entry_name;      // the name without what is swept
    std::string subject;         // beginning of messages: file, line and name
    std::string source;          // the key that says where it comes from: log, import, workload or generate
    std::string path;            // of a log, data or workload; relative to the working directory
    std::string kind;            // the format that `batfill import` takes, or the model of `batfill generate`
    options::Settings settings;  // of `batfill swf`, `import` or the model
    // Those of `batfill deadlines`; none: no deadlines.
    std::optional<options::Settings> deadlines;
    // Those of `batfill generate failures`; none: the machine does not fail.
    std::optional<options::Settings> failures;
    Swept swept;
    // The log's own schedule is one more scheduler: from the source, or from a file of the log's, which has a path.
    bool has_own_schedule = false;
    std::string own_schedule{};  // relative to the working directory; empty: from the source

    // Whether a machine is generated with the workload, and the name of its file.
    bool draws_machine() const { return source == "generate" && kind == farm_model; }
    std::string platform_name() const { return name + ".xml"; }
    static constexpr const char* machine_file_key = "machine";
    // The file with the machine of an import, relative to the working directory. Null: it has none.
    std::string* machine_file() {
        const auto setting = std::ranges::find(settings, machine_file_key, &options::Setting::name);
        return source == "import" && setting != settings.end() && setting->value ? &*setting->value : nullptr;
    }
};

struct CampaignMachine {
    std::string name;  // of files and in tables
    std::string word;  // as --platform takes it; empty: generated with the workload, or as many hosts as that says
    MachineDetails details = {};
    Swept swept = {};
    std::string subject = {};  // beginning of messages: file, line and name
};

// An algorithm that is not registered, as SchedulerChoice takes it.
struct OwnAlgorithm {
    std::shared_ptr<const AlgorithmDescription> description;
    std::string code;  // a hash of all that its schedules depend on, which the hash of the program does not cover
};
using OwnAlgorithms = std::map<std::string, OwnAlgorithm>;  // by name

struct CampaignScheduler {
    NamedScheduler scheduler;
    Swept swept;
    std::string code;  // of an own algorithm; else empty
};

// How the runs of a campaign are measured.
struct RunMeasure {
    MetricsOptions metrics;            // what the machine has is not looked at
    Duration warm_up;                  // metrics omit jobs submitted sooner than this after the first one
    Duration cool_down;                // and jobs submitted later than this before the last one
    bool waits_from_eligible = false;  // metrics count waits from the instant at which a job is eligible
};

// The content of a campaign file: every workload runs on every machine under every scheduler (docs/campaign.md).
struct Campaign : RunMeasure {
    std::string path;
    std::string text;
    std::vector<CampaignWorkload> workloads;    // at least one
    std::vector<CampaignMachine> machines;      // at least one
    std::vector<CampaignScheduler> schedulers;  // at least one
    bool schedules = false;
    bool reports = false;

    // Whether some workload has its log's own schedule.
    bool has_own_schedules() const { return std::ranges::any_of(workloads, &CampaignWorkload::has_own_schedule); }
};

// Reads a campaign file, YAML or JSON. Expands sweeps; the last option varies fastest. Does not check the options of
// other commands. Its schedulers may have the algorithms of `own`, too.
// Throws: InputError, which names file and line,
// - if the file is not YAML, or has more than one document
// - for unknown keys, algorithms and parameters, and for values of the wrong kind
// - for an own algorithm that no scheduler has
// - for names and keys that occur twice
// - for an alias inside of what it names
// - for a log's own schedule of what is no log, has another load, or is beside a scheduler that registers jobs
// - for too many values or runs
// Cost: O(runs).
Campaign read_campaign(const std::string& path, const OwnAlgorithms& own = {});

// Returns a campaign file for this log, with comments that explain it.
// Throws: InputError if there is no such log.
std::string example_campaign(const std::string& log);

// Returns the name as a file name: replaces everything but letters, digits and "._=,+-" by "_", and limits the length.
std::string file_name_of(const std::string& name);

}  // namespace batfill::campaign
