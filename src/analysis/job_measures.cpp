#include "job_measures.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <tuple>

namespace batfill::analysis {

namespace {

std::optional<double> mean_seconds(const std::vector<Duration>& durations) {
    if (durations.empty()) {
        return std::nullopt;
    }
    Duration sum;
    for (const Duration duration : durations) {
        sum = sum + duration;
    }
    return ratio(sum, Duration::seconds(static_cast<long long>(durations.size())));
}

std::vector<Duration> waits(const FinishedJobs& jobs) {
    std::vector<Duration> result(jobs.size());
    std::transform(jobs.begin(), jobs.end(), result.begin(), wait);
    return result;
}

std::vector<double> stretches(const FinishedJobs& jobs) {
    std::vector<double> result;
    result.reserve(jobs.size());
    for (const FinishedJob& job : jobs) {
        if (const std::optional<double> value = stretch(job)) {
            result.push_back(*value);
        }
    }
    return result;
}

// Keeps the first `percent` of `values` in the given order, rounded up, and drops the others.
template <class Value, class Before>
void keep_first(std::vector<Value>& values, std::size_t percent, Before before) {
    const std::size_t count = (values.size() * percent + 99) / 100;
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), before);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(count), values.end());
}

std::vector<double> bounded_slowdowns(const FinishedJobs& jobs, Duration tau) {
    std::vector<double> slowdowns;
    slowdowns.reserve(jobs.size());
    for (const FinishedJob& job : jobs) {
        slowdowns.push_back(bounded_slowdown(job, tau));
    }
    return slowdowns;
}

// The smallest value that at least `percent` of the values do not exceed.
template <class Value>
std::optional<Value> percentile(std::vector<Value> values, std::size_t percent) {
    assert(percent > 0 && percent <= 100);
    if (values.empty()) {
        return std::nullopt;
    }
    const std::size_t rank = (values.size() * percent + 99) / 100;
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

}  // namespace

FinishedJob finished_job(const ScheduledJob& job) {
    assert(job.finished());
    return {job.id,       job.processors,       job.allocation.size(), job.submit,
            job.walltime, job.execution->start, job.execution->length, job.execution->finish};
}

std::optional<double> stretch(const FinishedJob& job) {
    if (!job.walltime || *job.walltime <= Duration()) {
        return std::nullopt;
    }
    return ratio(wait(job) + *job.walltime, *job.walltime);
}

std::optional<double> slowdown(const FinishedJob& job) {
    return job.run > Duration() ? std::optional(ratio(wait(job) + job.run, job.run)) : std::nullopt;
}

bool is_wider(const FinishedJob& a, const FinishedJob& b) {
    return std::tie(b.processors, a.submit, a.id) < std::tie(a.processors, b.submit, b.id);
}

double bounded_slowdown(const FinishedJob& job, Duration tau) {
    return std::max(ratio(wait(job) + job.run, std::max(job.run, tau)), 1.0);
}

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

std::optional<double> mean_wait(const FinishedJobs& jobs) {
    return mean_seconds(waits(jobs));
}

std::optional<double> max_wait(const FinishedJobs& jobs) {
    const std::vector<Duration> all = waits(jobs);
    return all.empty() ? std::nullopt : std::optional(std::max_element(all.begin(), all.end())->to_seconds());
}

std::optional<double> wait_percentile(const FinishedJobs& jobs, std::size_t percent) {
    const std::optional<Duration> found = percentile(waits(jobs), percent);
    return found ? std::optional(found->to_seconds()) : std::nullopt;
}

std::optional<double> mean_wait_of_worst(const FinishedJobs& jobs, std::size_t percent) {
    std::vector<Duration> longest = waits(jobs);
    keep_first(longest, percent, std::greater<>());
    return mean_seconds(longest);
}

std::optional<double> mean_wait_of_widest(const FinishedJobs& jobs, std::size_t percent) {
    std::vector<const FinishedJob*> widest(jobs.size());
    std::transform(jobs.begin(), jobs.end(), widest.begin(), [](const FinishedJob& job) { return &job; });
    keep_first(widest, percent, [](const FinishedJob* a, const FinishedJob* b) { return is_wider(*a, *b); });
    std::vector<Duration> their_waits(widest.size());
    std::transform(widest.begin(), widest.end(), their_waits.begin(),
                   [](const FinishedJob* job) { return wait(*job); });
    return mean_seconds(their_waits);
}

std::optional<double> mean_stretch(const FinishedJobs& jobs) {
    return mean(stretches(jobs));
}

std::optional<double> max_stretch(const FinishedJobs& jobs) {
    const std::vector<double> all = stretches(jobs);
    return all.empty() ? std::nullopt : std::optional(*std::max_element(all.begin(), all.end()));
}

std::optional<double> mean_slowdown(const FinishedJobs& jobs) {
    std::vector<double> slowdowns;
    slowdowns.reserve(jobs.size());
    for (const FinishedJob& job : jobs) {
        if (const std::optional<double> value = slowdown(job)) {
            slowdowns.push_back(*value);
        }
    }
    return mean(slowdowns);
}

std::optional<double> mean_bounded_slowdown(const FinishedJobs& jobs, Duration tau) {
    return mean(bounded_slowdowns(jobs, tau));
}

std::optional<double> bounded_slowdown_percentile(const FinishedJobs& jobs, Duration tau, std::size_t percent) {
    return percentile(bounded_slowdowns(jobs, tau), percent);
}

std::optional<double> makespan(const FinishedJobs& jobs) {
    if (jobs.empty()) {
        return std::nullopt;
    }
    Time last = jobs.front().finish;
    for (const FinishedJob& job : jobs) {
        last = std::max(last, job.finish);
    }
    return last.to_seconds();
}

std::optional<Duration> span_of(const FinishedJobs& jobs) {
    Time first_submission = Time::infinity();
    Time last_completion = Time::at(-Duration::infinity());
    for (const FinishedJob& job : jobs) {
        first_submission = std::min(first_submission, job.submit);
        last_completion = std::max(last_completion, job.finish);
    }
    return last_completion > first_submission ? std::optional(last_completion - first_submission) : std::nullopt;
}

}  // namespace batfill::analysis
