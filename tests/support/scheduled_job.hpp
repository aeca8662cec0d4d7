#pragma once

#include <optional>
#include <string>

#include <batfill/formats/schedule.hpp>
#include <batfill/formats/workload.hpp>

namespace batfill::tests {

// A job that ran correctly on `processors` processors from `start`. Times are in seconds.
inline ScheduledJob job(const std::string& id, long long submit, long long start, long long run, int processors = 1,
                        std::optional<long long> walltime = std::nullopt) {
    ScheduledJob result;
    result.id = "w0!" + id;
    result.submit = Time::seconds(submit);
    result.processors = processors;
    if (walltime) {
        result.walltime = Duration::seconds(*walltime);
    }
    result.execution = ExecutionRecord{Time::seconds(start), Duration::seconds(run), Time::seconds(start + run),
                                       Duration::seconds(start - submit), Duration::seconds(start + run - submit)};
    result.allocation = ResourceSet::range(0, processors - 1);
    return result;
}

// Adds the workload's job for `scheduled`.
inline WorkloadJob& add_job_of(const ScheduledJob& scheduled, Workload& workload) {
    WorkloadJob& added = workload.jobs.emplace_back();
    added.description.id = scheduled.id;
    added.description.submit = scheduled.submit;
    added.description.processors = scheduled.processors;
    return added;
}

}  // namespace batfill::tests
