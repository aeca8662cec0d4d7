#pragma once

#include <string>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/formats/schedule.hpp>
#include <batfill/simulator/embedded_scheduler.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill {

// The two columns of real time in the schedule's CSV, in seconds.
struct RealTimes {
    double scheduling = 0;
    double simulation = 0;
};

// The times of a job that ran, as Batsim reports them.
struct ReportedTimes {
    Duration run;
    Time finish;
    Duration wait;
    Duration turnaround;

    explicit ReportedTimes(const SimulatedJob& job)
        : run(job.end == job.start ? shown_for_no_time : job.end - job.start),
          finish(job.start + run),
          wait(job.start - job.job->description.submit),
          turnaround(wait + run) {}
};

// What happened to a job that ended.
ScheduledJob scheduled_job(const Simulator& simulator, JobNumber number);
// As above, in an object that may have described another job.
void describe(const Simulator& simulator, JobNumber number, ScheduledJob& scheduled);

// The broken guarantees of the jobs of PREFIX_jobs.csv, in the order in which they broke.
std::vector<BrokenGuarantee> broken_guarantees(const Simulator& simulator, const EmbeddedScheduler& scheduler);

// The output of one run. `scheduler` is null if it is behind a socket; then its statistics and guarantees are unknown.
struct RunResults {
    const Simulator& simulator;
    const EmbeddedScheduler* scheduler = nullptr;
    std::vector<Statistic> statistics;
    RealTimes real_times;
};

// Writes the files of a run, all or none, and returns their paths:
// - PREFIX_jobs.csv and PREFIX_schedule.csv, with the columns, order and meaning of Batsim 4.2.1 (docs/simulator.md
//   lists them)
// - PREFIX_statistics.csv (statistic, value), if the algorithm has statistics
// - PREFIX_guarantees.csv, if the scheduler gives guarantees: the guaranteed start of each job at its submission, and
//   its actual start
// - PREFIX_broken_guarantees.csv, if the machine also changes
//
// With the files of Batsim 5 (SimulatorRules) there is no _ after the prefix, and the schedule is a JSON file. Removes
// files of an earlier run that this run does not write.
// Throws: InputError if a file cannot be written.
// Cost: O(jobs).
std::vector<std::string> write_results(const RunResults& results, const std::string& prefix);

}  // namespace batfill
