#include "src/analysis/metric_table.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <batfill/core/error.hpp>

#include "src/support/csv_text.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::analysis {

namespace {

std::optional<double> count(std::size_t number) {
    return static_cast<double>(number);
}

constexpr JobStatistic wait_percentile(std::size_t percent) {
    return {JobMeasure::wait, JobStatistic::Kind::percentile, percent};
}
constexpr JobStatistic slowdown_percentile(std::size_t percent) {
    return {JobMeasure::bounded_slowdown, JobStatistic::Kind::percentile, percent};
}
constexpr JobStatistic mean_slowdown{JobMeasure::slowdown, JobStatistic::Kind::mean};
constexpr JobStatistic mean_wait_worst_5{JobMeasure::wait, JobStatistic::Kind::worst, 5};
constexpr JobStatistic mean_wait_worst_1{JobMeasure::wait, JobStatistic::Kind::worst, 1};
constexpr JobStatistic mean_wait_widest_10{JobMeasure::wait, JobStatistic::Kind::widest, 10};

template <FinishedJobs JobsByDeadline::*jobs, JobStatistic statistic>
std::optional<double> of(const MetricInput& run) {
    return run.by_deadline ? measure(*run.by_deadline.*jobs, statistic, run.options.tau) : std::nullopt;
}

// How much shorter a wait is than the baseline's, as a fraction of the baseline's.
template <JobStatistic wait>
std::optional<double> improvement(const MetricInput& run) {
    if (!run.baseline) {
        return std::nullopt;
    }
    const std::optional<double> before = measure(*run.baseline, wait, run.options.tau);
    const std::optional<double> after = measure(run.finished, wait, run.options.tau);
    return before && after && *before > 0 ? std::optional((*before - *after) / *before) : std::nullopt;
}

std::optional<double> makespan(const MetricInput& run) {
    const auto last = std::ranges::max_element(run.finished, {}, &FinishedJob::finish);
    return last == run.finished.end() ? std::nullopt : std::optional(last->finish.to_seconds());
}

std::optional<double> utilisation(const MetricInput& run) {
    return share_in_use(run.finished, run.options.processors.value_or(0),
                        [&](std::size_t job) { return run.finished[job].allocated; });
}

std::optional<double> license_usage(const MetricInput& run) {
    if (run.licenses.empty()) {
        return std::nullopt;
    }
    double copies = 0;
    for (const Machine::License& license : run.options.licenses) {
        copies += static_cast<double>(license.copies);
    }
    return share_in_use(run.finished, copies, [&](std::size_t job) { return run.licenses[job]; });
}

template <std::optional<double> OverTime::*value>
std::optional<double> over_time(const MetricInput& run) {
    return run.over_time.*value;
}

// How many jobs of the schedule are in a state that counts.
template <bool (*counts)(JobState)>
std::optional<double> count_states(const MetricInput& run) {
    std::size_t jobs = 0;
    for (const JobState state : all_job_states) {
        jobs += counts(state) ? run.schedule->jobs_in(state) : 0;
    }
    return count(jobs);
}

template <JobState wanted>
bool is(JobState state) {
    return state == wanted;
}

std::optional<double> users(const MetricInput& run) {
    return run.by_user.empty() ? std::nullopt : count(run.by_user.size());
}

// Jain's index of the users' mean bounded slowdowns x: (sum of x)^2 / (users * sum of x^2). It ranges from 1 / users,
// if one user has all of it, to 1, if all users have the same (Jain, Chiu and Hawe 1984).
std::optional<double> user_fairness(const MetricInput& run) {
    if (run.by_user.empty()) {
        return std::nullopt;
    }
    const std::vector<double> means = mapped(
        run.by_user, [&](const auto& user) { return *measure(user.second, mean_bounded_slowdown, run.options.tau); });
    const double all = sum(means);
    return all * all / (static_cast<double>(means.size()) * sum(mapped(means, [](double x) { return x * x; })));
}

// The share of the users' total waiting time that falls on a tenth of the users, rounded up, whose jobs wait longest in
// total. No value if nobody waits.
std::optional<double> wait_share_of_tenth_of_users(const MetricInput& run) {
    std::vector<Duration> waits;
    for (const auto& [user, jobs] : run.by_user) {
        Duration& together = waits.emplace_back();
        for (const FinishedJob& job : jobs) {
            together = together + wait(job);
        }
    }
    const Duration all = std::accumulate(waits.begin(), waits.end(), Duration());
    if (all <= Duration()) {
        return std::nullopt;
    }
    std::ranges::sort(waits, std::greater<>());
    const auto tenth = waits.begin() + static_cast<std::ptrdiff_t>((waits.size() + 9) / 10);
    return ratio(std::accumulate(waits.begin(), tenth, Duration()), all);
}

std::optional<double> share_of_limits(const MetricInput& run) {
    return run.waits_for_limits ? limit_wait_share(run.finished, *run.waits_for_limits) : std::nullopt;
}

// A job with a deadline.
struct DrivenJob {
    Duration wait;
    Duration used;   // the time from its submission to its end
    Duration given;  // the time that it had until its deadline
    bool is_short;   // whether that was short

    bool late() const { return used > given; }
};

// The jobs with a deadline; none without workloads.
std::vector<DrivenJob> driven_jobs(const MetricInput& run) {
    std::vector<DrivenJob> result;
    for (std::size_t i = 0; run.by_deadline && i < run.by_deadline->driven.size(); ++i) {
        const FinishedJob& job = run.by_deadline->driven[i];
        const Duration given = run.by_deadline->deadlines[i] - job.submit;
        result.push_back({wait(job), job.finish - job.submit, given, given <= run.options.short_deadline});
    }
    return result;
}

bool any(const DrivenJob&) {
    return true;
}
bool delayed(const DrivenJob& job) {
    return job.wait > Duration();
}

// How many jobs with a deadline meet the condition.
template <bool (*condition)(const DrivenJob&)>
std::optional<double> driven_that_are(const MetricInput& run) {
    const std::vector<DrivenJob> jobs = driven_jobs(run);
    return run.by_deadline ? count(static_cast<std::size_t>(std::ranges::count_if(jobs, condition))) : std::nullopt;
}

// A number that the split of the jobs gives; none without workloads.
template <std::size_t (*number)(const JobsByDeadline&)>
std::optional<double> of_split(const MetricInput& run) {
    return run.by_deadline ? count(number(*run.by_deadline)) : std::nullopt;
}

// The share of the time until its deadline that a job uses.
double deadline_usage(const DrivenJob& job) {
    return ratio(job.used, job.given);
}

// 1 or 0: the mean is a share.
double is_usage_above_80_percent(const DrivenJob& job) {
    return job.used * 100 > job.given * 80 ? 1 : 0;
}

// The mean of a value over the jobs that meet the condition. Only jobs whose deadline lies after their submission
// count.
template <double (*value)(const DrivenJob&), bool (*condition)(const DrivenJob&)>
std::optional<double> mean_of_driven(const MetricInput& run) {
    std::vector<double> values;
    for (const DrivenJob& job : driven_jobs(run)) {
        if (job.given > Duration() && condition(job)) {
            values.push_back(value(job));
        }
    }
    return mean(values);
}

// To add a metric, add an entry here with its meaning in a sentence, and its definition to docs/metrics.md. An indented
// title is a part of the entry above it.
constexpr auto metrics = std::to_array<Metric>({
    {"jobs", "jobs", "All jobs of the schedule, whatever became of them.", Unit::count,
     count_states<[](JobState) { return true; }>},
    {"finished", "  finished", "Jobs that came to an end: successful, failed, stopped at their walltime, or killed.",
     Unit::count, count_states<has_completed>, Goal::more},
    {"walltime_reached", "    at their walltime", "Finished jobs that were stopped at their walltime.", Unit::count,
     count_states<is<JobState::completed_walltime_reached>>},
    {"killed", "    killed", "Finished jobs that the scheduler killed.", Unit::count,
     count_states<is<JobState::completed_killed>>},
    {"failed", "    failed", "Finished jobs that failed.", Unit::count, count_states<is<JobState::completed_failed>>},
    {"rejected", "  rejected", "Jobs that the scheduler refused to run.", Unit::count,
     count_states<is<JobState::rejected>>, Goal::less},
    {"unfinished", "  unfinished", "Jobs that neither finished nor were rejected. The run is incomplete.", Unit::count,
     count_states<is_unfinished>, Goal::less},
    {"mean_wait", "mean wait (s)", "Mean time from submission to start.", Unit::seconds, mean_wait, Goal::minimum},
    {"max_wait", "max wait (s)", "The longest time from submission to start.", Unit::seconds, max_wait, Goal::minimum},
    {"median_wait", "median wait (s)", "Half of the jobs wait at most this long.", Unit::seconds, median_wait,
     Goal::minimum},
    {"wait_percentile_90", "wait, P90 (s)", "90 % of the jobs wait at most this long.", Unit::seconds,
     wait_percentile(90), Goal::minimum},
    {"wait_percentile_99", "wait, P99 (s)", "99 % of the jobs wait at most this long.", Unit::seconds,
     wait_percentile(99), Goal::minimum},
    {"mean_wait_worst_5_percent", "mean wait, worst 5 % (s)", "Mean of the longest 5 % of all waits.", Unit::seconds,
     mean_wait_worst_5, Goal::minimum},
    {"mean_wait_worst_1_percent", "mean wait, worst 1 % (s)", "Mean of the longest 1 % of all waits.", Unit::seconds,
     mean_wait_worst_1, Goal::minimum},
    {"mean_wait_widest_10_percent", "mean wait, widest 10 % (s)",
     "Mean wait of the 10 % of the jobs that request most processors.", Unit::seconds, mean_wait_widest_10,
     Goal::minimum},
    {"mean_wait_improvement", "mean wait, improvement", "How much shorter the mean wait is than the baseline's.",
     Unit::share, improvement<mean_wait>, Goal::more},
    {"mean_wait_worst_5_percent_improvement", "mean wait, worst 5 %, improvement",
     "How much shorter the mean of the longest 5 % of the waits is than the baseline's.", Unit::share,
     improvement<mean_wait_worst_5>, Goal::more},
    {"mean_wait_worst_1_percent_improvement", "mean wait, worst 1 %, improvement",
     "How much shorter the mean of the longest 1 % of the waits is than the baseline's.", Unit::share,
     improvement<mean_wait_worst_1>, Goal::more},
    {"mean_wait_widest_10_percent_improvement", "mean wait, widest 10 %, improvement",
     "How much shorter the mean wait of the widest 10 % of the jobs is than the baseline's.", Unit::share,
     improvement<mean_wait_widest_10>, Goal::more},
    {"mean_stretch", "mean stretch", "Mean of (wait + walltime) / walltime. 1 means that nobody waits.", Unit::ratio,
     mean_stretch, Goal::minimum},
    {"max_stretch", "max stretch", "The largest (wait + walltime) / walltime.", Unit::ratio, max_stretch,
     Goal::minimum},
    {"mean_slowdown", "mean slowdown", "Mean of (wait + run time) / run time. Very short jobs dominate it.",
     Unit::ratio, mean_slowdown, Goal::minimum},
    {"mean_bounded_slowdown", "mean bounded slowdown",
     "Mean slowdown, (wait + run time) / run time, where run times below the bound (--tau, 10 s by default) count as the bound. At least 1.",
     Unit::ratio, mean_bounded_slowdown, Goal::minimum},
    {"median_bounded_slowdown", "median bounded slowdown", "Half of the jobs have at most this bounded slowdown.",
     Unit::ratio, median_bounded_slowdown, Goal::minimum},
    {"bounded_slowdown_percentile_90", "bounded slowdown, P90", "90 % of the jobs have at most this bounded slowdown.",
     Unit::ratio, slowdown_percentile(90), Goal::minimum},
    {"bounded_slowdown_percentile_99", "bounded slowdown, P99", "99 % of the jobs have at most this bounded slowdown.",
     Unit::ratio, slowdown_percentile(99), Goal::minimum},
    {"utilisation", "utilisation",
     "Share of the machine's processor time, from the first submission to the last completion, in which jobs run.",
     Unit::share, utilisation, Goal::more},
    {"system_usage", "system usage (by jobs)",
     "Processors in use per job in the system, or per processor of the machine if there are more jobs. May exceed 100 %.",
     Unit::share, over_time<&OverTime::usage_by_jobs>},
    {"system_usage_requested", "system usage (by processors)",
     "Processors in use, as a share of those that jobs in the system request, at most the machine.", Unit::share,
     over_time<&OverTime::usage_by_requested>},
    {"lost_capacity", "lost capacity",
     "Share of the machine's processor time that is idle while waiting jobs request it.", Unit::share,
     over_time<&OverTime::lost_capacity>, Goal::less},
    {"mean_queue_length", "mean queue (jobs)", "Jobs that wait, on average over time.", Unit::ratio,
     over_time<&OverTime::mean_queue_length>, Goal::less},
    {"max_queue_length", "max queue (jobs)", "The most jobs that ever wait at once.", Unit::count,
     over_time<&OverTime::max_queue_length>, Goal::less},
    {"mean_queued_processors", "mean queue (processors)",
     "Processors that the waiting jobs request together, on average over time.", Unit::ratio,
     over_time<&OverTime::mean_queued_processors>, Goal::less},
    {"max_queued_processors", "max queue (processors)", "The most processors that waiting jobs ever request together.",
     Unit::count, over_time<&OverTime::max_queued_processors>, Goal::less},
    {"license_usage", "licence usage", "Share of the time of all licence copies in which jobs hold them.", Unit::share,
     license_usage, Goal::more},
    {"makespan", "makespan (s)", "The last completion, counted from the clock's zero.", Unit::seconds, makespan,
     Goal::minimum},
    {"deadline_jobs", "jobs with a deadline", "Finished jobs that have a deadline.", Unit::count, driven_that_are<any>},
    {"deadline_jobs_short", "  short",
     "Jobs whose deadline is soon after their submission (--short-deadline, a day by default).", Unit::count,
     driven_that_are<[](const DrivenJob& job) { return job.is_short; }>},
    {"deadline_jobs_started_at_once", "  started at once", "Jobs with a deadline that did not wait.", Unit::count,
     driven_that_are<[](const DrivenJob& job) { return !delayed(job); }>},
    {"deadline_violations", "  deadline missed", "Jobs completed after their deadline.", Unit::count,
     driven_that_are<[](const DrivenJob& job) { return job.late(); }>, Goal::less},
    {"deadline_violations_short", "    short", "Jobs with a short deadline that missed it.", Unit::count,
     driven_that_are<[](const DrivenJob& job) { return job.is_short && job.late(); }>, Goal::less},
    {"deadline_violations_long", "    long", "Jobs with a long deadline that missed it.", Unit::count,
     driven_that_are<[](const DrivenJob& job) { return !job.is_short && job.late(); }>, Goal::less},
    {"mean_deadline_usage", "mean deadline usage",
     "Mean share of the time until its deadline that a job needs. Above 100 % it is late.", Unit::share,
     mean_of_driven<deadline_usage, any>, Goal::less},
    {"mean_deadline_usage_delayed", "mean deadline usage, not at once", "The same, over jobs that waited.", Unit::share,
     mean_of_driven<deadline_usage, delayed>, Goal::less},
    {"share_deadline_usage_above_80_percent", "deadline usage above 80 %",
     "Share of the jobs that need more than 80 % of the time until their deadline.", Unit::share,
     mean_of_driven<is_usage_above_80_percent, any>, Goal::less},
    {"mean_wait_deadline", "mean wait, deadline jobs (s)", "Mean wait of the jobs with a deadline.", Unit::seconds,
     of<&JobsByDeadline::driven, mean_wait>, Goal::less},
    {"mean_stretch_deadline", "mean stretch, deadline jobs", "Mean stretch of the jobs with a deadline.", Unit::ratio,
     of<&JobsByDeadline::driven, mean_stretch>, Goal::less},
    {"max_stretch_deadline", "max stretch, deadline jobs", "Largest stretch of the jobs with a deadline.", Unit::ratio,
     of<&JobsByDeadline::driven, max_stretch>, Goal::less},
    {"regular_jobs", "regular jobs", "Finished jobs without a deadline.", Unit::count,
     of_split<[](const JobsByDeadline& jobs) { return jobs.regular.size(); }>},
    {"regular_jobs_left_out", "  more, left out",
     "Jobs without a deadline that do not count, because they waited in no run.", Unit::count,
     of_split<[](const JobsByDeadline& jobs) { return jobs.regular_left_out; }>},
    {"mean_wait_regular", "mean wait, regular jobs (s)", "Mean wait of the jobs without a deadline.", Unit::seconds,
     of<&JobsByDeadline::regular, mean_wait>, Goal::less},
    {"mean_stretch_regular", "mean stretch, regular jobs", "Mean stretch of the jobs without a deadline.", Unit::ratio,
     of<&JobsByDeadline::regular, mean_stretch>, Goal::less},
    {"max_stretch_regular", "max stretch, regular jobs", "Largest stretch of the jobs without a deadline.", Unit::ratio,
     of<&JobsByDeadline::regular, max_stretch>, Goal::less},
    {"users", "users", "Users with finished jobs.", Unit::count, users},
    {"user_fairness", "fairness to users",
     "Jain's index of the users' mean bounded slowdowns: 1 if all are equal, near 1 / users if one has nearly all.",
     Unit::ratio, user_fairness, Goal::more},
    {"wait_share_10_percent_of_users", "waiting of 10 % of the users",
     "Share of all waiting that falls on the 10 % of the users who wait most. 10 % is an even share.", Unit::share,
     wait_share_of_tenth_of_users, Goal::less},
    {"limit_wait_share", "waiting for limits",
     "Share of all waiting in which a limit of the job's user, account, ... has too little left, whatever the machine has.",
     Unit::share, share_of_limits},
});

}  // namespace

std::optional<double> Metric::compute(const MetricInput& run) const {
    const auto* const statistic = std::get_if<JobStatistic>(&definition);
    return statistic != nullptr ? measure(run.finished, *statistic, run.options.tau) : std::get<1>(definition)(run);
}

std::string for_people(std::optional<double> value, Unit unit) {
    if (!value) {
        return "-";
    }
    constexpr std::array decimals{0, 1, 3};  // in the order of the enumeration
    return unit == Unit::share ? rounded(*value * 100, 2) + " %"
                               : rounded(*value, decimals.at(static_cast<std::size_t>(unit)));
}

std::span<const Metric> all_metrics() {
    return metrics;
}

std::vector<ShownMetric> shown_metrics(const std::vector<std::string>& names, const Metrics& run) {
    std::vector<ShownMetric> all;
    for (const Metric& metric : metrics) {
        const bool is_of_deadlines =
            &metric >= find_metric("deadline_jobs") && &metric <= find_metric("max_stretch_regular");
        all.push_back(
            {all.size(), metric.name, metric.title, metric.meaning, metric.unit, metric.goal, is_of_deadlines});
    }
    const std::vector<std::string> known = run.names();
    for (const std::string& resource : run.resources()) {
        all.push_back({all.size(), known[all.size()], "utilisation of " + resource,
                       "Share of " + resource + " that jobs take, from the first submission to the last completion."});
    }
    if (names.empty()) {
        return all;
    }
    return mapped(names, [&](const std::string& name) {
        const auto found = std::ranges::find(all, name, &ShownMetric::name);
        refuse_if(found == all.end(), [&] { return unknown_name("metric", name, known); });
        ShownMetric shown = *found;
        shown.title = shown.title.starts_with(' ') ? shown.name : shown.title;
        return shown;
    });
}

std::optional<Interval> possible_part(std::optional<Interval> interval, std::string_view metric, double value) {
    if (interval) {
        const bool is_ratio =
            metric.find("slowdown") != std::string_view::npos || metric.find("stretch") != std::string_view::npos;
        interval->low = std::max(interval->low, std::min(is_ratio ? 1.0 : 0.0, value));
        if (metric.starts_with("utilisation")) {
            interval->high = std::min(interval->high, std::max(value, 1.0));
        }
    }
    return interval;
}

const Metric* find_metric(std::string_view name) {
    const auto* const found = std::ranges::find(metrics, name, &Metric::name);
    return found == metrics.end() ? nullptr : found;
}

}  // namespace batfill::analysis
