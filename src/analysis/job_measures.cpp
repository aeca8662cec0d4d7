#include "src/analysis/job_measures.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <tuple>

#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::analysis {

namespace {

double to_number(Duration wait) {
    return wait.to_seconds();
}
double to_number(double value) {
    return value;
}

template <class Value>
std::optional<double> statistic_of(std::vector<Value> values, const JobStatistic& statistic) {
    assert(statistic.percent > 0 && statistic.percent <= 100);
    if (values.empty()) {
        return std::nullopt;
    }
    const std::size_t share = statistic.share_of(values.size());
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(share) - 1;
    if (statistic.kind == JobStatistic::Kind::percentile) {
        std::nth_element(values.begin(), last, values.end());
        return to_number(*last);
    }
    if (statistic.kind == JobStatistic::Kind::worst) {
        std::nth_element(values.begin(), last, values.end(), std::greater<>());
        values.resize(share);
    }
    return mean(values);
}

FinishedJobs widest_of(const FinishedJobs& jobs, std::size_t count) {
    std::vector<const FinishedJob*> widest = mapped(jobs, [](const FinishedJob& job) { return &job; });
    const auto end = widest.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(widest.begin(), end, widest.end(),
                     [](const FinishedJob* a, const FinishedJob* b) { return is_wider(*a, *b); });
    widest.erase(end, widest.end());
    return mapped(widest, [](const FinishedJob* job) { return *job; });
}

}  // namespace

FinishedJob finished_job(const ScheduledJob& job) {
    assert(job.finished());
    return {job.id,
            job.processors,
            job.allocation.size(),
            0,
            job.submit,
            job.walltime,
            job.execution->start,
            job.execution->length,
            job.execution->finish};
}

bool is_wider(const FinishedJob& a, const FinishedJob& b) {
    return std::tie(b.processors, a.submit, a.id) < std::tie(a.processors, b.submit, b.id);
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

std::optional<double> mean(const std::vector<Duration>& values) {
    const auto count = static_cast<long long>(values.size());
    return values.empty() ? std::nullopt
                          : std::optional(ratio(std::accumulate(values.begin(), values.end(), Duration()),
                                                Duration::seconds(count)));
}

std::optional<double> measure(const FinishedJob& job, JobMeasure what, Duration tau) {
    const auto with_wait = [&](Duration length) { return ratio(wait(job) + length, length); };
    switch (what) {
        case JobMeasure::wait:
            return wait(job).to_seconds();
        case JobMeasure::stretch:
            return job.walltime && *job.walltime > Duration() ? std::optional(with_wait(*job.walltime)) : std::nullopt;
        case JobMeasure::slowdown:
            return job.run > Duration() ? std::optional(with_wait(job.run)) : std::nullopt;
        case JobMeasure::bounded_slowdown:
            return std::max(ratio(wait(job) + job.run, std::max(job.run, tau)), 1.0);
    }
    return std::nullopt;
}

std::vector<double> values_of(const FinishedJobs& jobs, JobMeasure what, Duration tau) {
    std::vector<double> values;
    values.reserve(jobs.size());
    for (const FinishedJob& job : jobs) {
        look_for_interruption();
        if (const std::optional<double> value = measure(job, what, tau)) {
            values.push_back(*value);
        }
    }
    return values;
}

std::optional<double> measure(const FinishedJobs& jobs, const JobStatistic& statistic, Duration tau) {
    if (statistic.kind == JobStatistic::Kind::widest) {
        const JobStatistic mean{statistic.measure, JobStatistic::Kind::mean};
        return measure(widest_of(jobs, statistic.share_of(jobs.size())), mean, tau);
    }
    if (statistic.measure == JobMeasure::wait) {
        return statistic_of(mapped(jobs, wait), statistic);
    }
    return statistic_of(values_of(jobs, statistic.measure, tau), statistic);
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
