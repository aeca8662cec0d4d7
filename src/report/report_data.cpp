#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string_view>

#include <batfill/version.hpp>

#include "columns.hpp"
#include "figures.hpp"
#include "groupings.hpp"
#include "metrics_data.hpp"
#include "report.hpp"
#include "src/support/json_writer.hpp"

namespace batfill::report {

namespace {

constexpr std::size_t periods_shown = 24;
constexpr std::size_t distribution_points = 2000;
constexpr std::size_t longest_waits_shown = 10;
constexpr std::array<double, 6> quantiles_shown{0.5, 0.75, 0.9, 0.95, 0.99, 1.0};

using Json = CompactJson;

// The text without characters that HTML interprets.
std::string for_html(const Json& json) {
    std::string result;
    result.reserve(json.view().size());
    for (const char c : json.view()) {
        // In JSON, '<' appears only inside strings.
        if (c == '<') {
            result += "\\u003c";
        } else {
            result += c;
        }
    }
    return result;
}

// The zero, the end and the unit of the times of all runs.
class Clock {
 public:
    explicit Clock(const TimeSpan& span) : first_(span.first), last_(span.last) {
        // Milliseconds suffice for pictures. JavaScript's integers end at 2^53.
        while ((last_ - first_).count() / tick_ >= Microseconds{1} << 50) {
            tick_ *= 10;
        }
    }
    Time first() const { return first_; }
    Time last() const { return last_; }
    double seconds_per_tick() const { return static_cast<double>(tick_) / 1e6; }
    std::int64_t ticks(Time time) const { return ticks(time - first_); }
    // Rounds towards zero.
    std::int64_t ticks(Duration duration) const { return static_cast<std::int64_t>(duration.count() / tick_); }

 private:
    Time first_;
    Time last_;
    Microseconds tick_ = 1000;
};

// What the page shows of a run besides its label.
struct MeasuredRun {
    const Run& run;
    FinishedJobs finished;                  // by start; equal starts in the order of the file
    std::vector<const ScheduledJob*> jobs;  // the same jobs
    Metrics metrics;
};

MeasuredRun measured(const Run& run, const Report& report) {
    MeasuredRun result{run, {}, {}, compute_metrics(run.schedule, report.options, report.workloads)};
    for (const ScheduledJob& job : run.schedule.jobs) {
        if (job.finished()) {
            result.jobs.push_back(&job);
        }
    }
    std::stable_sort(result.jobs.begin(), result.jobs.end(), [](const ScheduledJob* a, const ScheduledJob* b) {
        return a->execution->start < b->execution->start;
    });
    for (const ScheduledJob* job : result.jobs) {
        result.finished.push_back(analysis::finished_job(*job));
    }
    return result;
}

// The part of the ids before the job's own name, "w0!", if all ids share it; else empty.
std::string_view common_prefix(const std::vector<const ScheduledJob*>& jobs) {
    if (jobs.empty()) {
        return {};
    }
    const std::string_view first = jobs.front()->id;
    const std::string_view prefix = first.substr(0, first.find('!') + 1);
    const bool common =
        std::all_of(jobs.begin(), jobs.end(), [&](const ScheduledJob* job) { return job->id.starts_with(prefix); });
    return common ? prefix : std::string_view();
}

void write_jobs(const MeasuredRun& run, const Groupings& groupings, const Clock& clock, Json& json) {
    Column starts;
    Column waits;
    Column lengths;
    Column widths;
    Column states;
    Column interval_counts;
    Column intervals;
    std::int64_t before = 0;
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
        const FinishedJob& job = run.finished[i];
        const std::int64_t start = clock.ticks(job.start);
        starts.add_signed(start - before);
        before = start;
        waits.add_signed(clock.ticks(analysis::wait(job)));
        lengths.add_signed(clock.ticks(job.run));
        widths.add_signed(job.processors);
        states.add(static_cast<std::uint64_t>(run.jobs[i]->state));
        const auto& allocation = run.jobs[i]->allocation.intervals();
        interval_counts.add(allocation.size());
        int next = 0;
        for (const auto& [first, last] : allocation) {
            intervals.add(static_cast<std::uint64_t>(first - next));
            intervals.add(static_cast<std::uint64_t>(last - first));
            next = last;
        }
    }
    const std::string_view prefix = common_prefix(run.jobs);
    json.key("jobs").open_object();
    json.key("count").integer(run.jobs.size());
    json.key("start").text(packed(starts.bytes()));
    json.key("wait").text(packed(waits.bytes()));
    json.key("run").text(packed(lengths.bytes()));
    json.key("processors").text(packed(widths.bytes()));
    json.key("state").text(packed(states.bytes()));
    json.key("intervals_of_job").text(packed(interval_counts.bytes()));
    json.key("intervals").text(packed(intervals.bytes()));
    for (const Grouping& grouping : groupings.all()) {
        if (!grouping.names.empty()) {
            Column places;
            for (const FinishedJob& job : run.finished) {
                places.add(groupings.place(grouping, job));
            }
            json.key(grouping.column).text(packed(places.bytes()));
        }
    }
    json.key("id_prefix").text(prefix);
    Json ids;
    ids.array(run.jobs, [&](const ScheduledJob* job) { ids.text(std::string_view(job->id).substr(prefix.size())); });
    json.key("ids").text(packed(ids.view()));
    json.close_object();
}

void write_steps(const MeasuredRun& run, const Clock& clock, Json& json) {
    const std::vector<Step> steps = steps_of(run.finished);
    Column times;
    Column busy;
    Column waiting;
    std::int64_t time_before = 0;
    Step before;
    for (const Step& step : steps) {
        const std::int64_t time = clock.ticks(step.at);
        times.add_signed(time - time_before);
        busy.add_signed(step.busy - before.busy);
        waiting.add_signed(step.waiting - before.waiting);
        time_before = time;
        before = step;
    }
    json.key("steps").open_object();
    json.key("count").integer(steps.size());
    json.key("time").text(packed(times.bytes()));
    json.key("busy").text(packed(busy.bytes()));
    json.key("waiting").text(packed(waiting.bytes()));
    json.close_object();
    json.key("periods").open_array();
    for (const Period& period : periods_of(steps, clock.first(), clock.last(), periods_shown)) {
        json.open_object();
        json.key("from").number((period.from - clock.first()).to_seconds());
        json.key("until").number((period.until - clock.first()).to_seconds());
        json.key("busy").number(period.mean_busy);
        json.key("waiting").number(period.mean_waiting);
        json.key("max_waiting").integer(static_cast<std::uint64_t>(std::max(period.max_waiting, 0LL)));
        json.close_object();
    }
    json.close_array();
}

void write_distribution(const char* name, std::vector<double> values, Json& json) {
    std::sort(values.begin(), values.end());
    json.key(name).open_object();
    json.key("count").integer(values.size());
    json.key("quantiles").open_array();
    for (const double share : quantiles_shown) {
        json.number(quantile(values, share));
    }
    json.close_array();
    const std::vector<DistributionPoint> points = distribution_of(std::move(values), distribution_points);
    json.key("values").open_array();
    for (const DistributionPoint& point : points) {
        json.number(point.value);
    }
    json.close_array();
    json.key("shares").open_array();
    for (const DistributionPoint& point : points) {
        json.number(point.share);
    }
    json.close_array();
    json.close_object();
}

void write_summary(const GroupSummary& group, Json& json) {
    json.key("name").text(group.name);
    json.key("jobs").integer(group.metrics.jobs);
    json.key("processor_seconds").number(group.metrics.processor_seconds);
    json.key("mean_wait").number(group.metrics.mean_wait);
    json.key("max_wait").number(group.metrics.max_wait);
    json.key("mean_bounded_slowdown").number(group.metrics.mean_bounded_slowdown);
}

void write_classes(const MeasuredRun& run, Duration tau, Json& json) {
    json.key("classes").open_array();
    for (const auto& [classes, jobs] : classes_of(run.finished)) {
        json.open_object();
        json.key("width").integer(classes.first);
        json.key("length").integer(classes.second);
        write_summary({analysis::width_class_name(classes.first), analysis::measure_group(jobs, tau)}, json);
        json.close_object();
    }
    json.close_array();
}

void write_groups(const MeasuredRun& run, const Groupings& groupings, Duration tau, Json& json) {
    for (const Grouping& grouping : groupings.all()) {
        if (grouping.names.empty()) {
            continue;
        }
        json.key(grouping.kind).open_array();
        for (const GroupSummary& group : groupings.groups(grouping, run.finished, tau)) {
            json.open_object();
            write_summary(group, json);
            json.close_object();
        }
        json.close_array();
    }
}

void write_deadlines(const MeasuredRun& run, const Groupings& groupings, Json& json) {
    std::vector<double> usages;
    for (const FinishedJob& job : run.finished) {
        const JobDescription* const description = groupings.description(job);
        if (description != nullptr && description->deadline && *description->deadline > job.submit) {
            usages.push_back(analysis::ratio(job.finish - job.submit, *description->deadline - job.submit));
        }
    }
    if (!usages.empty()) {
        write_distribution("deadline_usage", std::move(usages), json);
    }
}

// Writes how much each job started before its guarantee, for jobs that had a guarantee and started.
void write_guarantees(const Run& run, Json& json) {
    if (!run.guarantees) {
        return;
    }
    std::vector<double> early;
    std::size_t kept = 0;
    std::size_t given = 0;
    std::size_t never_started = 0;
    for (const Guarantee& guarantee : *run.guarantees) {
        if (!guarantee.guaranteed_start) {
            continue;
        }
        ++given;
        if (!guarantee.actual_start) {
            ++never_started;
            continue;
        }
        kept += *guarantee.actual_start <= *guarantee.guaranteed_start ? 1U : 0U;
        early.push_back((*guarantee.guaranteed_start - *guarantee.actual_start).to_seconds());
    }
    json.key("guarantees").open_object();
    json.key("jobs").integer(run.guarantees->size());
    json.key("given").integer(given);
    json.key("kept").integer(kept);
    json.key("late").integer(given - kept - never_started);
    json.key("never_started").integer(never_started);
    if (run.broken_guarantees) {
        json.key("moved_by_losses").integer(run.broken_guarantees->size());
    }
    if (!early.empty()) {
        write_distribution("early", std::move(early), json);
    }
    json.close_object();
}

void write_longest_waits(const MeasuredRun& run, Json& json) {
    std::vector<std::size_t> order(run.finished.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t count = std::min(order.size(), longest_waits_shown);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                      [&](std::size_t a, std::size_t b) {
                          const Duration first = analysis::wait(run.finished[a]);
                          const Duration second = analysis::wait(run.finished[b]);
                          return first != second ? first > second : a < b;
                      });
    json.key("longest_waits").open_array();
    for (std::size_t i = 0; i < count; ++i) {
        const FinishedJob& job = run.finished[order[i]];
        json.open_object();
        json.key("id").text(job.id);
        json.key("processors").integer(static_cast<std::uint64_t>(std::max(job.processors, 0)));
        json.key("submit").number(job.submit.to_seconds());
        json.key("wait").number(analysis::wait(job).to_seconds());
        json.key("run").number(job.run.to_seconds());
        json.close_object();
    }
    json.close_array();
}

void write_pairs(const char* name, const std::vector<std::pair<std::string, std::string>>& pairs, Json& json) {
    json.key(name).open_array();
    for (const auto& [first, second] : pairs) {
        json.open_array();
        json.text(first);
        json.text(second);
        json.close_array();
    }
    json.close_array();
}

void write_run(const MeasuredRun& run, const Report& report, const Groupings& groupings, const Clock& clock,
               Json& json) {
    json.open_object();
    json.key("label").text(run.run.label);
    json.key("path").text(run.run.schedule.path);
    write_pairs("summary", run.run.summary, json);
    write_pairs("statistics", run.run.statistics, json);
    write_jobs(run, groupings, clock, json);
    write_steps(run, clock, json);
    std::vector<double> waits;
    std::vector<double> slowdowns;
    for (const FinishedJob& job : run.finished) {
        waits.push_back(analysis::wait(job).to_seconds());
        slowdowns.push_back(*analysis::measure(job, analysis::JobMeasure::bounded_slowdown, report.options.tau));
    }
    write_distribution("waits", std::move(waits), json);
    write_distribution("bounded_slowdowns", std::move(slowdowns), json);
    write_classes(run, report.options.tau, json);
    write_groups(run, groupings, report.options.tau, json);
    write_deadlines(run, groupings, json);
    write_guarantees(run.run, json);
    write_longest_waits(run, json);
    json.close_object();
}

// The machine's number of processors. If it is unknown, one more than the highest number in use.
int processors_of(const Report& report) {
    if (report.options.processors) {
        return *report.options.processors;
    }
    int processors = 1;
    for (const Run& run : report.runs) {
        processors = std::max(processors, processors_used(run.schedule));
    }
    return processors;
}

}  // namespace

std::string report_data(const Report& report) {
    std::vector<MeasuredRun> runs;
    std::vector<FinishedJobs> finished;
    const MeasuredSchedule baseline(report.runs[report.baseline].schedule);
    for (const Run& run : report.runs) {
        analysis::require_same_jobs(baseline, run.schedule);
        runs.push_back(measured(run, report));
        finished.push_back(runs.back().finished);
    }
    const Clock clock(span_of(finished));
    const Groupings groupings(report, finished);
    Json json;
    json.open_object();
    json.key("title").text(report.title);
    json.key("version").text(version);
    json.key("command").text(report.command);
    json.key("files").array(report.files, [&](const SourceFile& file) {
        json.open_object();
        json.key("path").text(file.path);
        json.key("bytes").integer(file.bytes);
        json.key("sha256").text(file.sha256);
        json.close_object();
    });
    json.key("processors").integer(static_cast<std::uint64_t>(processors_of(report)));
    json.key("processors_known").boolean(report.options.processors.has_value());
    json.key("tau").number(report.options.tau.to_seconds());
    json.key("first").number(clock.first().to_seconds());
    json.key("span").number((clock.last() - clock.first()).to_seconds());
    json.key("seconds_per_tick").number(clock.seconds_per_tick());
    json.key("length_classes").texts(analysis::length_class_names);
    json.key("quantiles").array(quantiles_shown, [&](double share) { json.number(share); });
    json.key("states").open_array();
    for (int state = 0; state <= static_cast<int>(JobState::rejected); ++state) {
        json.text(to_string(static_cast<JobState>(state)));
    }
    json.close_array();
    for (const Grouping& grouping : groupings.all()) {
        json.key(grouping.kind).texts(grouping.names);
    }
    json.key("baseline").integer(report.baseline);
    std::vector<const Metrics*> metrics(runs.size());
    std::transform(runs.begin(), runs.end(), metrics.begin(), [](const MeasuredRun& run) { return &run.metrics; });
    json.key("metrics");
    write_metrics_table(metrics, report.baseline, json);
    json.key("runs").open_array();
    for (const MeasuredRun& run : runs) {
        write_run(run, report, groupings, clock, json);
    }
    json.close_array();
    json.close_object();
    return for_html(json);
}

}  // namespace batfill::report
