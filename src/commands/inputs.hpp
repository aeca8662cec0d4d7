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

// Notes on the standard error stream which workloads were made for a machine of another size than `processors`. This is
// the most likely slip when a user gives a workload and a platform.
void note_other_machines(const std::vector<Workload>& workloads, std::size_t processors);

// Returns the name of a file's workload in tables and file names: "sp2-01" for "weeks/sp2-01.json.gz".
std::string workload_name(const std::string& path);

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

// Returns the value of the option `name`, which is one of `words`; the first of them if the option is neither given nor
// has a default.
// Throws: UsageError, which lists the words, for another value.
std::string word_option(const Options& options, const std::string& name, const std::vector<std::string>& words);

// Returns the value of the option `name`, a whole number.
// Throws: UsageError if it is not `min` to `max`.
int integer_option(const Options& options, const std::string& name, int min, int max);

// Returns the value of --format, the Batsim format of a written workload; `otherwise` if it is not given.
// Throws: UsageError for anything but batsim4 and batsim5.
WorkloadFormat workload_format_option(const Options& options, WorkloadFormat otherwise);
// The help of --format.
inline constexpr const char* workload_format_help = "of the workload: batsim4 (default) or batsim5";

// Returns the names of runs in tables, from their jobs.csv or the prefix of their files. "out/easy_jobs.csv" and
// "out/easy" are "easy", or "out/easy" if two runs would have the same label.
std::vector<std::string> run_labels(const std::vector<std::string>& paths);

// "a, b and c"; for more than six names, "a, b, c, d, e and 40 more".
std::string enumeration(std::vector<std::string> names);

// Sets in `metrics` what they need of a machine.
void set_machine(const Machine& machine, MetricsOptions& metrics);

// Declares --platform, --master-host and --processors, which machine_options() reads.
void add_machine_options(Options& options);

// Sets in `metrics` the machine that --platform (with --master-host) or --processors describes.
// Throws: UsageError if both are given, or --processors is below 1.
void machine_options(const Options& options, MetricsOptions& metrics);

// Returns the jobs.csv of the run with this prefix: the file of Batsim 4, which batfill writes too; the file of Batsim
// 5; either of them gzipped; or `prefix` itself.
// Throws: InputError if there is none.
std::string jobs_file(const std::string& prefix);

// Reads the schedule of a run, named as for jobs_file(), or of a log in the Standard Workload Format if the name ends
// in .swf or .swf.gz. The schedule of a log is that of `batfill swf --schedule` without further options. The standard
// error stream then says how many jobs that leaves out.
// Throws: InputError, which names the file and place, if it cannot read the schedule, or if that leaves out all jobs.
Schedule read_any_schedule(const std::string& path);

// As above, but passes the jobs to `use` one by one, in their order.
void for_each_job(const std::string& path, const std::function<void(const ScheduledJob&)>& use);

// As above, for a schedule that is only measured.
MeasuredSchedule measure_any_schedule(const std::string& path);

// Checks that the machine of `options` has all processors of the jobs: a schedule of a larger machine would have a
// utilisation above 1.
// Throws: InputError, which names a job that ran on another processor.
// Cost: O(number of jobs).
void require_machine_of(const MeasuredSchedule& schedule, const MetricsOptions& options);

// Returns the duration that the option `name` gives as seconds in `text`.
// Throws: UsageError if `text` is not a number or is below `min`.
Duration seconds_option(const std::string& name, const std::string& text, std::optional<Duration> min = {});

// Declares --tau, which tau_option() reads.
void add_tau_option(Options& options);

// Returns the bound of the bounded slowdown that --tau gives.
// Throws: UsageError unless it is a number from 0.000001.
Duration tau_option(const Options& options);

}  // namespace batfill::commands
