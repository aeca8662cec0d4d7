#include <filesystem>

#include <batfill/core/error.hpp>

#include "src/campaign/campaign_file.hpp"
#include "src/support/json_writer.hpp"

namespace batfill::campaign {

namespace {

constexpr const char* before_log =
    R"(# A campaign of batfill: every workload on every machine under every scheduler.
# Run it with: batfill campaign THIS_FILE.yaml -o results
# Paths are seen from the folder of this file; lengths of time are in seconds.

workloads:
  # The options are those of `batfill swf`.
  - log: )";

constexpr const char* after_log =
    R"(
    split: 7                # weeks; without this and the next two lines the log is one workload
    count-from: first-job   # the first week is that of the first job
    periods: 4              # the first four of them; without this line all
    short-estimates: raise  # jobs that ran longer than they asked for
    # deadlines: {share: 0.2, seed: 1}    # the options of `batfill deadlines`
    # failures: {mtbf: 2592000, mttr: 86400, seed: 1}  # of `batfill generate failures`
  # A model instead of a log, with the options of `batfill generate lublin`:
  # - generate: lublin
  #   jobs: 1000
  #   processors: 128
  #   sweep: {load: [0.7, 0.9], seed: 1..5}  # every load with every seed

# own: as many processors as the workload says. Others: a number of hosts, a platform file, or
# the name of a platform that comes with batfill.
machines: [own]

schedulers:
  - fcfs
  - easy
  - conservative
  - algorithm: easy
    sweep: {order: [saf, spf]}

measure:
  tau: 10           # bound of the bounded slowdown
  warm-up: 0        # jobs submitted in this time after the first one do not count
  cool-down: 0      # nor those submitted in this time before the last one

schedules: false    # true keeps the jobs.csv of each run
reports: true       # a page for a browser for each workload; keeps the schedules, too
)";

}  // namespace

std::string example_campaign(const std::string& log) {
    if (!std::filesystem::is_regular_file(log)) {
        throw InputError(log + ": there is no such file, expected a log (.swf or .swf.gz)");
    }
    std::string example = before_log;
    append_json_string(log, example);  // YAML has the escapes of JSON
    return example + after_log;
}

}  // namespace batfill::campaign
