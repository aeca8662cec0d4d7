#include "src/simulator/simulated_jobs.hpp"

#include "src/support/interruption.hpp"

namespace batfill {

void describe(const Simulator& simulator, JobNumber number, ScheduledJob& scheduled) {
    look_for_interruption();
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
    const auto metadata = simulator.results().metadata.find(number);
    scheduled.metadata = metadata != simulator.results().metadata.end() ? metadata->second : "";
}

}  // namespace batfill
