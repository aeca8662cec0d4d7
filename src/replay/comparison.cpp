#include "src/replay/comparison.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <ostream>
#include <span>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/workloads/swf_conversion.hpp>

#include "src/analysis/resource_use.hpp"
#include "src/analysis/tables.hpp"
#include "src/analysis/told_apart.hpp"
#include "src/replay/notes.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/files.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/parallel.hpp"
#include "src/support/place_in_errors.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"
#include "src/workloads/same_jobs.hpp"

namespace batfill {

namespace {

std::vector<std::string> names_of(const std::vector<std::string>& paths) {
    const std::vector<std::string> names = mapped(paths, workload_name);
    return std::set<std::string>(names.begin(), names.end()).size() < names.size() ? paths : names;
}

// The weeks of a log, as `batfill swf --split 7` makes them without other options.
std::vector<SwfPeriod> weeks_of_log(const std::string& path, const SwfSplit& split, const Note& note) {
    LogConversion request;
    request.log = path;
    request.conversion.split = split;
    ConvertedLog converted = convert_log(request);
    note(path + ": " + counted(converted.periods.size(), "week") + ", " + std::to_string(converted.summary.kept) +
         " of " + counted(converted.log.jobs.size(), "job") +
         " kept, dropped: " + reasons_of(converted.summary.dropped));
    return std::move(converted.periods);
}

std::vector<SwfPeriod> weeks_of(const std::string& path, const Note& note) {
    SwfSplit split;
    split.period = Duration::days(7);
    if (is_log(path)) {
        return weeks_of_log(path, split, note);
    }
    Workload workload = read_workload(path, "w0");
    std::ranges::stable_sort(workload.jobs, {}, [](const WorkloadJob& job) { return job.description.submit; });
    refuse_if<InputError>(!workload.jobs.empty() && workload.jobs.front().description.submit < Time(), [&] {
        return path + ": job " + shown(workload.jobs.front().description.id) +
               " is submitted before 0, expected none for --weeks, which count from there";
    });
    std::vector<SwfPeriod> weeks = split_into_periods(workload, split);
    note(path + ": " + counted(weeks.size(), "week") +
         ", with the jobs that run into the next one: a workload does not say when jobs ran");
    std::size_t conditions = 0;
    for (const SwfPeriod& week : weeks) {
        conditions += week.dropped_conditions;
    }
    if (conditions > 0) {
        note(path + ": " + counted(conditions, "condition") + " in 'after' on jobs of other weeks dropped");
    }
    return weeks;
}

MetricsOptions options_for(const Replay& replay, const ComparisonRequest& request) {
    MetricsOptions options = request.metrics;
    options.set_machine(replay.machine());
    return options;
}

// What `run` returns, which replays the workload under this scheduler.
auto replayed(const Replay& replay, const NamedScheduler& scheduler, auto run) {
    const std::string& path = replay.scenario().workloads.front().path;
    return with_place_in_errors(path + " under " + scheduler.name, run, UsageErrors::stay);
}

// Adds the jobs that this run rejects. Returns whether there are some.
bool add_rejected(const Outcome& outcome, const std::string& scheduler, RejectedJobs& rejected) {
    if (outcome.rejected().empty()) {
        return false;
    }
    for (const ScheduledJob& job : outcome.schedule().jobs) {
        if (job.state == JobState::rejected) {
            rejected.ids.insert(job.id);
        }
    }
    if (rejected.first.empty()) {
        const Rejections& some = outcome.rejected().begin()->second;
        rejected.first = shown(outcome.simulation().job(some.first).job->description.id) + ", under " + scheduler +
                         ": it " + some.reason;
    }
    return true;
}

RejectedJobs together(std::span<const RejectedJobs> rejected) {
    RejectedJobs all;
    for (const RejectedJobs& some : rejected) {
        all.ids.insert(some.ids.begin(), some.ids.end());
        all.first = all.first.empty() ? some.first : all.first;
    }
    return all;
}

// The jobs that no column counts, and why the first of them was rejected, if it was.
std::string text_of_left_out(std::size_t jobs, const std::string& first_rejected) {
    return counted(jobs, "job") + " that did not run everywhere" +
           (first_rejected.empty() ? "" : " (" + first_rejected + ")");
}

// Leaves jobs that some scheduler rejected out of those that count.
// Throws: InputError, which names the first of them, if no job is left.
void leave_out_rejected(const Workload& workload, const RejectedJobs& rejected, std::optional<StartedInLog>& counted) {
    if (!counted) {
        counted.emplace();
        for (const WorkloadJob& job : workload.jobs) {
            counted->insert(job.description.id);
        }
    }
    for (const std::string& id : rejected.ids) {
        counted->erase(id);
    }
    refuse_if<InputError>(counted->empty(), workload.path, ": job ", rejected.first,
                          "; expected a job that runs under every scheduler");
}

// The names of the schedulers, and behind them that of the log.
std::vector<std::string> columns_of(const ComparisonRequest& request) {
    std::vector<std::string> names = mapped(request.schedulers, &NamedScheduler::name);
    if (request.log) {
        names.emplace_back("log");
    }
    return names;
}

// The metrics of the first replay are those that are shown.
void require_known_metrics(const ComparisonRequest& request, const Replay& first) {
    analysis::shown_metrics(request.shown, Metrics({}, analysis::resource_names(first.machine().resources())));
}

// For each replay; none without a log.
std::vector<Schedule> schedules_of_log(const std::vector<Replay>& replays, const ComparisonRequest& request) {
    if (!request.log) {
        return {};
    }
    const LogColumn log(*request.log);
    std::vector<Schedule> schedules =
        log.of(mapped(replays, [](const Replay& replay) { return &replay.scenario().workloads.front(); }));
    ReplayNotes notes;
    for (std::size_t i = 0; i < replays.size(); ++i) {
        const Workload& workload = replays[i].scenario().workloads.front();
        if (const std::size_t missing = workload.jobs.size() - schedules[i].jobs.size(); missing > 0) {
            request.note(workload.path + ": " + std::to_string(missing) + " of " +
                         counted(workload.jobs.size(), "job") + " did not start in " + *request.log +
                         ", and no column counts them");
        }
        for (const auto& [amount, share] : workload.more_than_log) {
            request.note(workload.path + ": its jobs take " + rounded(100 * share, 1) + " % more " + amount +
                         " times run time than in the log (more_than_log)");
        }
        notes.add_log(schedules[i], replays[i].machine());
    }
    std::ranges::for_each(notes.texts(), request.note);
    return schedules;
}

// Whether it is fcfs with one queue, on a machine of several partitions that share no host.
bool blocks_other_partitions(const SchedulerChoice& choice, const Machine& machine) {
    const Resources& resources = machine.resources();
    return choice.algorithm() == "fcfs" && resources.partitions().size() > 1 &&
           std::ranges::all_of(resources.kinds(), [](const auto& kind) { return kind.partitions.size() <= 1; }) &&
           std::ranges::count(choice.parameters().given(), Parameters::Given::value_type("queues", "partitions")) == 0;
}

void note_surprises(const std::vector<Replay>& replays, const ComparisonRequest& request) {
    ReplayNotes notes;
    for (const Replay& replay : replays) {
        notes.add_machine(replay.scenario().platform.notes);
    }
    for (const NamedScheduler& scheduler : request.schedulers) {
        for (const Replay& replay : replays) {
            notes.add_run(replay.scenario().workloads.front(), replay.machine(), scheduler.choice.common().placement,
                          request.fields_are_read, &scheduler.choice);
            if (blocks_other_partitions(scheduler.choice, replay.machine())) {
                notes.add_machine(
                    {"the partitions share no host, and under fcfs the head of one keeps the jobs of all "
                     "others waiting (queues=partitions gives each a queue)"});
            }
        }
    }
    std::ranges::for_each(notes.texts(), request.note);
}

// ---- How it is written

using analysis::ShownMetric;
using analysis::Unit;

using Values = analysis::ValuesOfRun;

// The values of a metric under a scheduler, for each workload.
Values values_of(const Comparison& comparison, std::size_t scheduler, const ShownMetric& metric) {
    return mapped(comparison.rows, [&](const auto& row) { return metric.of(row.values[scheduler]); });
}

std::string text_of(const GroupedMean& mean, const ShownMetric& metric) {
    std::string text = for_people(mean.mean, metric.unit);
    if (mean.interval && metric.unit != Unit::count) {
        const Interval interval = *analysis::possible_part(mean.interval, metric.name, *mean.mean);
        text += " [" + for_people(interval.low, metric.unit) + ", " + for_people(interval.high, metric.unit) + "]";
    }
    return text;
}

bool any_above_0(const Values& values) {
    return std::ranges::any_of(values, [](const auto& value) { return value && *value > 0; });
}

bool any_has_deadlines(const Comparison& comparison) {
    return std::ranges::any_of(comparison.rows, [](const Comparison::Row& row) {
        return std::ranges::any_of(row.values, [](const Metrics& run) { return run["deadline_jobs"] > 0; });
    });
}

// Whether a line says something. Metrics of jobs with deadlines do not if no job has one. Counts of killed or rejected
// jobs do not if they are 0.
bool is_telling(const ShownMetric& metric, const Values& means, bool with_deadlines) {
    const bool has_any = std::ranges::any_of(means, [](const auto& value) { return value.has_value(); });
    return (with_deadlines || !metric.is_of_deadlines) &&
           (any_above_0(means) || (metric.unit != Unit::count && has_any));
}

// The values of a metric under each scheduler, for each workload.
std::vector<Values> values_of(const Comparison& comparison, const ShownMetric& metric) {
    std::vector<Values> values;
    for (std::size_t scheduler = 0; scheduler < comparison.schedulers.size(); ++scheduler) {
        values.push_back(values_of(comparison, scheduler, metric));
    }
    return values;
}

Values means_of(const Comparison& comparison, const std::vector<Values>& values) {
    return mapped(values, [&](const Values& of) { return mean_over_groups(of, groups_of(comparison)).mean; });
}

// The groups of the workloads that have jobs. Where a single metric was computed, nobody knows: those of all.
WorkloadGroups with_jobs(const Comparison& comparison) {
    WorkloadGroups groups{{}, comparison.sample};
    for (const Comparison::Row& row : comparison.rows) {
        if (row.values.front()["jobs"].value_or(1) > 0) {
            groups.numbers.push_back(row.group);
        }
    }
    return groups;
}

// What everything rests on that is said of who is better.
struct MeanWaitsOf {
    explicit MeanWaitsOf(const Comparison& comparison)
        : values(values_of(comparison, analysis::shown_metrics({"mean_wait"}, first_of(comparison)).front())),
          told_apart(analysis::told_apart_over(groups_of(comparison), values)) {}

    static const Metrics& first_of(const Comparison& comparison) { return comparison.rows.front().values.front(); }

    std::vector<Values> values;
    analysis::ToldApart told_apart;
};

analysis::MarkedLines lines_of(const Comparison& comparison, const std::vector<std::string>& chosen,
                               const analysis::ToldApart& mean_waits) {
    const bool with_deadlines = any_has_deadlines(comparison);
    analysis::MarkedLines lines{{{""}}};
    for (const std::string& scheduler : comparison.schedulers) {
        lines.front().push_back({scheduler});
    }
    for (const ShownMetric& metric : analysis::shown_metrics(chosen, MeanWaitsOf::first_of(comparison))) {
        const std::vector<Values> values = values_of(comparison, metric);
        const Values means = means_of(comparison, values);
        if (chosen.empty() && !is_telling(metric, means, with_deadlines)) {
            continue;
        }
        const std::vector<analysis::Mark> marks =
            analysis::marks_of(means, metric.goal, told_apart_over(groups_of(comparison), values, &mean_waits));
        auto& line = lines.emplace_back(1, analysis::MarkedCell{metric.title});
        for (std::size_t scheduler = 0; scheduler < means.size(); ++scheduler) {
            const GroupedMean mean = mean_over_groups(values[scheduler], groups_of(comparison));
            line.push_back({text_of(mean, metric), marks[scheduler]});
        }
    }
    return lines;
}

analysis::Rows rows_of(const Comparison& comparison, const std::vector<std::string>& chosen,
                       const analysis::ToldApart& mean_waits) {
    analysis::Rows rows{analysis::with_intervals(
                            {{"metric", "metric"}, {"scheduler", "scheduler"}, {"workloads", "workloads"}}, "mean"),
                        {}};
    rows.columns.push_back({"mark", "mark"});
    const WorkloadGroups groups = groups_of(comparison);
    for (const ShownMetric& metric : analysis::shown_metrics(chosen, MeanWaitsOf::first_of(comparison))) {
        const std::vector<Values> values = values_of(comparison, metric);
        const std::vector<analysis::Mark> marks =
            analysis::marks_of(means_of(comparison, values), metric.goal, told_apart_over(groups, values, &mean_waits));
        for (std::size_t scheduler = 0; scheduler < comparison.schedulers.size(); ++scheduler) {
            const GroupedMean own = mean_over_groups(values[scheduler], groups);
            if (own.values == 0 && chosen.empty()) {
                continue;
            }
            std::vector<analysis::Cell>& row = rows.rows.emplace_back();
            row = {metric.name, comparison.schedulers[scheduler],
                   analysis::Number{static_cast<double>(own.values), Unit::count}};
            const GroupedMean difference =
                mean_over_groups(analysis::difference(values[scheduler], values[comparison.baseline]), groups);
            append(row, own.mean, analysis::possible_part(own.interval, metric.name, own.mean.value_or(0)),
                   metric.unit);
            append(row, difference.mean, difference.interval, metric.unit);
            row.emplace_back(to_string(marks[scheduler]));
        }
    }
    return rows;
}

// Over how many workloads the table is.
std::string extent_of(const Comparison& comparison) {
    const std::size_t empty = comparison.rows.size() - with_jobs(comparison).numbers.size();
    std::string text = comparison.rows.size() > 1 ? "mean over " + std::to_string(comparison.rows.size() - empty) +
                                                        " workloads, each replayed on an empty machine"
                                                  : "one workload";
    if (empty > 0) {
        text +=
            comparison.rows.size() > 1 ? ", leaving out " + std::to_string(empty) + " without jobs" : " without jobs";
    }
    return text + (comparison.left_out > 0
                       ? ", without " + text_of_left_out(comparison.left_out, comparison.first_rejected)
                       : "");
}

// Which scheduler is best, and how sure that is; empty if there is nothing to compare.
std::string verdict_of(const Comparison& comparison, const MeanWaitsOf& waits) {
    return analysis::verdict({comparison.schedulers, means_of(comparison, waits.values), comparison.baseline,
                              reason_for_no_intervals(comparison)},
                             waits.told_apart);
}

}  // namespace

PreparedReplays prepare_replays(const ComparisonRequest& request) {
    PreparedReplays prepared;
    const std::vector<std::string> names_of_files = names_of(request.workloads);
    for (std::size_t i = 0; i < request.workloads.size(); ++i) {
        const std::string& path = request.workloads[i];
        if (!request.weeks) {
            Workload workload = read_named_workload(path, "w0", request.note);
            Platform platform = named_platform(request.platform, request.machine, workload.processors);
            prepared.replays.emplace_back(std::move(platform), std::move(workload));
            prepared.names.push_back(names_of_files[i]);
            continue;
        }
        for (SwfPeriod& week : weeks_of(path, request.note)) {
            Platform platform = named_platform(request.platform, request.machine, week.workload.processors);
            platform.windows = windows_since(std::move(platform.windows), week.begin);
            prepared.names.push_back(names_of_files[i] + "-week-" + std::to_string(week.number));
            week.workload.path = path + " week " + std::to_string(week.number);
            prepared.replays.emplace_back(std::move(platform), std::move(week.workload));
        }
    }
    return prepared;
}

MeasuredReplay measure_replay(const ReplayToMeasure& one, const ComparisonRequest& request) {
    const auto& [replay, scheduler, counted] = one;
    MeasuredReplay measured;
    measured.metrics = replayed(
        *replay, *scheduler,
        [&, &replay = replay, &counted = counted, &scheduler = scheduler]() -> std::optional<Metrics> {
            const Outcome outcome = replay->run_of_workload(scheduler->choice, request.run);
            if (add_rejected(outcome, scheduler->name, measured.rejected) && counted == nullptr) {
                return std::nullopt;
            }
            if (counted == nullptr && request.metric) {
                std::vector<std::optional<double>> values(analysis::all_metrics().size());
                values[static_cast<std::size_t>(analysis::find_metric(request.metric->name()) -
                                                analysis::all_metrics().data())] = request.metric->value(outcome);
                return Metrics(std::move(values));
            }
            Schedule schedule = outcome.schedule();
            if (counted != nullptr) {
                leave_out_others(schedule, *counted);
            }
            const MetricsOptions options = options_for(*replay, request);
            return compute_metrics({schedule, options.resources}, options, replay->scenario().workloads);
        });
    return measured;
}

std::size_t baseline_of(const ComparisonRequest& request) {
    if (!request.baseline) {
        return 0;
    }
    const std::vector<std::string> names = columns_of(request);
    const auto found = std::ranges::find(names, *request.baseline);
    refuse_if(found == names.end(), [&] { return unknown_name("baseline", *request.baseline, names); });
    return static_cast<std::size_t>(found - names.begin());
}

Comparison compare(const ComparisonRequest& request, const std::function<void(std::size_t, std::size_t)>& progress) {
    baseline_of(request);  // before files are read
    PreparedReplays prepared = prepare_replays(request);
    if (!prepared.replays.empty()) {
        require_known_metrics(request, prepared.replays.front());
    }
    note_surprises(prepared.replays, request);
    return compare(prepared.replays, std::move(prepared.names), request, progress);
}

Comparison compare(const std::vector<Replay>& replays, std::vector<std::string> names, const ComparisonRequest& request,
                   const std::function<void(std::size_t, std::size_t)>& progress) {
    Comparison comparison;
    comparison.baseline = baseline_of(request);
    comparison.sample = request.weeks ? Sample::weeks : Sample::workloads;
    comparison.schedulers = columns_of(request);
    const std::size_t columns = request.schedulers.size();
    const std::size_t total = replays.size() * columns;
    const std::vector<Schedule> of_log = schedules_of_log(replays, request);
    std::vector<std::optional<StartedInLog>> counted(replays.size());  // none: all jobs of the workload
    for (std::size_t row = 0; row < of_log.size(); ++row) {
        counted[row] = started_in(of_log[row]);
    }
    std::vector<std::optional<Metrics>> measured(total);
    std::vector<RejectedJobs> rejected(total);
    const auto measure_all = [&](const std::vector<std::size_t>& numbers, const auto& when_done) {
        const std::vector<ReplayToMeasure> tasks = mapped(numbers, [&](std::size_t number) {
            const std::size_t row = number / columns;
            return ReplayToMeasure{&replays[row], &request.schedulers[number % columns],
                                   counted[row] ? &*counted[row] : nullptr};
        });
        const auto take = [&](std::size_t place, MeasuredReplay one) {
            measured[numbers[place]] = std::move(one.metrics);
            rejected[numbers[place]] = std::move(one.rejected);
        };
        if (request.elsewhere) {
            std::size_t done = 0;
            request.elsewhere(tasks, [&](std::size_t place, MeasuredReplay one) {
                take(place, std::move(one));
                when_done(++done);
            });
            return;
        }
        for_each_in_parallel(
            tasks.size(), request.threads,
            [&](std::size_t place) { take(place, measure_replay(tasks[place], request)); }, when_done);
    };
    std::vector<std::size_t> all(total);
    std::iota(all.begin(), all.end(), std::size_t{0});
    measure_all(all, [&](std::size_t done) { progress(done, total); });
    // Which jobs count is only known when all have run.
    std::vector<std::size_t> again;
    for (std::size_t row = 0; row < replays.size(); ++row) {
        const RejectedJobs of_row = together(std::span(rejected).subspan(row * columns, columns));
        if (!of_row.ids.empty()) {
            leave_out_rejected(replays[row].scenario().workloads.front(), of_row, counted[row]);
            if (comparison.first_rejected.empty()) {
                comparison.first_rejected = of_row.first;
            }
            for (std::size_t column = 0; column < columns; ++column) {
                again.push_back(row * columns + column);
            }
        }
    }
    measure_all(again, [](std::size_t) {});
    const std::vector<std::size_t> groups = groups_of_equal(
        mapped(replays, [](const Replay& replay) { return hash_of_jobs(replay.scenario().workloads.front()); }));
    for (std::size_t row = 0; row < replays.size(); ++row) {
        Comparison::Row& added = comparison.rows.emplace_back(Comparison::Row{std::move(names[row]), {}, groups[row]});
        for (std::size_t column = 0; column < columns; ++column) {
            added.values.push_back(std::move(*measured[row * columns + column]));
        }
        if (counted[row]) {
            comparison.left_out += replays[row].scenario().workloads.front().jobs.size() - counted[row]->size();
        }
        if (!of_log.empty()) {
            Schedule log = of_log[row];
            leave_out_others(log, *counted[row]);
            added.values.push_back(
                measure_log(log, options_for(replays[row], request), replays[row].scenario().workloads));
        }
    }
    if (!comparison.first_rejected.empty()) {
        request.note("no column counts " + text_of_left_out(comparison.left_out, comparison.first_rejected));
    }
    return comparison;
}

std::vector<RunGroups> compare_groups(const ComparisonRequest& request, const std::vector<JobGrouping>& groupings,
                                      const std::function<void(std::size_t, std::size_t)>& progress) {
    assert(request.workloads.size() == 1 && !request.weeks);
    const PreparedReplays prepared = prepare_replays(request);
    note_surprises(prepared.replays, request);
    const Replay& replay = prepared.replays.front();
    const std::vector<Schedule> of_log = schedules_of_log(prepared.replays, request);
    const std::size_t total = request.schedulers.size();
    std::vector<std::string> names = columns_of(request);
    std::vector<Schedule> schedules(total);
    std::vector<RejectedJobs> rejected(total);
    for_each_in_parallel(
        total, request.threads,
        [&](std::size_t number) {
            const NamedScheduler& scheduler = request.schedulers[number];
            schedules[number] = replayed(replay, scheduler, [&] {
                const Outcome outcome = replay.run_of_workload(scheduler.choice, request.run);
                add_rejected(outcome, scheduler.name, rejected[number]);
                return outcome.schedule();
            });
        },
        [&](std::size_t done) { progress(done, total); });
    std::optional<StartedInLog> counted;
    for (const Schedule& schedule : of_log) {
        schedules.push_back(schedule);
        counted = started_in(schedule);
    }
    const RejectedJobs all_rejected = together(rejected);
    if (!all_rejected.ids.empty()) {
        const Workload& workload = replay.scenario().workloads.front();
        leave_out_rejected(workload, all_rejected, counted);
        request.note(workload.path + ": no column counts " +
                     text_of_left_out(workload.jobs.size() - counted->size(), all_rejected.first));
    }
    std::vector<MeasuredSchedule> runs;
    for (Schedule& schedule : schedules) {
        if (counted) {
            leave_out_others(schedule, *counted);
        }
        runs.emplace_back(schedule);
    }
    std::vector<std::vector<JobGroup>> groups =
        measure_groups(runs, request.metrics, groupings, replay.scenario().workloads);
    std::vector<RunGroups> result;
    for (std::size_t run = 0; run < names.size(); ++run) {
        result.push_back({std::move(names[run]), std::move(groups[run])});
    }
    return result;
}

std::string reason_for_no_intervals(const Comparison& comparison) {
    return reason_for_no_intervals(with_jobs(comparison));
}

WorkloadGroups groups_of(const Comparison& comparison) {
    return {mapped(comparison.rows, &Comparison::Row::group), comparison.sample};
}

void write_csv(const Comparison& comparison, const std::string& metric, const std::string& path) {
    OutputFile file(path);
    std::string line = "workload";
    for (const std::string& scheduler : comparison.schedulers) {
        line += ',' + csv_text(scheduler);
    }
    file.write(line + '\n');
    for (const Comparison::Row& row : comparison.rows) {
        line = csv_text(row.workload);
        for (const Metrics& metrics : row.values) {
            const std::optional<double> value = metrics[metric];
            line += ',' + (value ? exact(*value) : "");
        }
        file.write(line + '\n');
    }
    file.commit();
}

void write_comparison(std::ostream& out, const Comparison& comparison, MetricsFormat format,
                      const std::vector<std::string>& chosen) {
    const MeanWaitsOf waits(comparison);
    if (format == MetricsFormat::csv || format == MetricsFormat::json) {
        analysis::write_rows(out, rows_of(comparison, chosen, waits.told_apart), format);
        return;
    }
    const analysis::MarkedLines lines = lines_of(comparison, chosen, waits.told_apart);
    std::string meaning = analysis::meaning_of_marks(waits.told_apart, analysis::has_marks(lines), format);
    const std::string verdict = verdict_of(comparison, waits);
    if (format == MetricsFormat::table) {
        out << extent_of(comparison) << '\n' << one_line(verdict) << (verdict.empty() ? "" : "\n");
    } else {
        meaning = "Table: " + extent_of(comparison) + ". " + verdict + (verdict.empty() ? "" : " ") + meaning;
    }
    analysis::write_lines(out, lines, format, meaning);
}

}  // namespace batfill
