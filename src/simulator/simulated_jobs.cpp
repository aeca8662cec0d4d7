#include "simulated_jobs.hpp"

namespace batfill {

ScheduledJob scheduled_job(const Simulator& simulator, JobNumber number) {
    ScheduledJob scheduled;
    describe(simulator, number, scheduled);
    return scheduled;
}

void describe(const Simulator& simulator, JobNumber number, ScheduledJob& scheduled) {
    const SimulatedJob& job = simulator.job(number);
    const JobDescription& description = job.job->description;
    scheduled.id = description.id;
    scheduled.submit = description.submit;
    scheduled.processors = description.processors;
    scheduled.walltime = description.walltime;
    scheduled.state = job.state;
    scheduled.success = job.state == JobState::completed_successfully;
    if (job.state != JobState::rejected) {
        const ReportedTimes times(job);
        scheduled.execution = {job.start, times.run, times.finish, times.wait, times.turnaround};
        scheduled.allocation = job.allocation;
    } else {
        scheduled.execution.reset();
        scheduled.allocation.clear();
    }
    scheduled.profile = description.profile;
    scheduled.metadata = simulator.metadata(number);
}

}  // namespace batfill
