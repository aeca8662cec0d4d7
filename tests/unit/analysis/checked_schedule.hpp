#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <batfill/analysis/check_schedule.hpp>

// A schedule with its inputs, which the audit tests spoil.
namespace batfill::tests::checked_schedule {

struct Case {
    Schedule schedule;
    std::vector<Workload> workloads;
    Platform platform;
};

inline Platform machine(int processors) {
    Platform platform;
    platform.hosts.resize(static_cast<std::size_t>(processors));
    return platform;
}

// Adds a job to the workload and the schedule. It runs on `allocation` from `start`, for as long as its delay and
// walltime say.
inline ScheduledJob& add(Case& run, const std::string& id, Time submit, Time start, Duration delay,
                         std::optional<Duration> walltime, const ResourceSet& allocation) {
    Workload& workload = run.workloads.at(0);
    JobProfile profile;
    profile.type = JobProfile::Type::delay;
    profile.delay = delay;
    workload.profiles["p" + id] = profile;
    JobDescription& description = workload.jobs.emplace_back().description;
    description.id = "w0!" + id;
    description.submit = submit;
    description.processors = allocation.size();
    description.walltime = walltime;
    description.profile = "p" + id;

    ScheduledJob job;
    job.id = description.id;
    job.submit = submit;
    job.processors = allocation.size();
    job.walltime = walltime;
    const bool reaches_walltime = walltime && delay >= *walltime;
    job.state = reaches_walltime ? JobState::completed_walltime_reached : JobState::completed_successfully;
    job.success = !reaches_walltime;
    const Duration length = reaches_walltime ? *walltime : delay;
    job.execution = ExecutionRecord{start, length, start + length, start - submit, start + length - submit};
    job.allocation = allocation;
    run.schedule.jobs.push_back(job);
    return run.schedule.jobs.back();
}

inline Case empty_case(int processors) {
    return {{"run_jobs.csv", {}}, std::vector<Workload>(1), machine(processors)};
}

inline Duration seconds(long long s) {
    return Duration::seconds(s);
}

// Three jobs on four processors. The second directly follows the first on the same processors.
inline Case small_case() {
    Case run = empty_case(4);
    add(run, "a", Time(), Time(), seconds(10), seconds(20), ResourceSet::range(0, 1));
    add(run, "b", Time(), Time::seconds(10), seconds(10), seconds(10), ResourceSet::range(0, 1));
    add(run, "c", Time::seconds(5), Time::seconds(5), seconds(10), std::nullopt, ResourceSet::range(2, 3));
    return run;
}

inline std::vector<std::string> violations(const Case& run, const CheckOptions& options = {}) {
    std::vector<std::string> texts;
    for (const Violation& violation : check_schedule(run.schedule, run.workloads, run.platform, options).violations) {
        texts.push_back(violation.text);
    }
    return texts;
}

using Texts = std::vector<std::string>;

inline void reject(ScheduledJob& job) {
    job.state = JobState::rejected;
    job.success = false;
    job.execution.reset();
    job.allocation.clear();
}

inline void shift(ScheduledJob& job, Duration by) {
    job.execution->start = job.execution->start + by;
    job.execution->finish = job.execution->finish + by;
    job.execution->wait = job.execution->wait + by;
    job.execution->turnaround = job.execution->turnaround + by;
}

}  // namespace batfill::tests::checked_schedule
