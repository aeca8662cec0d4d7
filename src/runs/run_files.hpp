#pragma once

#include <functional>
#include <string>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/formats/schedule.hpp>

#include "src/workloads/named_workload.hpp"

// Runs as users name them: by their jobs.csv, by the prefix of their files, or by a log in the Standard Workload
// Format. The schedule of a log is that of `batfill swf --schedule` without further options.
namespace batfill::runs {

// Returns the names of runs in tables. "out/easy_jobs.csv" and "out/easy" are "easy", or "out/easy" if two runs would
// have the same label, or else the whole path.
std::vector<std::string> run_labels(const std::vector<std::string>& paths);

// Returns the jobs.csv of the run with this prefix: the file of Batsim 4, which batfill writes too; the file of Batsim
// 5; either of them gzipped; or `prefix` itself, which may be a log.
// Throws: InputError if there is none.
std::string jobs_file(const std::string& prefix);

// Returns the eligible.csv of a run, plain or gzipped, which lies beside its jobs.csv.
// Throws: InputError, which names it, if there is none: only `simulate` writes it, for jobs that wait for others.
std::string eligible_file(const std::string& prefix);

// Reads the schedule of a run. `note` hears how many jobs of a log have no place in it, if any.
// Throws: InputError, which names the file and place, if it cannot read the schedule, if a jobs.csv has jobs that
// cannot have happened (TakenJobs::possible), or if a log has no job for it.
Schedule read_run(const std::string& path, const Note& note);

// As above, for a schedule that is only measured.
MeasuredSchedule read_measured_run(const std::string& path, const Note& note, const Resources& machine = {});

// Checks that the machine of `options`, if known, has all processors of the run at `path`. The schedule of a log may
// use more, because its machine changed: `note` then hears how many.
// Throws: InputError as require_machine_of(), for a run that is no log.
void require_machine_of_run(const std::string& path, const MeasuredSchedule& schedule, const MetricsOptions& options,
                            const Note& note);

// As read_run(), but passes the jobs to `use` one by one, in their order, and takes all jobs of a jobs.csv: for audits.
void for_each_job(const std::string& path, const std::function<void(const ScheduledJob&)>& use, const Note& note);

}  // namespace batfill::runs
