#include <algorithm>
#include <vector>

#include <batfill/error.hpp>
#include <batfill/metrics.hpp>

#include "job_index.hpp"
#include "job_measures.hpp"

namespace batfill {

namespace {

using analysis::finished_job;
using analysis::FinishedJobs;
using analysis::mean;
using analysis::ratio;
using analysis::wait;

void count_states(const Schedule& schedule, Metrics& metrics) {
    const auto count = [&](FinalState state) {
        return static_cast<std::size_t>(std::count_if(schedule.jobs.begin(), schedule.jobs.end(),
                                                      [&](const ScheduledJob& job) { return job.state == state; }));
    };
    metrics.jobs = schedule.jobs.size();
    metrics.rejected = count(FinalState::rejected);
    metrics.unfinished = count(FinalState::unfinished);
    metrics.finished = metrics.jobs - metrics.rejected - metrics.unfinished;
    metrics.walltime_reached = count(FinalState::walltime_reached);
    metrics.killed = count(FinalState::killed);
    metrics.failed = count(FinalState::failed);
}

std::optional<double> utilisation(const FinishedJobs& jobs, int processors) {
    Time first_submission = Time::infinity();
    Time last_completion = Time::at(-Duration::infinity());
    std::vector<double> busy;
    busy.reserve(jobs.size());
    for (const FinishedJob& job : jobs) {
        first_submission = std::min(first_submission, job.submit);
        last_completion = std::max(last_completion, job.finish);
        busy.push_back(static_cast<double>(job.allocated) * job.run.to_seconds());
    }
    if (last_completion <= first_submission) {
        return std::nullopt;
    }
    const double offered = static_cast<double>(processors) * (last_completion - first_submission).to_seconds();
    return analysis::sum(busy) / offered;
}

struct DeadlineJob {
    FinishedJob job;
    Time deadline;
};

void measure_regular(const FinishedJobs& jobs, DeadlineMetrics& metrics) {
    metrics.regular_jobs = jobs.size();
    metrics.mean_wait_regular = analysis::mean_wait(jobs);
    metrics.mean_stretch_regular = analysis::mean_stretch(jobs);
    metrics.max_stretch_regular = analysis::max_stretch(jobs);
}

void count_deadline_jobs(const std::vector<DeadlineJob>& jobs, Duration short_deadline, DeadlineMetrics& metrics) {
    metrics.jobs = jobs.size();
    for (const auto& [job, deadline] : jobs) {
        const bool is_short = deadline - job.submit <= short_deadline;
        const bool violation = job.finish > deadline;
        metrics.jobs_short += is_short ? 1U : 0U;
        metrics.jobs_started_at_once += wait(job) <= Duration() ? 1U : 0U;
        metrics.violations_short += violation && is_short ? 1U : 0U;
        metrics.violations_long += violation && !is_short ? 1U : 0U;
    }
    metrics.violations = metrics.violations_short + metrics.violations_long;
}

void measure_usage(const std::vector<DeadlineJob>& jobs, DeadlineMetrics& metrics) {
    std::vector<double> usages;
    std::vector<double> usages_delayed;
    std::size_t above_80_percent = 0;
    for (const auto& [job, deadline] : jobs) {
        const Duration used = job.finish - job.submit;
        const Duration allowed = deadline - job.submit;
        if (allowed <= Duration()) {
            continue;
        }
        usages.push_back(ratio(used, allowed));
        if (wait(job) > Duration()) {
            usages_delayed.push_back(usages.back());
        }
        above_80_percent += used * 100 > allowed * 80 ? 1U : 0U;
    }
    metrics.mean_usage = mean(usages);
    metrics.mean_usage_delayed = mean(usages_delayed);
    if (!usages.empty()) {
        metrics.share_usage_above_80_percent =
            static_cast<double>(above_80_percent) / static_cast<double>(usages.size());
    }
}

void measure_deadline_jobs(const std::vector<DeadlineJob>& jobs, Duration short_deadline, DeadlineMetrics& metrics) {
    count_deadline_jobs(jobs, short_deadline, metrics);
    measure_usage(jobs, metrics);
    FinishedJobs without_deadlines(jobs.size());
    std::transform(jobs.begin(), jobs.end(), without_deadlines.begin(), [](const DeadlineJob& job) { return job.job; });
    metrics.mean_wait = analysis::mean_wait(without_deadlines);
    metrics.mean_stretch = analysis::mean_stretch(without_deadlines);
    metrics.max_stretch = analysis::max_stretch(without_deadlines);
}

DeadlineMetrics measure_deadlines(const Schedule& schedule, Duration short_deadline,
                                  const std::vector<Workload>& workloads, const JobIds* counted_regular) {
    const analysis::JobIndex submitted(workloads);
    DeadlineMetrics metrics;
    FinishedJobs regular;
    std::vector<DeadlineJob> deadline_jobs;
    for (const ScheduledJob& job : schedule.jobs) {
        const analysis::IndexedJob* found = submitted.find(job.id);
        if (found == nullptr) {
            throw InputError(schedule.path + ": job " + job.id + " is in none of the workloads");
        }
        if (!job.finished()) {
            continue;
        }
        if (const std::optional<Time>& deadline = found->description->deadline) {
            deadline_jobs.push_back({finished_job(job), *deadline});
        } else if (counted_regular == nullptr || counted_regular->contains(job.id)) {
            regular.push_back(finished_job(job));
        } else {
            ++metrics.regular_jobs_left_out;
        }
    }
    measure_regular(regular, metrics);
    measure_deadline_jobs(deadline_jobs, short_deadline, metrics);
    return metrics;
}

}  // namespace

Metrics compute_metrics(const Schedule& schedule, const MetricsOptions& options, const std::vector<Workload>& workloads,
                        const JobIds* counted_regular) {
    FinishedJobs finished;
    for (const ScheduledJob& job : schedule.jobs) {
        if (job.finished()) {
            finished.push_back(finished_job(job));
        }
    }
    Metrics metrics;
    count_states(schedule, metrics);
    metrics.mean_wait = analysis::mean_wait(finished);
    metrics.max_wait = analysis::max_wait(finished);
    metrics.mean_wait_worst_5_percent = analysis::mean_wait_of_worst(finished, 5);
    metrics.mean_wait_worst_1_percent = analysis::mean_wait_of_worst(finished, 1);
    metrics.mean_wait_widest_10_percent = analysis::mean_wait_of_widest(finished, 10);
    metrics.mean_stretch = analysis::mean_stretch(finished);
    metrics.max_stretch = analysis::max_stretch(finished);
    metrics.mean_slowdown = analysis::mean_slowdown(finished);
    metrics.mean_bounded_slowdown = analysis::mean_bounded_slowdown(finished, options.tau);
    metrics.makespan = analysis::makespan(finished);
    if (options.processors) {
        metrics.utilisation = utilisation(finished, *options.processors);
    }
    if (!workloads.empty()) {
        metrics.deadlines = measure_deadlines(schedule, options.short_deadline, workloads, counted_regular);
    }
    return metrics;
}

WaitImprovement improvement_over(const Metrics& baseline, const Metrics& run) {
    const auto improvement = [&](std::optional<double> Metrics::*wait) -> std::optional<double> {
        const std::optional<double> before = baseline.*wait;
        const std::optional<double> after = run.*wait;
        return before && after && *before > 0 ? std::optional((*before - *after) / *before) : std::nullopt;
    };
    return {improvement(&Metrics::mean_wait), improvement(&Metrics::mean_wait_worst_5_percent),
            improvement(&Metrics::mean_wait_worst_1_percent), improvement(&Metrics::mean_wait_widest_10_percent)};
}

}  // namespace batfill
