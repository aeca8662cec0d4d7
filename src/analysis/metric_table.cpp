#include "metric_table.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "src/support/csv_text.hpp"

namespace batfill::analysis {

namespace {

// A measure of a group of finished jobs.
using Measure = std::optional<double> (*)(const FinishedJobs&);

template <std::size_t percent>
std::optional<double> mean_wait_of_worst_percent(const FinishedJobs& jobs) {
    return mean_wait_of_worst(jobs, percent);
}

template <std::size_t percent>
std::optional<double> mean_wait_of_widest_percent(const FinishedJobs& jobs) {
    return mean_wait_of_widest(jobs, percent);
}

template <std::size_t percent>
std::optional<double> percentile_of_waits(const FinishedJobs& jobs) {
    return wait_percentile(jobs, percent);
}

template <std::size_t percent>
std::optional<double> percentile_of_bounded_slowdowns(const MetricInput& run) {
    return bounded_slowdown_percentile(run.finished, run.options.tau, percent);
}

template <Measure measure>
std::optional<double> of_finished(const MetricInput& run) {
    return measure(run.finished);
}

template <Measure measure>
std::optional<double> of_driven(const MetricInput& run) {
    return run.by_deadline ? measure(run.by_deadline->driven) : std::nullopt;
}

template <Measure measure>
std::optional<double> of_regular(const MetricInput& run) {
    return run.by_deadline ? measure(run.by_deadline->regular) : std::nullopt;
}

// How much shorter a wait is than the baseline's, as a fraction of the baseline's.
template <Measure wait>
std::optional<double> improvement(const MetricInput& run) {
    if (!run.baseline) {
        return std::nullopt;
    }
    const std::optional<double> before = wait(*run.baseline);
    const std::optional<double> after = wait(run.finished);
    return before && after && *before > 0 ? std::optional((*before - *after) / *before) : std::nullopt;
}

std::optional<double> bounded_slowdown(const MetricInput& run) {
    return mean_bounded_slowdown(run.finished, run.options.tau);
}

std::optional<double> utilisation(const MetricInput& run) {
    const std::optional<Duration> span = span_of(run.finished);
    if (!run.options.processors || !span) {
        return std::nullopt;
    }
    std::vector<double> busy;
    busy.reserve(run.finished.size());
    for (const FinishedJob& job : run.finished) {
        busy.push_back(static_cast<double>(job.allocated) * job.run.to_seconds());
    }
    return sum(busy) / (static_cast<double>(*run.options.processors) * span->to_seconds());
}

template <std::optional<double> OverTime::*value>
std::optional<double> over_time(const MetricInput& run) {
    return run.over_time.*value;
}

std::optional<double> license_usage(const MetricInput& run) {
    long long copies = 0;
    for (const Machine::License& license : run.options.licenses) {
        copies += license.copies;
    }
    const std::optional<Duration> span = span_of(run.finished);
    if (copies == 0 || !span || run.licenses.empty()) {
        return std::nullopt;
    }
    std::vector<double> in_use;
    in_use.reserve(run.finished.size());
    for (std::size_t i = 0; i < run.finished.size(); ++i) {
        in_use.push_back(static_cast<double>(run.licenses[i]) * run.finished[i].run.to_seconds());
    }
    return sum(in_use) / (static_cast<double>(copies) * span->to_seconds());
}

// These count all jobs of the schedule, or those that ended in a given way.

std::optional<double> all_jobs(const MetricInput& run) {
    return static_cast<double>(run.schedule->jobs());
}

template <bool (*counts)(JobState)>
std::optional<double> count_states(const MetricInput& run) {
    std::size_t count = 0;
    for (const JobState state : all_job_states) {
        count += counts(state) ? run.schedule->jobs_in(state) : 0;
    }
    return static_cast<double>(count);
}

template <JobState state>
constexpr bool is(JobState candidate) {
    return candidate == state;
}

template <JobState state>
std::optional<double> ended(const MetricInput& run) {
    return count_states<is<state>>(run);
}

std::optional<double> users(const MetricInput& run) {
    return run.by_user.empty() ? std::nullopt : std::optional(static_cast<double>(run.by_user.size()));
}

std::optional<double> fairness(const MetricInput& run) {
    return user_fairness(run.by_user, run.options.tau);
}

template <std::size_t percent>
std::optional<double> wait_share_of_users_percent(const MetricInput& run) {
    return wait_share_of_users(run.by_user, percent);
}

// Conditions on a job with a deadline.

using Condition = bool (*)(const FinishedJob&, Time deadline, const MetricsOptions&);

bool any(const FinishedJob&, Time, const MetricsOptions&) {
    return true;
}

bool at_once(const FinishedJob& job, Time, const MetricsOptions&) {
    return wait(job) <= Duration();
}

bool late(const FinishedJob& job, Time deadline, const MetricsOptions&) {
    return job.finish > deadline;
}

bool is_short(const FinishedJob& job, Time deadline, const MetricsOptions& options) {
    return deadline - job.submit <= options.short_deadline;
}

bool short_and_late(const FinishedJob& job, Time deadline, const MetricsOptions& options) {
    return is_short(job, deadline, options) && late(job, deadline, options);
}

bool long_and_late(const FinishedJob& job, Time deadline, const MetricsOptions& options) {
    return !is_short(job, deadline, options) && late(job, deadline, options);
}

// How many jobs with a deadline meet the condition.
template <Condition condition>
std::optional<double> driven_that_are(const MetricInput& run) {
    if (!run.by_deadline) {
        return std::nullopt;
    }
    const auto& [driven, deadlines, regular, regular_left_out] = *run.by_deadline;
    std::size_t count = 0;
    for (std::size_t i = 0; i < driven.size(); ++i) {
        count += condition(driven[i], deadlines[i], run.options) ? 1U : 0U;
    }
    return static_cast<double>(count);
}

std::optional<double> regular_jobs(const MetricInput& run) {
    return run.by_deadline ? std::optional(static_cast<double>(run.by_deadline->regular.size())) : std::nullopt;
}

std::optional<double> regular_jobs_left_out(const MetricInput& run) {
    return run.by_deadline ? std::optional(static_cast<double>(run.by_deadline->regular_left_out)) : std::nullopt;
}

// The time that a job used, and the time that it had until its deadline.
struct DeadlineUsage {
    Duration used;
    Duration given;
    bool delayed;  // did not start at once
};

// The usages of the jobs whose deadline lies after their submission.
std::vector<DeadlineUsage> deadline_usages(const MetricInput& run) {
    std::vector<DeadlineUsage> usages;
    if (!run.by_deadline) {
        return usages;
    }
    const auto& [driven, deadlines, regular, regular_left_out] = *run.by_deadline;
    for (std::size_t i = 0; i < driven.size(); ++i) {
        const Duration given = deadlines[i] - driven[i].submit;
        if (given > Duration()) {
            usages.push_back({driven[i].finish - driven[i].submit, given, wait(driven[i]) > Duration()});
        }
    }
    return usages;
}

template <bool only_delayed>
std::optional<double> mean_deadline_usage(const MetricInput& run) {
    std::vector<double> ratios;
    for (const auto& [used, given, delayed] : deadline_usages(run)) {
        if (delayed || !only_delayed) {
            ratios.push_back(ratio(used, given));
        }
    }
    return mean(ratios);
}

std::optional<double> deadline_usage_above_80_percent(const MetricInput& run) {
    const std::vector<DeadlineUsage> usages = deadline_usages(run);
    if (usages.empty()) {
        return std::nullopt;
    }
    const auto above = std::count_if(usages.begin(), usages.end(),
                                     [](const DeadlineUsage& usage) { return usage.used * 100 > usage.given * 80; });
    return static_cast<double>(above) / static_cast<double>(usages.size());
}

constexpr Measure mean_wait_worst_5 = mean_wait_of_worst_percent<5>;
constexpr Measure mean_wait_worst_1 = mean_wait_of_worst_percent<1>;
constexpr Measure mean_wait_widest_10 = mean_wait_of_widest_percent<10>;

// To add a metric, add an entry here and its definition to docs/metrics.md. An indented title is a part of the entry
// above it.
constexpr std::array metrics{
    Metric{"jobs", "jobs", Unit::count, all_jobs},
    Metric{"finished", "  finished", Unit::count, count_states<has_completed>},
    Metric{"walltime_reached", "    at their walltime", Unit::count, ended<JobState::completed_walltime_reached>},
    Metric{"killed", "    killed", Unit::count, ended<JobState::completed_killed>},
    Metric{"failed", "    failed", Unit::count, ended<JobState::completed_failed>},
    Metric{"rejected", "  rejected", Unit::count, ended<JobState::rejected>},
    Metric{"unfinished", "  unfinished", Unit::count, count_states<is_unfinished>},
    Metric{"mean_wait", "mean wait (s)", Unit::seconds, of_finished<mean_wait>, Goal::minimum},
    Metric{"max_wait", "max wait (s)", Unit::seconds, of_finished<max_wait>, Goal::minimum},
    Metric{"median_wait", "median wait (s)", Unit::seconds, of_finished<percentile_of_waits<50>>, Goal::minimum},
    Metric{"wait_percentile_90", "wait, P90 (s)", Unit::seconds, of_finished<percentile_of_waits<90>>, Goal::minimum},
    Metric{"wait_percentile_99", "wait, P99 (s)", Unit::seconds, of_finished<percentile_of_waits<99>>, Goal::minimum},
    Metric{"mean_wait_worst_5_percent", "mean wait, worst 5 % (s)", Unit::seconds, of_finished<mean_wait_worst_5>,
           Goal::minimum},
    Metric{"mean_wait_worst_1_percent", "mean wait, worst 1 % (s)", Unit::seconds, of_finished<mean_wait_worst_1>,
           Goal::minimum},
    Metric{"mean_wait_widest_10_percent", "mean wait, widest 10 % (s)", Unit::seconds, of_finished<mean_wait_widest_10>,
           Goal::minimum},
    Metric{"mean_wait_improvement", "mean wait, improvement", Unit::share, improvement<mean_wait>},
    Metric{"mean_wait_worst_5_percent_improvement", "mean wait, worst 5 %, improvement", Unit::share,
           improvement<mean_wait_worst_5>},
    Metric{"mean_wait_worst_1_percent_improvement", "mean wait, worst 1 %, improvement", Unit::share,
           improvement<mean_wait_worst_1>},
    Metric{"mean_wait_widest_10_percent_improvement", "mean wait, widest 10 %, improvement", Unit::share,
           improvement<mean_wait_widest_10>},
    Metric{"mean_stretch", "mean stretch", Unit::ratio, of_finished<mean_stretch>, Goal::minimum},
    Metric{"max_stretch", "max stretch", Unit::ratio, of_finished<max_stretch>, Goal::minimum},
    Metric{"mean_slowdown", "mean slowdown", Unit::ratio, of_finished<mean_slowdown>, Goal::minimum},
    Metric{"mean_bounded_slowdown", "mean bounded slowdown", Unit::ratio, bounded_slowdown, Goal::minimum},
    Metric{"median_bounded_slowdown", "median bounded slowdown", Unit::ratio, percentile_of_bounded_slowdowns<50>,
           Goal::minimum},
    Metric{"bounded_slowdown_percentile_90", "bounded slowdown, P90", Unit::ratio, percentile_of_bounded_slowdowns<90>,
           Goal::minimum},
    Metric{"bounded_slowdown_percentile_99", "bounded slowdown, P99", Unit::ratio, percentile_of_bounded_slowdowns<99>,
           Goal::minimum},
    Metric{"utilisation", "utilisation", Unit::share, utilisation},
    Metric{"system_usage", "system usage (by jobs)", Unit::share, over_time<&OverTime::usage_by_jobs>},
    Metric{"system_usage_requested", "system usage (by processors)", Unit::share,
           over_time<&OverTime::usage_by_requested>},
    Metric{"lost_capacity", "lost capacity", Unit::share, over_time<&OverTime::lost_capacity>},
    Metric{"mean_queue_length", "mean queue (jobs)", Unit::ratio, of_finished<mean_queue_length>},
    Metric{"max_queue_length", "max queue (jobs)", Unit::count, over_time<&OverTime::max_queue_length>},
    Metric{"mean_queued_processors", "mean queue (processors)", Unit::ratio, of_finished<mean_queued_processors>},
    Metric{"max_queued_processors", "max queue (processors)", Unit::count, over_time<&OverTime::max_queued_processors>},
    Metric{"license_usage", "licence usage", Unit::share, license_usage},
    Metric{"makespan", "makespan (s)", Unit::seconds, of_finished<makespan>, Goal::minimum},
    Metric{"deadline_jobs", "jobs with a deadline", Unit::count, driven_that_are<any>},
    Metric{"deadline_jobs_short", "  short", Unit::count, driven_that_are<is_short>},
    Metric{"deadline_jobs_started_at_once", "  started at once", Unit::count, driven_that_are<at_once>},
    Metric{"deadline_violations", "  deadline missed", Unit::count, driven_that_are<late>},
    Metric{"deadline_violations_short", "    short", Unit::count, driven_that_are<short_and_late>},
    Metric{"deadline_violations_long", "    long", Unit::count, driven_that_are<long_and_late>},
    Metric{"mean_deadline_usage", "mean deadline usage", Unit::share, mean_deadline_usage<false>},
    Metric{"mean_deadline_usage_delayed", "mean deadline usage, not at once", Unit::share, mean_deadline_usage<true>},
    Metric{"share_deadline_usage_above_80_percent", "deadline usage above 80 %", Unit::share,
           deadline_usage_above_80_percent},
    Metric{"mean_wait_deadline", "mean wait, deadline jobs (s)", Unit::seconds, of_driven<mean_wait>},
    Metric{"mean_stretch_deadline", "mean stretch, deadline jobs", Unit::ratio, of_driven<mean_stretch>},
    Metric{"max_stretch_deadline", "max stretch, deadline jobs", Unit::ratio, of_driven<max_stretch>},
    Metric{"regular_jobs", "regular jobs", Unit::count, regular_jobs},
    Metric{"regular_jobs_left_out", "  more, left out", Unit::count, regular_jobs_left_out},
    Metric{"mean_wait_regular", "mean wait, regular jobs (s)", Unit::seconds, of_regular<mean_wait>},
    Metric{"mean_stretch_regular", "mean stretch, regular jobs", Unit::ratio, of_regular<mean_stretch>},
    Metric{"max_stretch_regular", "max stretch, regular jobs", Unit::ratio, of_regular<max_stretch>},
    Metric{"users", "users", Unit::count, users},
    Metric{"user_fairness", "fairness to users", Unit::ratio, fairness},
    Metric{"wait_share_10_percent_of_users", "waiting of 10 % of the users", Unit::share,
           wait_share_of_users_percent<10>},
};

}  // namespace

std::string for_people(std::optional<double> value, Unit unit) {
    if (!value) {
        return "-";
    }
    switch (unit) {
        case Unit::count:
            return rounded(*value, 0);
        case Unit::seconds:
            return rounded(*value, 1);
        case Unit::ratio:
            return rounded(*value, 3);
        case Unit::share:
            return rounded(*value * 100, 2) + " %";
    }
    return {};
}

std::span<const Metric> all_metrics() {
    return metrics;
}

const Metric* find_metric(std::string_view name) {
    const auto* const found =
        std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.name == name; });
    return found == metrics.end() ? nullptr : found;
}

}  // namespace batfill::analysis
