#include "steps.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace batfill::analysis {

namespace {

// The sum of the waits, each as often as `weight` says, over the time of the run. It is the mean over time of what the
// waiting jobs weigh together, as each of them adds its weight for as long as it waits.
template <class Weight>
std::optional<double> mean_of_waiting(const FinishedJobs& jobs, Weight weight) {
    const std::optional<Duration> span = span_of(jobs);
    if (!span) {
        return std::nullopt;
    }
    Duration sum;
    for (const FinishedJob& job : jobs) {
        sum = sum + wait(job) * weight(job);
    }
    return ratio(sum, *span);
}

// What changes at an instant because of one job.
struct Change {
    Time at;
    int busy = 0;
    int waiting = 0;
    int requested = 0;
};

// Calls `visit` with each step of the jobs, in the order of time; only the changes are in memory meanwhile.
template <class Visit>
void walk_steps(const FinishedJobs& jobs, Visit visit) {
    std::vector<Change> changes;
    changes.reserve(jobs.size() * 3);
    for (const FinishedJob& job : jobs) {
        changes.push_back({job.submit, 0, 1, job.processors});
        changes.push_back({job.start, job.allocated, -1, -job.processors});
        changes.push_back({job.start + job.run, -job.allocated, 0, 0});
    }
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
    Step before;
    Step now;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        now = {changes[i].at, now.busy + changes[i].busy, now.waiting + changes[i].waiting,
               now.requested + changes[i].requested};
        const bool instant_over = i + 1 == changes.size() || changes[i + 1].at != now.at;
        before.at = now.at;
        if (instant_over && now != before) {
            visit(now);
            before = now;
        }
    }
}

std::optional<double> most(const FinishedJobs& jobs, long long Step::*of) {
    if (jobs.empty()) {
        return std::nullopt;
    }
    long long found = 0;
    walk_steps(jobs, [&](const Step& step) { found = std::max(found, step.*of); });
    return static_cast<double>(found);
}

}  // namespace

std::vector<Step> steps_of(const FinishedJobs& jobs) {
    std::vector<Step> steps;
    walk_steps(jobs, [&](const Step& step) { steps.push_back(step); });
    return steps;
}

std::optional<double> mean_queue_length(const FinishedJobs& jobs) {
    return mean_of_waiting(jobs, [](const FinishedJob&) { return 1; });
}

std::optional<double> mean_queued_processors(const FinishedJobs& jobs) {
    return mean_of_waiting(jobs, [](const FinishedJob& job) { return job.processors; });
}

std::optional<double> max_queue_length(const FinishedJobs& jobs) {
    return most(jobs, &Step::waiting);
}

std::optional<double> max_queued_processors(const FinishedJobs& jobs) {
    return most(jobs, &Step::requested);
}

std::optional<double> lost_capacity(const FinishedJobs& jobs, int processors) {
    assert(processors > 0);
    const std::optional<Duration> span = span_of(jobs);
    if (!span) {
        return std::nullopt;
    }
    Duration lost;  // of all processors together
    std::optional<Step> before;
    walk_steps(jobs, [&](const Step& step) {
        if (before) {
            // Schedules of others may have jobs that start before their submission, or more processors in use than
            // there are; neither makes anything less lost at another instant.
            const long long idle = std::max(0LL, processors - before->busy);
            const long long wanted = std::max(0LL, before->requested);
            lost = lost + (step.at - before->at) * std::min(idle, wanted);
        }
        before = step;
    });
    return ratio(lost, *span * processors);
}

}  // namespace batfill::analysis
