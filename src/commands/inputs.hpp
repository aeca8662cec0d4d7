#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/time.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill::commands {

class Options;

// Reads workloads and names them w0, w1, ... in the order given, as Batsim does. For `keep_source` see read_workload().
std::vector<Workload> read_workloads(const std::vector<std::string>& paths, bool keep_source = false);

// Says on the standard error stream which workloads were made for a machine of another size than `processors`: the most
// likely slip when a workload and a platform are given.
void note_other_machines(const std::vector<Workload>& workloads, std::size_t processors);

// What the workload of a file is called in tables and names of files: "weeks/sp2-01.json.gz" is "sp2-01".
std::string workload_name(const std::string& path);

// Throws InputError if the folder in which files with this prefix would lie does not exist.
void require_writable_folder(const std::string& prefix);

// Throws UsageError if the name of an output has an ending, before .gz, that is none of `endings`: what is written
// would not be what the name says. A name without an ending (/dev/stdout) is accepted.
void require_ending(const std::string& option, const std::string& path, const std::vector<std::string>& endings);

// Throws UsageError if the options `name` and `other`, where both are given, name the same file.
void require_other_file(const Options& options, const std::string& name, const std::string& other);

// Declares --threads, which threads_option() reads.
void add_threads_option(Options& options);

// The option --threads, by default as many as there are cores. Throws UsageError if it is not 1 to 1024.
unsigned threads_option(const Options& options);

// The value of the option `name`, which is one of these words; the first of them if it is neither given nor has a
// default. Throws UsageError that lists them if it is another.
std::string word_option(const Options& options, const std::string& name, const std::vector<std::string>& words);

// The option `name`, a whole number. Throws UsageError if it is not `min` to `max`.
int integer_option(const Options& options, const std::string& name, int min, int max);

// The option --format, in which of Batsim's formats a workload is written; `otherwise` if it is not given. Throws
// UsageError for anything but batsim4 and batsim5.
WorkloadFormat workload_format_option(const Options& options, WorkloadFormat otherwise);
// What the help says of it.
inline constexpr const char* workload_format_help = "of the workload: batsim4 (default) or batsim5";

// What runs are called in tables, by their jobs.csv or the prefix of their files: "out/easy_jobs.csv" and "out/easy"
// are "easy", or "out/easy" if that would give two runs the same label.
std::vector<std::string> run_labels(const std::vector<std::string>& paths);

// "a, b and c"; of more than six names, "a, b, c, d, e and 40 more".
std::string enumeration(std::vector<std::string> names);

// Puts into `metrics` what they need of a machine.
void set_machine(const Machine& machine, MetricsOptions& metrics);

// Declares --platform, --master-host and --processors, which machine_options() reads.
void add_machine_options(Options& options);

// Puts into `metrics` what --platform (with --master-host) or --processors says of the machine. Throws UsageError if
// both are given, or --processors is below 1.
void machine_options(const Options& options, MetricsOptions& metrics);

// The jobs.csv of the run with this prefix: that of Batsim 4, which batfill writes as well, that of Batsim 5, both also
// gzipped, or `prefix` itself. Throws InputError if there is none.
std::string jobs_file(const std::string& prefix);

// The schedule of a run, which is named as for jobs_file(), or of a log in the Standard Workload Format if the name
// ends in .swf or .swf.gz. Of a log, it is that of `batfill swf --schedule` without further options, and how many jobs
// that leaves out is said on the standard error stream. Throws InputError naming the file and place if it cannot be
// read, or leaves out all jobs.
Schedule read_any_schedule(const std::string& path);

// The same of a schedule whose jobs are looked at one by one, in their order.
void for_each_job(const std::string& path, const std::function<void(const ScheduledJob&)>& use);

// The same of a schedule that is only measured.
MeasuredSchedule measure_any_schedule(const std::string& path);

// Throws InputError that names a job if one ran on a processor which the machine of `options` does not have: a schedule
// of a larger machine would have a utilisation above 1. O(number of jobs).
void require_machine_of(const MeasuredSchedule& schedule, const MetricsOptions& options);

// The length of time that the option `name` gives as seconds in `text`. Throws UsageError if `text` is not a number or
// is below `min`.
Duration seconds_option(const std::string& name, const std::string& text, std::optional<Duration> min = {});

// Declares --tau, which tau_option() reads.
void add_tau_option(Options& options);

// The bound of the bounded slowdown that --tau gives. Throws UsageError unless it is a number from 0.000001.
Duration tau_option(const Options& options);

}  // namespace batfill::commands
