// Measures how often the confidence intervals of docs/metrics.md leave out the truth, and what they find.
//
//     interval_errors workloads | weeks | queues | tables | halved >errors.csv
//     interval_errors log PLATFORM WORKLOAD.json SEEDS >errors.csv
//
// `workloads`: means over n drawn workloads; the truth is the mean over 100,000 of them.
// `weeks`: statistics of n drawn weeks; the truth is that of the jobs of 100,000 of them together. A week resembles the
// one before: ranked by mean wait, the weeks follow an autoregressive process with a coefficient of 0.3.
// `queues`: statistics of n weeks of a drawn log that keeps its queue from week to week; the truth is that of the weeks
// of 500 logs together.
// `tables`: how many tables of 2, 4 and 8 equal schedulers have a mark.
// `halved`: from how many workloads on a scheduler that halves all waits is told apart in 80 % of the tables.
// `log`: a workload under the scheduler `random`, in disjoint pairs of seeds: the truth of differences is 0.
// Equal schedulers are `random` under several seeds, different ones are easy and easy,order=saf. A drawn workload is a
// week of about 300 jobs at a load of 0.8, a drawn week has 200. A drawn log has 150 a week at a load of 0.7, and 20
// weeks before those that count. Jobs are submitted at random, on 64 processors. They have widths from 1 to 32 (powers
// of two), and walltimes of 1 to 4 times the run time. Tails of run times are light (exponential) or heavy (lognormal,
// with a coefficient of variation of 2.5). "giant" is light, and one of the weeks has a job that takes the whole
// machine for three days.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <batfill/analysis/intervals.hpp>
#include <batfill/core/error.hpp>
#include <batfill/replay/replay.hpp>

#include "src/analysis/told_apart.hpp"
#include "src/analysis/weekly_series.hpp"
#include "src/formats/named_platform.hpp"
#include "src/support/mapped.hpp"
#include "src/support/parallel.hpp"

namespace {

using namespace batfill;
using analysis::FinishedJobs;
using analysis::JobsByWeek;
using analysis::JobStatistic;
using analysis::ToldApart;
using analysis::WeeklySeries;

constexpr int processors = 64;
constexpr double week = 7.0 * 24 * 3600;
constexpr double jobs_of_workload = 300;
constexpr double jobs_of_week = 200;
constexpr double jobs_of_log = 150;  // a week
constexpr double mean_width = 63.0 / 6;
constexpr int widths = 6;
constexpr std::size_t population = 100'000;
constexpr std::size_t logs = 2000;
constexpr std::size_t logs_with_queues = 500;
constexpr int weeks_before = 20;  // of a log, before those that count: it begins with an empty machine
constexpr std::size_t repetitions = 4000;
// Of standard errors: an effect that a test with known variance finds in 80 %.
constexpr double effect = 2.8016;

const std::array<const char*, 6> metrics{"mean_wait",          "mean_bounded_slowdown",
                                         "wait_percentile_90", "mean_wait_worst_5_percent",
                                         "wait_percentile_99", "utilisation"};
constexpr std::size_t job_metrics = 5;  // the first ones are statistics of jobs
// Not made before main(): by then all algorithms have registered themselves.
const std::vector<SchedulerChoice>& schedulers() {
    static const std::vector<SchedulerChoice> all{
        {"random", {{"seed", "1"}}}, {"random", {{"seed", "2"}}}, {"easy", {}}, {"easy", {{"order", "saf"}}}};
    return all;
}
struct Pair {
    const char* name;
    std::size_t one;
    std::size_t other;
};
constexpr std::array<Pair, 2> pairs{{{"equal", 0, 1}, {"different", 2, 3}}};

struct Tails {
    const char* name;
    bool are_heavy;
    bool has_giant;
};
constexpr std::array<Tails, 3> all_tails{{{"light", false, false}, {"heavy", true, false}, {"giant", false, true}}};

unsigned threads() {
    return std::max(std::thread::hardware_concurrency(), 1U);
}

class Draws {
 public:
    explicit Draws(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15U + 1) {}
    double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }  // in [0, 1)
    double exponential() { return -std::log1p(-uniform()); }
    double normal() {
        const double length = std::sqrt(2 * exponential());
        return length * std::cos(2 * std::numbers::pi * uniform());
    }
    std::size_t below(std::size_t limit) { return static_cast<std::size_t>(uniform() * static_cast<double>(limit)); }

 private:
    std::mt19937_64 random_;
};

constexpr int no_week = -1;

// `giant_week`: the week that has the giant job, or no_week.
Workload drawn(bool heavy, double load, double jobs_a_week, int weeks, int giant_week, std::uint64_t seed) {
    Draws draws(seed);
    Workload workload;
    workload.name = "w0";
    workload.processors = processors;
    const double mean_run = load * processors * week / jobs_a_week / mean_width;
    bool needs_giant = giant_week != no_week;
    for (double time = draws.exponential() * week / jobs_a_week; time < weeks * week;
         time += draws.exponential() * week / jobs_a_week) {
        int width = 1 << draws.below(widths);
        constexpr double sigma = 1.4;
        double run = mean_run * (heavy ? std::exp(sigma * draws.normal() - sigma * sigma / 2) : draws.exponential());
        if (needs_giant && time >= giant_week * week) {
            width = processors;
            run = 3.0 * 24 * 3600;
            needs_giant = false;
        }
        const long long seconds = std::max(std::llround(run), 1LL);
        JobDescription job;
        job.id = "w0!" + std::to_string(workload.jobs.size());
        job.submit = Time::seconds(static_cast<long long>(time));
        job.processors = width;
        job.walltime = Duration::seconds(std::llround(static_cast<double>(seconds) * (1 + 3 * draws.uniform())) + 1);
        job.profile = SharedText("d" + std::to_string(seconds));
        workload.profiles.try_emplace(job.profile,
                                      JobProfile{JobProfile::Type::delay, "delay", Duration::seconds(seconds)});
        workload.jobs.push_back({std::move(job), {}});
    }
    return workload;
}

Replay replay_of(Workload workload) {
    Platform platform;
    platform.hosts.resize(processors);
    return {platform, std::move(workload)};
}

// Counts intervals that leave out the truth, and effects that are found.
struct Count {
    std::size_t intervals = 0;
    std::size_t misses = 0;
    std::size_t values = 0;
    std::size_t missed_values = 0;
    double found = 0;

    void add(const Interval& interval, double truth, double size) {
        ++intervals;
        misses += interval.contains(truth) ? 0 : 1;
        found += (interval.contains(truth + size) ? 0 : 0.5) + (interval.contains(truth - size) ? 0 : 0.5);
    }
    void add_value(const Interval& interval, double truth) {
        ++values;
        missed_values += interval.contains(truth) ? 0 : 1;
    }
};

double share(double part, std::size_t all) {
    return part / static_cast<double>(std::max<std::size_t>(all, 1));
}

void print_header() {
    std::cout << "sample,tails,schedulers,groups,metric,intervals,without_truth,found,values_without_truth\n";
}
void print(const char* sample, const std::string& tails, const std::string& pair, std::size_t groups,
           const std::string& metric, const Count& count) {
    char line[200];
    std::snprintf(line, sizeof line, "%s,%s,%s,%zu,%s,%zu,%.4f,", sample, tails.c_str(), pair.c_str(), groups,
                  metric.c_str(), count.intervals, share(static_cast<double>(count.misses), count.intervals));
    std::cout << line;
    if (count.found > 0) {
        std::snprintf(line, sizeof line, "%.4f", share(count.found, count.intervals));
        std::cout << line;
    }
    std::cout << ',';
    if (count.values > 0) {
        std::snprintf(line, sizeof line, "%.4f", share(static_cast<double>(count.missed_values), count.values));
        std::cout << line;
    }
    std::cout << '\n' << std::flush;
}

// The metrics of drawn workloads: by workload, scheduler and metric.
using Values = std::vector<std::vector<std::array<double, metrics.size()>>>;

Values values_of(bool heavy, bool giant, std::size_t count, const std::vector<SchedulerChoice>& under) {
    Values values(count);
    for_each_in_parallel(count, threads(), [&](std::size_t number) {
        const Replay replay = replay_of(drawn(heavy, 0.8, jobs_of_workload, 1, giant ? 0 : no_week, number + 1));
        MetricsOptions options;
        options.set_machine(replay.machine());
        for (const SchedulerChoice& scheduler : under) {
            const Metrics measured = replay.measure_all(scheduler, options);
            auto& of_scheduler = values[number].emplace_back();
            for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
                of_scheduler[metric] = measured[metrics[metric]].value_or(0);
            }
        }
    });
    return values;
}

double mean(const std::vector<double>& values) {
    return *analysis::mean(values);
}
double variance(const std::vector<double>& values) {
    const double middle = mean(values);
    return mean(mapped(values, [&](double value) { return (value - middle) * (value - middle); }));
}

void measure_workloads() {
    print_header();
    for (const Tails& tails : all_tails) {
        const Values usual = values_of(tails.are_heavy, false, population, schedulers());
        const Values giant =
            tails.has_giant ? values_of(tails.are_heavy, true, population / 10, schedulers()) : Values();
        for (const Pair& pair : pairs) {
            for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
                const auto difference = [&](const auto& of) { return of[pair.one][metric] - of[pair.other][metric]; };
                const auto value = [&](const auto& of) { return of[pair.one][metric]; };
                const std::vector<double> differences = mapped(usual, difference);
                const std::vector<double> own = mapped(usual, value);
                const std::vector<double> giant_differences = mapped(giant, difference);
                const std::vector<double> giant_own = mapped(giant, value);
                for (const std::size_t groups : {5U, 6U, 8U, 12U, 20U, 50U}) {
                    const auto count_of_groups = static_cast<double>(groups);
                    // One of the workloads has the giant job.
                    const auto with_giant = [&](double all, double one) {
                        return giant.empty() ? all : (all * (count_of_groups - 1) + one) / count_of_groups;
                    };
                    const double truth = with_giant(mean(differences), giant.empty() ? 0 : mean(giant_differences));
                    const double own_truth = with_giant(mean(own), giant.empty() ? 0 : mean(giant_own));
                    // Nobody knows which workload has the giant job: a test with known variance has that of a mixture.
                    const double shift = truth - mean(differences);
                    const double error =
                        std::sqrt(with_giant(variance(differences), giant.empty() ? 0 : variance(giant_differences)) /
                                      count_of_groups +
                                  shift * shift);
                    Draws draws(groups);
                    Count count;
                    for (std::size_t i = 0; i < repetitions; ++i) {
                        std::vector<double> of_differences;
                        std::vector<double> of_values;
                        for (std::size_t j = 0; j < groups; ++j) {
                            const bool is_giant = j == 0 && !giant.empty();
                            const std::size_t place = draws.below(is_giant ? giant.size() : usual.size());
                            of_differences.push_back((is_giant ? giant_differences : differences)[place]);
                            of_values.push_back((is_giant ? giant_own : own)[place]);
                        }
                        count.add(*interval_of_mean(of_differences, Sample::workloads), truth, effect * error);
                        count.add_value(*interval_of_mean(of_values, Sample::workloads), own_truth);
                    }
                    print("workloads", tails.name, pair.name, groups, metrics[metric], count);
                }
            }
        }
    }
}

const JobStatistic& statistic_of(std::size_t metric) {
    return std::get<JobStatistic>(analysis::find_metric(metrics[metric])->definition);
}

// The part of the jobs that were submitted in these weeks.
FinishedJobs jobs_between(const FinishedJobs& jobs, int first, int end) {
    FinishedJobs found;
    std::ranges::copy_if(jobs, std::back_inserter(found), [&](const FinishedJob& job) {
        const double submit = job.submit.to_seconds();
        return first * week <= submit && submit < end * week;
    });
    return found;
}

constexpr std::array<int, 3> week_counts{20, 50, 100};  // the last is the longest

// The jobs of a drawn week.
struct DrawnWeek {
    std::vector<float> runs;                  // in seconds
    std::array<std::vector<float>, 4> waits;  // by scheduler
};

FinishedJobs jobs_of(const DrawnWeek& drawn_week, std::size_t scheduler) {
    FinishedJobs jobs(drawn_week.runs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].start = Time::at(Duration::microseconds(std::llround(drawn_week.waits.at(scheduler)[i] * 1e6)));
        jobs[i].run = Duration::microseconds(std::llround(drawn_week.runs[i] * 1e6));
    }
    return jobs;
}

// Weeks by their mean wait under easy.
std::vector<DrawnWeek> drawn_weeks(bool heavy, bool giant, std::size_t count) {
    std::vector<DrawnWeek> weeks(count);
    for_each_in_parallel(count, threads(), [&](std::size_t number) {
        const Replay replay = replay_of(drawn(heavy, 0.8, jobs_of_week, 1, giant ? 0 : no_week, number + 1));
        for (std::size_t scheduler = 0; scheduler < schedulers().size(); ++scheduler) {
            const MeasuredSchedule schedule(replay.run_to_compare(schedulers()[scheduler]).schedule());
            FinishedJobs jobs = schedule.finished();
            std::ranges::sort(jobs, {}, [](const FinishedJob& job) { return std::pair(job.submit, job.id); });
            for (const FinishedJob& job : jobs) {
                weeks[number].waits.at(scheduler).push_back(static_cast<float>(analysis::wait(job).to_seconds()));
                if (scheduler == 0) {
                    weeks[number].runs.push_back(static_cast<float>(job.run.to_seconds()));
                }
            }
        }
    });
    std::ranges::stable_sort(weeks, {}, [](const DrawnWeek& one) {
        return analysis::sum({one.waits[2].begin(), one.waits[2].end()}) / static_cast<double>(one.runs.size());
    });
    return weeks;
}

// The statistic of the jobs of all weeks. With giants, one week of `groups` has a giant job.
double truth_of(const std::vector<DrawnWeek>& weeks, const std::vector<DrawnWeek>& giants, std::size_t groups,
                std::size_t metric, std::size_t scheduler) {
    FinishedJobs all;
    const auto add = [&](const DrawnWeek& one) {
        const FinishedJobs jobs = jobs_of(one, scheduler);
        all.insert(all.end(), jobs.begin(), jobs.end());
    };
    // Each of the giants stands for a log of `groups` weeks, which has one.
    const std::size_t usual = giants.empty() ? weeks.size() : giants.size() * (groups - 1);
    for (std::size_t i = 0; i < usual; ++i) {
        add(weeks[i * weeks.size() / usual]);
    }
    std::ranges::for_each(giants, add);
    return *analysis::measure(all, statistic_of(metric), default_tau);
}

void measure_weeks() {
    constexpr double coefficient = 0.3;
    print_header();
    std::array<std::array<std::array<double, pairs.size()>, week_counts.size()>, job_metrics> usual_differences{};
    for (const Tails& tails : all_tails) {
        const std::vector<DrawnWeek> weeks = drawn_weeks(tails.are_heavy, false, population);
        const std::vector<DrawnWeek> giants =
            tails.has_giant ? drawn_weeks(false, true, population / 100) : std::vector<DrawnWeek>();
        for (std::size_t part = 0; part < week_counts.size(); ++part) {
            const auto groups = static_cast<std::size_t>(week_counts[part]);
            using Series = std::array<std::array<WeeklySeries, 4>, job_metrics>;
            std::vector<Series> found(logs);
            for_each_in_parallel(logs, threads(), [&](std::size_t number) {
                Draws draws(1000 * groups + number);
                std::vector<const DrawnWeek*> chosen;
                double state = draws.normal();
                for (std::size_t i = 0; i < groups; ++i) {
                    const double rank = std::erfc(-state / std::numbers::sqrt2) / 2;
                    chosen.push_back(&weeks[std::min(static_cast<std::size_t>(rank * static_cast<double>(population)),
                                                     population - 1)]);
                    state = coefficient * state + std::sqrt(1 - coefficient * coefficient) * draws.normal();
                }
                if (!giants.empty()) {
                    chosen[draws.below(groups)] = &giants[draws.below(giants.size())];
                }
                for (std::size_t scheduler = 0; scheduler < schedulers().size(); ++scheduler) {
                    const JobsByWeek by_week =
                        mapped(chosen, [&](const DrawnWeek* one) { return jobs_of(*one, scheduler); });
                    for (std::size_t metric = 0; metric < job_metrics; ++metric) {
                        found[number][metric].at(scheduler) =
                            *analysis::weekly_series(by_week, statistic_of(metric), default_tau);
                    }
                }
            });
            for (std::size_t metric = 0; metric < job_metrics; ++metric) {
                if (groups < analysis::fewest_weeks_of(statistic_of(metric))) {
                    continue;
                }
                for (std::size_t place = 0; place < pairs.size(); ++place) {
                    const Pair& pair = pairs.at(place);
                    const std::vector<double> differences = mapped(found, [&](const Series& series) {
                        return series[metric].at(pair.one).value - series[metric].at(pair.other).value;
                    });
                    const double own = truth_of(weeks, giants, groups, metric, pair.one);
                    const double difference = own - truth_of(weeks, giants, groups, metric, pair.other);
                    double& usual = usual_differences.at(metric).at(part).at(place);
                    if (!tails.has_giant && !tails.are_heavy) {
                        usual = mean(differences);
                    }
                    // As for workloads.
                    const double shift = tails.has_giant ? mean(differences) - usual : 0;
                    const double size = effect * std::sqrt(variance(differences) + shift * shift);
                    Count count;
                    for (const Series& series : found) {
                        count.add(*analysis::interval_of(
                                      analysis::difference(series[metric].at(pair.one), series[metric].at(pair.other)),
                                      statistic_of(metric)),
                                  difference, size);
                        count.add_value(*analysis::interval_of(series[metric].at(pair.one), statistic_of(metric)), own);
                    }
                    print("weeks", tails.name, pair.name, groups, metrics.at(metric), count);
                }
            }
        }
    }
}

// What is kept of a log under each scheduler.
struct OfLog {
    // By number of weeks, metric and scheduler.
    std::array<std::array<std::array<std::optional<WeeklySeries>, 4>, job_metrics>, week_counts.size()> series;
    std::array<std::vector<float>, 4> waits;
    std::array<double, 4> bounded_slowdowns{};  // their sum
};

OfLog measured(const Tails& tails, std::size_t number) {
    const int most = week_counts.back();
    const Replay replay = replay_of(drawn(tails.are_heavy, 0.7, jobs_of_log, weeks_before + most, no_week, number + 1));
    OfLog found;
    for (std::size_t scheduler = 0; scheduler < schedulers().size(); ++scheduler) {
        const MeasuredSchedule schedule(replay.run_to_compare(schedulers()[scheduler]).schedule());
        for (std::size_t part = 0; part < week_counts.size(); ++part) {
            const FinishedJobs jobs = jobs_between(schedule.finished(), weeks_before, weeks_before + week_counts[part]);
            const JobsByWeek by_week = analysis::jobs_by_week(jobs);
            for (std::size_t metric = 0; metric < job_metrics; ++metric) {
                found.series[part][metric][scheduler] =
                    analysis::weekly_series(by_week, statistic_of(metric), default_tau);
            }
            if (part + 1 == week_counts.size()) {
                for (const FinishedJob& job : jobs) {
                    found.waits[scheduler].push_back(static_cast<float>(analysis::wait(job).to_seconds()));
                    found.bounded_slowdowns[scheduler] +=
                        *analysis::measure(job, analysis::JobMeasure::bounded_slowdown, default_tau);
                }
            }
        }
    }
    return found;
}

// The statistic of all weeks of all logs together.
double truth_of(const std::vector<OfLog>& found, std::size_t metric, std::size_t scheduler) {
    std::vector<float> waits;
    double bounded_slowdowns = 0;
    for (const OfLog& of_log : found) {
        waits.insert(waits.end(), of_log.waits[scheduler].begin(), of_log.waits[scheduler].end());
        bounded_slowdowns += of_log.bounded_slowdowns[scheduler];
    }
    const JobStatistic& statistic = statistic_of(metric);
    const auto count = static_cast<double>(waits.size());
    if (statistic.measure == analysis::JobMeasure::bounded_slowdown) {
        return bounded_slowdowns / count;
    }
    const std::size_t share = statistic.share_of(waits.size());
    const bool is_worst = statistic.kind == JobStatistic::Kind::worst;
    const auto place = waits.begin() + static_cast<std::ptrdiff_t>(is_worst ? waits.size() - share : share - 1);
    std::nth_element(waits.begin(), place, waits.end());
    if (statistic.kind == JobStatistic::Kind::percentile) {
        return *place;
    }
    double sum = 0;
    std::for_each(is_worst ? place : waits.begin(), waits.end(), [&](float wait) { sum += wait; });
    return sum / static_cast<double>(share);
}

void measure_queues() {
    print_header();
    for (const Tails& tails : all_tails) {
        if (tails.has_giant) {
            continue;
        }
        std::vector<OfLog> found(logs_with_queues);
        for_each_in_parallel(logs_with_queues, threads(),
                             [&](std::size_t number) { found[number] = measured(tails, number); });
        for (std::size_t metric = 0; metric < job_metrics; ++metric) {
            std::array<double, 4> truth{};
            for (std::size_t scheduler = 0; scheduler < truth.size(); ++scheduler) {
                truth[scheduler] = truth_of(found, metric, scheduler);
            }
            for (std::size_t part = 0; part < week_counts.size(); ++part) {
                if (static_cast<std::size_t>(week_counts[part]) < analysis::fewest_weeks_of(statistic_of(metric))) {
                    continue;
                }
                for (const Pair& pair : pairs) {
                    const std::vector<double> differences = mapped(found, [&](const OfLog& of_log) {
                        const auto& series = of_log.series[part][metric];
                        return series[pair.one]->value - series[pair.other]->value;
                    });
                    const double difference = truth[pair.one] - truth[pair.other];
                    const double size = effect * std::sqrt(variance(differences));
                    Count count;
                    for (const OfLog& of_log : found) {
                        const auto& series = of_log.series[part][metric];
                        count.add(*analysis::interval_of(analysis::difference(*series[pair.one], *series[pair.other]),
                                                         statistic_of(metric)),
                                  difference, size);
                        count.add_value(*analysis::interval_of(*series[pair.one], statistic_of(metric)),
                                        truth[pair.one]);
                    }
                    print("queues", tails.name, pair.name, static_cast<std::size_t>(week_counts[part]), metrics[metric],
                          count);
                }
            }
        }
    }
}

// Whether a table of these schedulers, which are equal, has a mark.
bool has_mark(const std::vector<std::vector<std::vector<double>>>& values) {  // by metric, scheduler and workload
    const std::size_t runs = values.front().size();
    const auto told_apart = [&](std::size_t metric, const ToldApart* only_where) {
        return ToldApart(
            runs,
            [&](std::size_t one, std::size_t other, std::size_t comparisons) {
                std::vector<double> differences = values[metric][one];
                for (std::size_t i = 0; i < differences.size(); ++i) {
                    differences[i] -= values[metric][other][i];
                }
                return interval_of_mean(differences, Sample::workloads, comparisons);
            },
            only_where);
    };
    const ToldApart mean_waits = told_apart(0, nullptr);
    for (std::size_t metric = 0; metric < values.size(); ++metric) {
        const auto means = mapped(values[metric], [](const auto& of) { return std::optional(mean(of)); });
        const auto marks =
            analysis::marks_of(means, analysis::find_metric(metrics[metric])->goal, told_apart(metric, &mean_waits));
        if (std::ranges::any_of(marks, [](analysis::Mark mark) { return mark != analysis::Mark::none; })) {
            return true;
        }
    }
    return mean_waits.any();
}

void measure_tables() {
    std::cout << "tails,schedulers,workloads,tables,with_a_mark\n";
    std::vector<SchedulerChoice> equal;
    for (int seed = 1; seed <= 8; ++seed) {
        equal.push_back({"random", {{"seed", std::to_string(seed)}}});
    }
    for (const Tails& tails : all_tails) {
        if (tails.has_giant) {
            continue;
        }
        const Values drawn_values = values_of(tails.are_heavy, false, population / 5, equal);
        for (const std::size_t runs : {2U, 4U, 8U}) {
            for (const std::size_t groups : {5U, 8U, 12U, 20U, 50U}) {
                Draws draws(groups);
                std::size_t marked = 0;
                for (std::size_t i = 0; i < repetitions; ++i) {
                    std::vector<std::vector<std::vector<double>>> values(metrics.size(),
                                                                         std::vector<std::vector<double>>(runs));
                    for (std::size_t j = 0; j < groups; ++j) {
                        const auto& of_workload = drawn_values[draws.below(drawn_values.size())];
                        for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
                            for (std::size_t run = 0; run < runs; ++run) {
                                values[metric][run].push_back(of_workload[run][metric]);
                            }
                        }
                    }
                    marked += has_mark(values) ? 1 : 0;
                }
                std::printf("%s,%zu,%zu,%zu,%.4f\n", tails.name, runs, groups, repetitions,
                            share(static_cast<double>(marked), repetitions));
                std::fflush(stdout);
            }
        }
    }
}

void measure_halved() {
    std::cout << "tails,schedulers,workloads\n";
    for (const Tails& tails : all_tails) {
        if (tails.has_giant) {
            continue;
        }
        const Values values = values_of(tails.are_heavy, false, population / 5, {{"easy", {}}});
        for (const std::size_t runs : {2U, 4U, 8U}) {
            for (std::size_t groups = fewest_workloads;; ++groups) {
                Draws draws(groups);
                std::size_t found = 0;
                for (std::size_t i = 0; i < repetitions; ++i) {
                    std::vector<double> halves;
                    for (std::size_t j = 0; j < groups; ++j) {
                        halves.push_back(values[draws.below(values.size())][0][0] / 2);
                    }
                    found += interval_of_mean(halves, Sample::workloads, runs * (runs - 1) / 2)->contains(0) ? 0 : 1;
                }
                if (5 * found >= 4 * repetitions) {
                    std::printf("%s,%zu,%zu\n", tails.name, runs, groups);
                    std::fflush(stdout);
                    break;
                }
            }
        }
    }
}

void measure_log(const std::string& platform, const std::string& path, std::size_t seeds) {
    print_header();
    const Workload workload = read_workload(path, "w0");
    const Replay replay(named_platform(platform, {}, workload.processors), workload);
    std::vector<std::vector<MetricInterval>> found(seeds / 2);
    for_each_in_parallel(found.size(), threads(), [&](std::size_t pair) {
        const auto run = [&](std::size_t seed) {
            return MeasuredSchedule(replay.run_to_compare({"random", {{"seed", std::to_string(seed)}}}).schedule());
        };
        const MeasuredSchedule one = run(2 * pair + 1);
        const MeasuredSchedule other = run(2 * pair + 2);
        found[pair] = measure_intervals(one, {}, &other);
    });
    for (std::size_t metric = 0; metric < found.front().size(); ++metric) {
        Count count;
        for (const auto& of_pair : found) {
            if (of_pair[metric].difference_interval) {
                count.add(*of_pair[metric].difference_interval, 0, 0);
            }
        }
        count.found = 0;
        if (count.intervals > 0) {
            const std::string name = path.substr(path.rfind('/') + 1);
            print("log", name.substr(0, name.find('.')), "equal", found.front()[metric].weeks,
                  found.front()[metric].metric, count);
        }
    }
}

}  // namespace

int main(int count, char** words) {
    const std::string_view what = count > 1 ? words[1] : "";
    if (what == "workloads" && count == 2) {
        measure_workloads();
    } else if (what == "weeks" && count == 2) {
        measure_weeks();
    } else if (what == "queues" && count == 2) {
        measure_queues();
    } else if (what == "tables" && count == 2) {
        measure_tables();
    } else if (what == "halved" && count == 2) {
        measure_halved();
    } else if (what == "log" && count == 5) {
        measure_log(words[2], words[3], std::stoul(words[4]));
    } else {
        std::fputs(
            "usage: interval_errors workloads | weeks | queues | tables | halved | log PLATFORM WORKLOAD.json SEEDS\n",
            stderr);
        return 2;
    }
    return 0;
}
