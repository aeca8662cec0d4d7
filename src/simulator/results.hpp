#pragma once

#include <string>
#include <vector>

#include <batfill/algorithm.hpp>
#include <batfill/embedded_scheduler.hpp>
#include <batfill/guarantees.hpp>
#include <batfill/schedule.hpp>
#include <batfill/simulator.hpp>

namespace batfill {

// What the two columns of real time of the schedule's CSV hold, in seconds.
struct RealTimes {
    double scheduling = 0;
    double simulation = 0;
};

// The times of a job that has run, as Batsim reports them.
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

// What became of a job that has ended.
ScheduledJob scheduled_job(const SimulatedJob& job);
// The same in an object that may have described another job before.
void describe(const SimulatedJob& job, ScheduledJob& scheduled);

// Writes PREFIX_jobs.csv and PREFIX_schedule.csv with the columns, order and meaning of Batsim 4.2.1 (docs/simulator.md
// lists them), each whole or not at all. Throws InputError if a file cannot be written. O(jobs).
void write_results(const Simulator& simulator, const std::string& prefix, const RealTimes& real_times);

// Writes what the algorithm has counted to PREFIX_statistics.csv (statistic, value), whole or not at all. If the
// algorithm counts nothing, a file that an earlier run left there is removed.
void write_statistics(const std::vector<Statistic>& statistics, const std::string& prefix);

// Writes what each job of PREFIX_jobs.csv was promised when it was submitted, and when it started, to
// PREFIX_guarantees.csv (docs/simulator.md), whole or not at all. If `scheduler` is null or gives no guarantees, a file
// that an earlier run left there is removed. O(jobs).
void write_guarantees(const Simulator& simulator, const EmbeddedScheduler* scheduler, const std::string& prefix);

// The broken guarantees of the jobs of PREFIX_jobs.csv, in the order in which they broke.
std::vector<BrokenGuarantee> broken_guarantees(const Simulator& simulator, const EmbeddedScheduler& scheduler);

// Writes them to PREFIX_broken_guarantees.csv, whole or not at all. If the machine did not change in the scenario, or
// `scheduler` is null or gives no guarantees, a file that an earlier run left there is removed. O(jobs).
void write_broken_guarantees(const Simulator& simulator, const EmbeddedScheduler* scheduler, const std::string& prefix);

}  // namespace batfill
