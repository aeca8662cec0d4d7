#pragma once

#include <functional>
#include <string>
#include <vector>

#include <batfill/formats/schedule.hpp>
#include <batfill/formats/swf.hpp>
#include <batfill/formats/workload.hpp>

// Schedules and workloads, or logs where a user gives a log.
namespace batfill {

// Hears what may surprise a user.
using Note = std::function<void(const std::string&)>;

// Whether the file is a log in the Standard Workload Format, by its name.
bool is_log(const std::string& path);

// Returns the names of runs in tables, from their jobs.csv or the prefix of their files. "out/easy_jobs.csv" and
// "out/easy" are "easy", or "out/easy" if two runs would have the same label.
std::vector<std::string> run_labels(const std::vector<std::string>& paths);

// Returns the jobs.csv of the run with this prefix: the file of Batsim 4, which batfill writes too; the file of Batsim
// 5; either of them gzipped; or `prefix` itself.
// Throws: InputError if there is none.
std::string jobs_file(const std::string& prefix);

// Reads the schedule of a run, named as for jobs_file(), or of a log in the Standard Workload Format if the name ends
// in .swf or .swf.gz. The schedule of a log is that of `batfill swf --schedule` without further options. `note` hears
// how many jobs that leaves out, if any.
// Throws: InputError, which names the file and place, if it cannot read the schedule, or if that leaves out all jobs.
Schedule read_any_schedule(const std::string& path, const Note& note);

// As above, but passes the jobs to `use` one by one, in their order.
void for_each_job(const std::string& path, const std::function<void(const ScheduledJob&)>& use, const Note& note);

// The rules that dropped jobs, for messages: "5 (run time <= 0 or unknown), 2 (...)", or "none".
std::string reasons_of(const std::vector<RuleCount>& dropped);

// As read_workload_text(); for a log in the Standard Workload Format, the text of the workload that `batfill swf` makes
// of it without further options. `note` then hears what that dropped. Throws: InputError as read_workload_text() and
// read_swf(), and if no job of a log is kept.
std::string any_workload_text(const std::string& path, const Note& note);

// As read_workload().
Workload read_any_workload(const std::string& path, const std::string& name, const Note& note,
                           bool keep_source = false);
// As above, for several, which are named w0, w1, ... in the order given, as by Batsim.
std::vector<Workload> read_any_workloads(const std::vector<std::string>& paths, const Note& note,
                                         bool keep_source = false);

}  // namespace batfill
