#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill {

// What happened to jobs on the machine of a log, to compare schedulers with.
class LogColumn {
 public:
    // Reads a log of SWF, or a jobs.csv such as `batfill import --schedule` writes it.
    // Throws: InputError, which names the file, as runs::read_run().
    explicit LogColumn(const std::string& path);
    // Of the schedule of a log, which its path names.
    // Throws: InputError, which names the path, for two jobs with one id.
    explicit LogColumn(Schedule schedule);

    // The schedule of the jobs of this workload that ran in the log, in the workload's order and time: with their ids,
    // sizes and walltimes there, and the waits and run times of the log.
    // Throws: InputError, which names the job, if jobs were submitted at other times in the log, seen from each other,
    // or if a job of a jobs.csv has another size there. A log of SWF leaves sizes open: the options of its conversion
    // choose them.
    // Cost: O(jobs).
    Schedule of(const Workload& workload) const;
    // As above, for each of them.
    // Throws: InputError, too, if the log has none of their jobs.
    std::vector<Schedule> of(const std::vector<const Workload*>& workloads) const;

 private:
    LogColumn(Schedule schedule, bool sizes_are_known);

    Schedule schedule_;
    bool sizes_are_known_;
    std::unordered_map<std::string, std::size_t> places_;  // by id without zeros before it; only looked up
};

// The jobs that started in a log, by id. Only looked up.
using StartedInLog = std::unordered_set<std::string>;
// Those of a schedule that LogColumn::of() gave.
StartedInLog started_in(const Schedule& of_log);
// Leaves out the other jobs, so that values of all schedules are those of the same jobs. A job that was submitted again
// ("17#1") goes with the first run.
void leave_out_others(Schedule& schedule, const StartedInLog& started);

// The metrics of a schedule that LogColumn::of() gave, as compute_metrics() gives them, without those of resources: a
// log does not say what its jobs took of hosts and pools.
// Requires: `options` say what the machine has.
// Throws: as compute_metrics().
Metrics measure_log(const Schedule& of_log, MetricsOptions options, const std::vector<Workload>& workloads);

}  // namespace batfill
