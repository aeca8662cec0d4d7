#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

#include <batfill/error.hpp>
#include <batfill/metrics.hpp>

#include "job_index.hpp"
#include "job_measures.hpp"

namespace batfill {

namespace {

using analysis::ratio;
using analysis::wait;
using Jobs = std::vector<const ScheduledJob*>;

Duration run(const ScheduledJob& job) {
    return job.execution->length;
}

std::optional<double> mean(const std::vector<Duration>& durations) {
    if (durations.empty()) {
        return std::nullopt;
    }
    Duration sum;
    for (const Duration duration : durations) {
        sum = sum + duration;
    }
    return ratio(sum, Duration::seconds(static_cast<long long>(durations.size())));
}

// Sums of doubles depend on the order of the terms, so they are always added from the smallest up.
double sum(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double total = 0;
    for (const double value : values) {
        total += value;
    }
    return total;
}

std::optional<double> mean(const std::vector<double>& values) {
    return values.empty() ? std::nullopt : std::optional(sum(values) / static_cast<double>(values.size()));
}

std::optional<double> max(const std::vector<double>& values) {
    return values.empty() ? std::nullopt : std::optional(*std::max_element(values.begin(), values.end()));
}

// `percent` of `count`, rounded up: at least one of any that there are.
std::ptrdiff_t share(std::size_t count, std::size_t percent) {
    return static_cast<std::ptrdiff_t>((count * percent + 99) / 100);
}

std::vector<Duration> waits(const Jobs& jobs) {
    std::vector<Duration> result;
    result.reserve(jobs.size());
    std::transform(jobs.begin(), jobs.end(), std::back_inserter(result), [](const auto* job) { return wait(*job); });
    return result;
}

std::vector<double> stretches(const Jobs& jobs) {
    std::vector<double> result;
    for (const ScheduledJob* job : jobs) {
        if (const std::optional<double> value = analysis::stretch(*job)) {
            result.push_back(*value);
        }
    }
    return result;
}

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

void measure_waits(const Jobs& jobs, Metrics& metrics) {
    std::vector<Duration> longest_first = waits(jobs);
    if (longest_first.empty()) {
        return;
    }
    std::sort(longest_first.begin(), longest_first.end(), std::greater<>());
    const auto worst = [&](std::size_t percent) {
        return mean(std::vector(longest_first.begin(), longest_first.begin() + share(longest_first.size(), percent)));
    };
    metrics.mean_wait = worst(100);
    metrics.mean_wait_worst_5_percent = worst(5);
    metrics.mean_wait_worst_1_percent = worst(1);
    metrics.max_wait = longest_first.front().to_seconds();

    // Which of the equally wide jobs count must not depend on the schedule.
    Jobs widest_first = jobs;
    std::sort(widest_first.begin(), widest_first.end(), [](const ScheduledJob* a, const ScheduledJob* b) {
        return std::tie(b->processors, a->submit, a->id) < std::tie(a->processors, b->submit, b->id);
    });
    widest_first.resize(static_cast<std::size_t>(share(jobs.size(), 10)));
    metrics.mean_wait_widest_10_percent = mean(waits(widest_first));
}

void measure_ratios(const Jobs& jobs, Duration tau, Metrics& metrics) {
    std::vector<double> slowdowns;
    std::vector<double> bounded_slowdowns;
    for (const ScheduledJob* job : jobs) {
        const Duration turnaround = wait(*job) + run(*job);
        if (run(*job) > Duration()) {
            slowdowns.push_back(ratio(turnaround, run(*job)));
        }
        bounded_slowdowns.push_back(std::max(ratio(turnaround, std::max(run(*job), tau)), 1.0));
    }
    const std::vector<double> all_stretches = stretches(jobs);
    metrics.mean_stretch = mean(all_stretches);
    metrics.max_stretch = max(all_stretches);
    metrics.mean_slowdown = mean(slowdowns);
    metrics.mean_bounded_slowdown = mean(bounded_slowdowns);
}

void measure_machine(const Jobs& jobs, std::optional<int> processors, Metrics& metrics) {
    if (jobs.empty()) {
        return;
    }
    Time first_submission = Time::infinity();
    Time last_completion = jobs.front()->execution->finish;
    std::vector<double> busy;
    busy.reserve(jobs.size());
    for (const ScheduledJob* job : jobs) {
        first_submission = std::min(first_submission, job->submit);
        last_completion = std::max(last_completion, job->execution->finish);
        busy.push_back(static_cast<double>(job->allocation.size()) * run(*job).to_seconds());
    }
    metrics.makespan = last_completion.to_seconds();
    if (processors && last_completion > first_submission) {
        const double offered = static_cast<double>(*processors) * (last_completion - first_submission).to_seconds();
        metrics.utilisation = sum(busy) / offered;
    }
}

struct DeadlineJob {
    const ScheduledJob* job;
    Time deadline;
};

void measure_regular(const Jobs& jobs, DeadlineMetrics& metrics) {
    const std::vector<double> all_stretches = stretches(jobs);
    metrics.regular_jobs = jobs.size();
    metrics.mean_wait_regular = mean(waits(jobs));
    metrics.mean_stretch_regular = mean(all_stretches);
    metrics.max_stretch_regular = max(all_stretches);
}

void count_deadline_jobs(const std::vector<DeadlineJob>& jobs, Duration short_deadline, DeadlineMetrics& metrics) {
    metrics.jobs = jobs.size();
    for (const auto& [job, deadline] : jobs) {
        const bool is_short = deadline - job->submit <= short_deadline;
        const bool violation = job->execution->finish > deadline;
        metrics.jobs_short += is_short ? 1U : 0U;
        metrics.jobs_started_at_once += wait(*job) <= Duration() ? 1U : 0U;
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
        const Duration used = job->execution->finish - job->submit;
        const Duration allowed = deadline - job->submit;
        if (allowed <= Duration()) {
            continue;
        }
        usages.push_back(ratio(used, allowed));
        if (wait(*job) > Duration()) {
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
    Jobs without_deadlines(jobs.size());
    std::transform(jobs.begin(), jobs.end(), without_deadlines.begin(), [](const DeadlineJob& job) { return job.job; });
    const std::vector<double> all_stretches = stretches(without_deadlines);
    metrics.mean_wait = mean(waits(without_deadlines));
    metrics.mean_stretch = mean(all_stretches);
    metrics.max_stretch = max(all_stretches);
}

DeadlineMetrics measure_deadlines(const Schedule& schedule, Duration short_deadline,
                                  const std::vector<Workload>& workloads, const JobIds* counted_regular) {
    const analysis::JobIndex submitted(workloads);
    DeadlineMetrics metrics;
    Jobs regular;
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
            deadline_jobs.push_back({&job, *deadline});
        } else if (counted_regular == nullptr || counted_regular->contains(job.id)) {
            regular.push_back(&job);
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
    Jobs finished;
    for (const ScheduledJob& job : schedule.jobs) {
        if (job.finished()) {
            finished.push_back(&job);
        }
    }
    Metrics metrics;
    count_states(schedule, metrics);
    measure_waits(finished, metrics);
    measure_ratios(finished, options.tau, metrics);
    measure_machine(finished, options.processors, metrics);
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
