#pragma once

#include <batfill/formats/schedule.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill {

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

}  // namespace batfill
