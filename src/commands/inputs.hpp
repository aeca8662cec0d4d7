#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>
#include <batfill/workloads/deadlines.hpp>

#include "src/formats/named_platform.hpp"
#include "src/support/names.hpp"
#include "src/workloads/any_workload.hpp"

namespace batfill::commands {

class Options;

// Adds --plugin, for every command that takes an algorithm.
void add_plugin_option(Options& options);

// Loads the plugins that --plugin names.
// Requires: the caller has not looked up an algorithm yet.
// Throws: InputError as load_plugin().
void load_plugins(const Options& options);

// What the help of a command calls the value of --platform.
inline constexpr const char* platform_value = "PLATFORM";
inline constexpr const char* platform_help =
    "the machine: a SimGrid platform file, the name of a platform that comes with batfill, or a number of hosts";

// Declares --master-host, which platform_option() reads beside --platform.
void add_master_host_option(Options& options);

// Returns the machine that the options --platform and --master-host describe.
// Throws: UsageError; InputError as read_platform().
Platform platform_option(const Options& options);

// Prints a note on the standard error stream.
void note(const std::string& text);

// Notes which workloads were made for a machine of another size than `processors`. This is
// the most likely slip when a user gives a workload and a platform.
void note_other_machines(const std::vector<Workload>& workloads, std::size_t processors);

// Throws: InputError if the folder for files with this prefix does not exist.
void require_writable_folder(const std::string& prefix);

// Checks that the name of an output fits its content. A name without an ending (/dev/stdout) is accepted.
// Throws: UsageError if the name has an ending, before .gz, that is none of `endings`.
void require_ending(const std::string& option, const std::string& path, const std::vector<std::string>& endings);

// Throws: UsageError if the options `name` and `other` are both given and name the same file.
void require_other_file(const Options& options, const std::string& name, const std::string& other);

// Declares --threads, which threads_option() reads.
void add_threads_option(Options& options);

// Returns the value of --threads, by default the number of cores.
// Throws: UsageError if it is not 1 to 1024.
unsigned threads_option(const Options& options);

// Returns the value of the option `name`; none if it is not given.
std::optional<std::string> optional_text(const Options& options, const std::string& name);

// Returns the value of the option `name`, which is one of `words`; the first of them if the option is neither given nor
// has a default.
// Throws: UsageError, which lists the words, for another value.
std::string word_option(const Options& options, const std::string& name, const std::vector<std::string>& words);

// Returns the value of the option `name`, a whole number that is not negative; `otherwise` if it is not given.
// Throws: UsageError if it is not `min` to `max`.
std::uint64_t whole_option(const Options& options, const std::string& name, std::uint64_t min, std::uint64_t max,
                           std::uint64_t otherwise);

// Returns the value of the option `name`, a whole number.
// Throws: UsageError if it is not `min` to `max`.
int integer_option(const Options& options, const std::string& name, int min, int max);

// Returns the value of --format, the Batsim format of a written workload; `otherwise` if it is not given.
// Throws: UsageError for anything but batsim4 and batsim5.
WorkloadFormat workload_format_option(const Options& options, WorkloadFormat otherwise);
// The help of --format.
inline constexpr const char* workload_format_help = "format of the workload: batsim4 (default) or batsim5";

// The names of the metrics of replays, for a help: one per line, since some are longer than a line has room beside
// others.
std::string metric_names_help();
// The help of --format, the format of a table of metrics.
inline constexpr const char* metrics_format_help = "table, csv, json, markdown or latex (package booktabs)";

// Declares --platform and --workload, of workloads that are replayed each on its own.
void add_replayed_options(Options& options);

// Declares --platform, --master-host and --processors, which machine_options() reads.
void add_machine_options(Options& options);

// Sets in `metrics` the machine that --platform (with --master-host) or --processors describes.
// Throws: UsageError if both are given, or --processors is below 1.
void machine_options(const Options& options, MetricsOptions& metrics);

// Declares --tau, which tau_option() reads.
void add_tau_option(Options& options);

// Declares --tau and --short-deadline, which measure_options() reads into `metrics`.
// Throws: UsageError unless they are numbers, --tau from 0.000001.
void add_measure_options(Options& options);
void measure_options(const Options& options, MetricsOptions& metrics);

// Returns the bound of the bounded slowdown that --tau gives.
// Throws: UsageError unless it is a number from 0.000001.
Duration tau_option(const Options& options);

// The value of the option --estimates: one of the words that the command knows, or "factor:K".
struct EstimatesOption {
    std::string word;                 // "factor" for the latter
    Decimal factor = Decimal::of(1);  // K, at least 1
};

// Throws: UsageError for another value.
EstimatesOption estimates_option(const Options& options, const std::vector<std::string>& words);

}  // namespace batfill::commands
