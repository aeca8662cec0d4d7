#include <algorithm>
#include <cassert>
#include <limits>
#include <queue>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/support/json.hpp"
#include "src/support/place_in_errors.hpp"

namespace batfill {

namespace {

ScheduledJob scheduled(const SwfWorkload& converted, std::size_t place) {
    const JobDescription& description = converted.workload.jobs[place].description;
    const Duration wait = *converted.waits[place];
    const Duration length = converted.workload.profiles.at(description.profile).delay;
    ScheduledJob job;
    job.id = description.id;
    job.submit = description.submit;
    job.walltime = description.walltime;
    job.processors = description.processors;
    job.profile = description.profile;
    job.execution = ExecutionRecord{job.submit + wait, length, job.submit + wait + length, wait, wait + length};
    job.success = converted.workload.believes_walltimes || !job.walltime || length < *job.walltime;
    job.state = job.success ? JobState::completed_successfully : JobState::completed_walltime_reached;
    return job;
}

// Gives each job processors that no other job uses at that time. Returns the maximum number in use at once.
// Requires: `jobs` are sorted by start.
// Throws: InputError, without the path, if there are no more numbers for processors.
int allocate(std::vector<ScheduledJob>& jobs, int processors) {
    constexpr int most_processors = std::numeric_limits<int>::max();
    ResourceSet idle = ResourceSet::range(0, processors - 1);
    int numbered = processors;  // processors 0, 1, ... that exist so far
    int in_use = 0;
    int most_in_use = 0;
    using End = std::pair<Time, std::size_t>;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        ScheduledJob& job = jobs[i];
        for (; !ends.empty() && ends.top().first <= job.execution->start; ends.pop()) {
            const ResourceSet& left = jobs[ends.top().second].allocation;
            idle.insert(left);
            in_use -= left.size();
        }
        if (const int missing = job.processors - idle.size(); missing > 0) {
            if (missing > most_processors - numbered) {
                throw InputError("job " + shown(job.id) + ": expected at most " + std::to_string(most_processors) +
                                 " processors in use at once, found more when it starts");
            }
            idle.insert(ResourceSet::range(numbered, numbered + missing - 1));
            numbered += missing;
        }
        job.allocation = idle.take_lowest(job.processors);
        in_use += job.processors;
        most_in_use = std::max(most_in_use, in_use);
        ends.emplace(job.execution->finish, i);
    }
    return most_in_use;
}

}  // namespace

LoggedSchedule schedule_of_log(const SwfWorkload& converted) {
    assert(converted.waits.size() == converted.workload.jobs.size());
    LoggedSchedule logged;
    logged.schedule.path = converted.workload.path;
    std::vector<ScheduledJob>& jobs = logged.schedule.jobs;
    for (std::size_t place = 0; place < converted.waits.size(); ++place) {
        if (converted.waits[place]) {
            jobs.push_back(scheduled(converted, place));
        } else {
            ++logged.unknown_waits;
        }
    }
    std::ranges::stable_sort(jobs, {}, [](const ScheduledJob& job) { return job.execution->start; });
    logged.most_in_use =
        with_place_in_errors(logged.schedule.path, [&] { return allocate(jobs, converted.workload.processors); });
    std::ranges::stable_sort(jobs, {}, [](const ScheduledJob& job) { return job.execution->finish; });
    return logged;
}

}  // namespace batfill
