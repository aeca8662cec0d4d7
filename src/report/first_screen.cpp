#include "src/report/first_screen.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>
#include <unordered_map>

#include "src/analysis/told_apart.hpp"
#include "src/analysis/weekly_series.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::report {

namespace {

using analysis::FinishedJobs;
using analysis::JobStatistic;
using analysis::WeeklySeries;

// The first is what everything rests on.
constexpr std::array<const char*, 4> compared_metrics{"mean_wait", "wait_percentile_99", "max_wait",
                                                      "mean_bounded_slowdown"};
// A job or user below these is not worth a sentence.
constexpr double decisive_share = 0.1;
constexpr double starved_times = 10;
constexpr double starved_other_times = 2;

// Leaves out the jobs that some run did not finish. Returns how many.
std::size_t leave_out_others(std::vector<FinishedJobs>& runs) {
    std::unordered_map<std::string_view, std::size_t> finished;  // in how many runs, by id; only looked up
    for (const FinishedJobs& jobs : runs) {
        for (const FinishedJob& job : jobs) {
            look_for_interruption();
            ++finished[job.id];
        }
    }
    for (FinishedJobs& jobs : runs) {
        std::erase_if(jobs, [&](const FinishedJob& job) { return finished.at(job.id) < runs.size(); });
    }
    return finished.size() - runs.front().size();
}

class MetricByWeek {
 public:
    MetricByWeek(const std::vector<analysis::JobsByWeek>& runs, const char* name, Duration tau)
        : metric_(analysis::find_metric(name)), statistic_(std::get<JobStatistic>(metric_->definition)) {
        for (const analysis::JobsByWeek& weeks : runs) {
            series_.push_back(analysis::weekly_series(weeks, statistic_, tau));
        }
    }

    analysis::ToldApart told_apart(const analysis::ToldApart* only_where = nullptr) const {
        return {series_.size(),
                [&](std::size_t one, std::size_t other, std::size_t pairs) -> std::optional<Interval> {
                    if (!series_[one] || !series_[other]) {
                        return std::nullopt;
                    }
                    return interval_of(difference(*series_[one], *series_[other]), statistic_, pairs);
                },
                only_where};
    }

    ComparedMetric compared(const std::vector<FinishedJobs>& runs, const analysis::ToldApart& told_apart,
                            Duration tau) const {
        ComparedMetric result{metric_, {}, {}, {}};
        for (std::size_t run = 0; run < runs.size(); ++run) {
            result.values.push_back(measure(runs[run], statistic_, tau));
            result.intervals.push_back(series_[run] ? analysis::possible_part(interval_of(*series_[run], statistic_),
                                                                              metric_->name, series_[run]->value)
                                                    : std::nullopt);
        }
        result.marks = marks_of(result.values, metric_->goal, told_apart);
        return result;
    }

 private:
    const analysis::Metric* metric_;
    JobStatistic statistic_;
    std::vector<std::optional<WeeklySeries>> series_;  // by run; those without a value have none
};

std::string reason_for_no_marks(std::size_t weeks) {
    return weeks < 2 ? "measured once: nothing is said about chance"
                     : "nothing is said about chance: " + std::to_string(weeks) + " weeks of jobs, expected at least " +
                           std::to_string(fewest_weeks);
}

double total_wait(const FinishedJobs& jobs) {
    return analysis::sum(analysis::values_of(jobs, analysis::JobMeasure::wait, default_tau));
}

// The job whose own wait is the largest part of a run's.
std::optional<DecisiveJob> decisive_job_of(const std::vector<FinishedJobs>& runs) {
    std::optional<DecisiveJob> found;
    const std::vector<double> totals = mapped(runs, total_wait);
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const auto longest = std::ranges::max_element(
            runs[run], {}, [](const FinishedJob& job) { return std::pair(analysis::wait(job), job.id); });
        if (longest == runs[run].end() || runs[run].size() < 2 || totals[run] <= 0) {
            continue;
        }
        const double share = analysis::wait(*longest).to_seconds() / totals[run];
        if (share >= decisive_share && (!found || share > found->share)) {
            found = {longest->id, run, share, {}};
        }
    }
    for (std::size_t run = 0; found && run < runs.size(); ++run) {
        const double own = analysis::wait(*std::ranges::find(runs[run], found->id, &FinishedJob::id)).to_seconds();
        found->means_without.push_back((totals[run] - own) / static_cast<double>(runs[run].size() - 1));
    }
    return found;
}

// The user who waits the most times as long as all jobs of a run do, and not so under another run.
std::optional<StarvedUser> starved_user_of(const std::vector<FinishedJobs>& runs, const UserOf& user_of) {
    std::vector<std::map<std::string, double>> means;  // by run, of each user
    std::map<std::string, std::size_t> jobs_of;        // the same in each run
    for (const FinishedJobs& jobs : runs) {
        std::map<std::string, FinishedJobs> by_user;
        for (const FinishedJob& job : jobs) {
            if (std::string user = user_of(job); !user.empty()) {
                by_user[std::move(user)].push_back(job);
            }
        }
        auto& of_run = means.emplace_back();
        for (const auto& [user, of_user] : by_user) {
            of_run[user] = total_wait(of_user) / static_cast<double>(of_user.size());
            jobs_of[user] = of_user.size();
        }
    }
    std::optional<StarvedUser> found;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const double all = runs[run].empty() ? 0 : total_wait(runs[run]) / static_cast<double>(runs[run].size());
        for (const auto& [user, mean] : means[run]) {
            const auto other =
                std::ranges::min_element(means, {}, [&, &name = user](const auto& of_run) { return of_run.at(name); });
            const double times = all > 0 ? mean / all : 0;
            if (times >= starved_times && mean >= starved_other_times * other->at(user) &&
                (!found || times > found->times)) {
                found = {
                    user,           jobs_of.at(user), run, mean, times, static_cast<std::size_t>(other - means.begin()),
                    other->at(user)};
            }
        }
    }
    return found;
}

}  // namespace

FirstScreen first_screen(const std::vector<const FinishedJobs*>& runs, const std::vector<std::string>& names,
                         std::size_t baseline, Duration tau, const UserOf& user_of) {
    assert(!runs.empty() && runs.size() == names.size());
    std::vector<FinishedJobs> jobs = mapped(runs, [](const FinishedJobs* of_run) { return *of_run; });
    FirstScreen screen;
    screen.left_out = leave_out_others(jobs);
    screen.jobs = jobs.front().size();
    const std::vector<analysis::JobsByWeek> weeks = mapped(jobs, analysis::jobs_by_week);
    screen.weeks = weeks.front().size();
    const std::vector<MetricByWeek> metrics =
        mapped(compared_metrics, [&](const char* name) { return MetricByWeek(weeks, name, tau); });
    const analysis::ToldApart mean_waits = metrics.front().told_apart();
    for (const MetricByWeek& metric : metrics) {
        screen.metrics.push_back(metric.compared(jobs, metric.told_apart(&mean_waits), tau));
    }
    screen.verdict = analysis::verdict(
        {names, screen.metrics.front().values, baseline, reason_for_no_marks(screen.weeks)}, mean_waits);
    if (runs.size() > 1) {
        screen.decisive_job = decisive_job_of(jobs);
        screen.starved_user = starved_user_of(jobs, user_of);
    }
    return screen;
}

}  // namespace batfill::report
