#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include <batfill/version.hpp>

#include "src/analysis/limit_waits.hpp"
#include "src/analysis/metric_table.hpp"
#include "src/analysis/resource_use.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "src/replay/explanation.hpp"
#include "src/replay/log_column.hpp"
#include "src/report/columns.hpp"
#include "src/report/drawn_windows.hpp"
#include "src/report/figures.hpp"
#include "src/report/first_screen.hpp"
#include "src/report/report.hpp"
#include "src/report/stripes.hpp"
#include "src/support/csv_text.hpp"
#include "src/support/interruption.hpp"
#include "src/support/json_writer.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::report {

namespace {

constexpr std::size_t periods_shown = 24;
constexpr Duration shortest_period = Duration::microseconds(1000);  // as the page shows times
constexpr std::size_t distribution_points = 2000;
constexpr std::size_t longest_waits_shown = 10;
constexpr Amount most_cores = 1'000'000'000;  // of a job
constexpr std::array<double, 6> quantiles_shown{0.5, 0.75, 0.9, 0.95, 0.99, 1.0};

using analysis::Unit;
using analysis::wait;

// The zero, the end and the unit of the times of all runs.
struct Clock : TimeSpan {
    explicit Clock(const TimeSpan& span) : TimeSpan(span) {
        // Milliseconds suffice for pictures. JavaScript's integers end at 2^53.
        while ((last - first).count() / tick >= Microseconds{1} << 50) {
            tick *= 10;
        }
    }
    std::int64_t ticks(Time time) const { return ticks(time - first); }
    // Rounds towards zero.
    std::int64_t ticks(Duration duration) const { return static_cast<std::int64_t>(duration.count() / tick); }

    Microseconds tick = 1000;
};

// What the page shows of a run besides its label.
struct MeasuredRun {
    const Run& run;
    FinishedJobs finished;                  // by start; equal starts in the order of the file
    std::vector<const ScheduledJob*> jobs;  // the same jobs
    Metrics metrics;
    // The same jobs, allocated as many cores as they take of hosts that jobs share. Empty: hosts or processors count.
    FinishedJobs with_cores{};
    std::vector<std::vector<Rows>> stripes{};  // of the same jobs, by panel
    std::vector<analysis::ResourceUse> use{};
    std::optional<analysis::WaitsForLimits> for_limits{};  // none: there are no limits, or no workloads

    // The jobs as the time counts that they have of the machine.
    const FinishedJobs& counted() const { return with_cores.empty() ? finished : with_cores; }
};

// Whether nobody knows which hosts the jobs of a run had.
bool has_no_hosts(const Run& run, const Report& report) {
    return run.is_of_log && report.options.resources.has_shared_hosts();
}

MeasuredRun measured(const Run& run, const MeasuredSchedule& schedule, const Report& report) {
    MeasuredRun result{run,
                       {},
                       {},
                       has_no_hosts(run, report) ? measure_log(run.schedule, report.options, report.workloads)
                                                 : compute_metrics(schedule, report.options, report.workloads)};
    for (const ScheduledJob& job : run.schedule.jobs) {
        if (job.finished()) {
            result.jobs.push_back(&job);
        }
    }
    std::ranges::stable_sort(result.jobs, {}, [](const ScheduledJob* job) { return job->execution->start; });
    result.finished = mapped(result.jobs, [](const ScheduledJob* job) { return analysis::finished_job(*job); });
    return result;
}

const std::string& user_of(const JobDescription& job) {
    return job.user;
}
const std::string& queue_of(const JobDescription& job) {
    return job.queue;
}
const std::string& partition_of(const JobDescription& job) {
    static const std::string none;
    return job.needs && job.needs->partition ? *job.needs->partition : none;
}

// A grouping of jobs by a text of the workloads: users, queues or partitions.
struct Grouping {
    const char* kind;    // the plural: "users"
    const char* column;  // the singular: "user"
    const std::string& (*name_of)(const JobDescription& job);
    std::vector<std::string> names{};             // most processor time in all runs first; empty if no job has one
    std::map<std::string, std::size_t> places{};  // the index of each name
};

class Groupings {
 public:
    // `jobs` are those of all runs.
    Groupings(const Report& report, const FinishedJobs& jobs) : workload_jobs_(report.workloads) {
        if (report.workloads.empty()) {
            return;
        }
        if (!report.options.resources.partitions().empty()) {
            groupings_.push_back({"partitions", "partition", partition_of});
        }
        for (Grouping& grouping : groupings_) {
            grouping.names = mapped(groups(grouping, jobs, report.options.tau), &GroupSummary::name);
            if (grouping.names == std::vector<std::string>{""}) {
                grouping.names.clear();
            }
            for (std::size_t i = 0; i < grouping.names.size(); ++i) {
                grouping.places[grouping.names[i]] = i;
            }
        }
    }

    const std::vector<Grouping>& all() const { return groupings_; }
    // The job in the workloads; null if they do not have it.
    const JobDescription* description(const FinishedJob& job) const {
        const std::optional<analysis::IndexedJob> found = workload_jobs_.find(job.id);
        return found ? found->description : nullptr;
    }
    const std::string& name(const Grouping& grouping, const FinishedJob& job) const {
        return grouping.name_of(*description(job));
    }
    std::vector<GroupSummary> groups(const Grouping& grouping, const FinishedJobs& jobs, Duration tau,
                                     const std::optional<analysis::WaitsForLimits>& for_limits = {}) const {
        return groups_of(
            jobs, tau, [&](const FinishedJob& job) { return name(grouping, job); },
            for_limits ? &*for_limits : nullptr);
    }

 private:
    analysis::WorkloadJobs workload_jobs_;
    std::vector<Grouping> groupings_{{"users", "user", user_of}, {"queues", "queue", queue_of}};
};

// The part of the ids before the job's own name, "w0!", if all ids share it; else empty.
std::string_view common_prefix(const std::vector<const ScheduledJob*>& jobs) {
    if (jobs.empty()) {
        return {};
    }
    const std::string_view first = jobs.front()->id;
    const std::string_view prefix = first.substr(0, first.find('!') + 1);
    const bool common = std::ranges::all_of(jobs, [&](const auto* job) { return job->id.starts_with(prefix); });
    return common ? prefix : std::string_view();
}

// Writes a column. `add` puts the entries of each of the `values` into it.
void write_column(const char* name, const auto& values, JsonWriter& json, auto add) {
    Column column;
    for (const auto& value : values) {
        look_for_interruption();
        add(column, value);
    }
    json.key(name).text(packed(column.bytes()));
}

// Writes the intervals of jobs, intervals_of(JOB).
void write_intervals(const auto& jobs, auto intervals_of, JsonWriter& json) {
    write_column("intervals_of_job", jobs, json,
                 [&](Column& all, const auto& job) { all.add(intervals_of(job).size()); });
    write_column("intervals", jobs, json, [&](Column& all, const auto& job) {
        int next = 0;
        for (const auto& [first, last] : intervals_of(job)) {
            all.add(static_cast<std::uint64_t>(first - next));
            all.add(static_cast<std::uint64_t>(last - first));
            next = last;
        }
    });
}

void write_jobs(const MeasuredRun& run, const Groupings& groupings, const Clock& clock, JsonWriter& json) {
    const auto write = [&](const char* name, auto add) { write_column(name, run.finished, json, add); };
    json.key("jobs").open_object();
    json.key("count").integer(run.jobs.size());
    write("start", [&](Column& all, const FinishedJob& job) { all.add_change(clock.ticks(job.start)); });
    write("wait", [&](Column& all, const FinishedJob& job) { all.add_signed(clock.ticks(wait(job))); });
    write("run", [&](Column& all, const FinishedJob& job) { all.add_signed(clock.ticks(job.run)); });
    write("processors", [](Column& all, const FinishedJob& job) { all.add_signed(job.processors); });
    write_column("state", run.jobs, json,
                 [](Column& all, const ScheduledJob* job) { all.add(static_cast<std::uint64_t>(job->state)); });
    write_intervals(
        run.jobs, [](const ScheduledJob* job) -> const Rows& { return job->allocation.intervals(); }, json);
    if (!run.stripes.empty()) {
        json.key("panels").objects(run.stripes, [&](const std::vector<Rows>& stripes) {
            write_intervals(
                stripes, [](const Rows& rows) -> const Rows& { return rows; }, json);
        });
    }
    for (const Grouping& grouping : groupings.all()) {
        if (!grouping.names.empty()) {
            write(grouping.column, [&](Column& all, const FinishedJob& job) {
                all.add(grouping.places.at(groupings.name(grouping, job)));
            });
        }
    }
    const std::string_view prefix = common_prefix(run.jobs);
    json.key("id_prefix").text(prefix);
    JsonWriter ids;
    ids.array(run.jobs, [&](const ScheduledJob* job) { ids.text(std::string_view(job->id).substr(prefix.size())); });
    json.key("ids").text(packed(ids.written()));
    json.close_object();
}

void write_steps(const MeasuredRun& run, const Clock& clock, JsonWriter& json) {
    const std::vector<Step> steps = steps_of(run.finished);
    json.key("steps").open_object();
    json.key("count").integer(steps.size());
    write_column("time", steps, json, [&](Column& all, const Step& step) { all.add_change(clock.ticks(step.at)); });
    write_column("busy", steps, json, [](Column& all, const Step& step) { all.add_change(step.busy); });
    write_column("waiting", steps, json, [](Column& all, const Step& step) { all.add_change(step.waiting); });
    json.close_object();
    const auto most = static_cast<std::size_t>((clock.last - clock.first).count() / shortest_period.count());
    const std::vector<Period> periods =
        periods_of(steps, clock.first, clock.last, std::clamp(most, std::size_t{1}, periods_shown));
    json.key("periods").objects(periods, [&](const Period& period) {
        json.key("from").number((period.from - clock.first).to_seconds());
        json.key("until").number((period.until - clock.first).to_seconds());
        json.key("busy").number(period.mean_busy);
        json.key("waiting").number(period.mean_waiting);
        json.key("max_waiting").integer(static_cast<std::uint64_t>(std::max(period.max_waiting, 0LL)));
    });
}

// The unit of the amounts on the page, so that they are integers of JavaScript: 1, or a power of ten if there is more.
double unit_of(const analysis::ResourceUse& use) {
    double unit = 1;
    while (static_cast<double>(use.total) / unit > 1e9) {
        unit *= 10;
    }
    return unit;
}

void write_use(const std::vector<analysis::UseStep>& steps, double unit, const Clock& clock, JsonWriter& json) {
    json.key("count").integer(steps.size());
    write_column("time", steps, json, [&](Column& all, const analysis::UseStep& step) {
        all.add_change(clock.ticks(std::clamp(step.at, clock.first, clock.last)));
    });
    write_column("taken", steps, json, [&](Column& all, const analysis::UseStep& step) {
        all.add_change(static_cast<std::int64_t>(std::llround(step.taken / unit)));
    });
}

// Writes the charts of hosts that jobs share, and the names of pools and capacities with what windows take of them.
void write_resources(const std::vector<HostPanel>& panels, const std::vector<analysis::ResourceUse>& resources,
                     const Clock& clock, JsonWriter& json) {
    json.key("panels").objects(panels, [&](const HostPanel& panel) {
        json.key("capacity").text(panel.capacity);
        json.key("is_by_host").boolean(panel.is_by_host);
        json.key("rows").integer(static_cast<std::uint64_t>(panel.rows()));
        write_column("first_rows", panel.first_rows, json, [](Column& all, int row) { all.add_change(row); });
    });
    json.key("resources").objects(resources, [&](const analysis::ResourceUse& use) {
        json.key("name").text(use.name);
        json.key("total").number(static_cast<double>(use.total));
        json.key("unit").number(unit_of(use));
        json.key("held").open_object();
        write_use(use.held, unit_of(use), clock, json);
        json.close_object();
    });
}

void write_distribution(const char* name, std::vector<double> values, JsonWriter& json) {
    look_for_interruption();
    std::sort(values.begin(), values.end());
    json.key(name).open_object();
    json.key("count").integer(values.size());
    json.key("quantiles").array(quantiles_shown, [&](double share) { json.number(quantile(values, share)); });
    const std::vector<DistributionPoint> points = distribution_of(std::move(values), distribution_points);
    json.key("values").array(points, [&](const DistributionPoint& point) { json.number(point.value); });
    json.key("shares").array(points, [&](const DistributionPoint& point) { json.number(point.share); });
    json.close_object();
}

void write_summary(const GroupSummary& group, JsonWriter& json) {
    json.key("name").text(group.name);
    json.key("jobs").integer(group.metrics.jobs);
    json.key("processor_seconds").number(group.metrics.processor_seconds);
    json.key("mean_wait").number(group.metrics.mean_wait);
    json.key("max_wait").number(group.metrics.max_wait);
    json.key("mean_bounded_slowdown").number(group.metrics.mean_bounded_slowdown);
    if (group.metrics.limit_wait_share) {
        json.key("limit_wait_share").number(group.metrics.limit_wait_share);
    }
}

void write_groups(const MeasuredRun& run, const Groupings& groupings, const analysis::LongestRuns& longest,
                  Duration tau, JsonWriter& json) {
    json.key("classes").objects(classes_of(run.counted(), longest), [&](const auto& group) {
        const auto& [classes, jobs] = group;
        json.key("width").integer(classes.first);
        json.key("length").integer(classes.second);
        write_summary({analysis::width_class_name(classes.first), analysis::measure_group(jobs, tau)}, json);
    });
    for (const Grouping& grouping : groupings.all()) {
        if (!grouping.names.empty()) {
            const std::vector<GroupSummary> groups = groupings.groups(grouping, run.counted(), tau, run.for_limits);
            json.key(grouping.kind).objects(groups, [&](const auto& group) { write_summary(group, json); });
        }
    }
}

void write_deadlines(const MeasuredRun& run, const Groupings& groupings, JsonWriter& json) {
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

// The waits of the jobs of a group in a run and in the baseline.
struct Changed {
    std::vector<Duration> before;
    std::vector<Duration> after;
    FinishedJobs jobs;  // of the run
};

void write_changed(const Changed& changed, Duration tau, JsonWriter& json) {
    const std::optional<double> after = analysis::mean(changed.after);
    json.key("jobs").integer(changed.jobs.size());
    json.key("processor_seconds").number(analysis::measure_group(changed.jobs, tau).processor_seconds);
    json.key("mean_wait").number(after);
    json.key("change").number(*after - *analysis::mean(changed.before));
}

// Whether a log knows no user by this name.
bool is_no_user(const std::string& name) {
    return name.empty() || name == "-1";
}

// Writes how the mean waits of classes and users change against the baseline. Only jobs that both runs finished count.
void write_changes(const MeasuredRun& run, const MeasuredRun& baseline, const Groupings& groupings,
                   const analysis::LongestRuns& longest, Duration tau, JsonWriter& json) {
    std::unordered_map<std::string_view, const FinishedJob*> before;  // only looked up
    for (const FinishedJob& job : baseline.finished) {
        before.emplace(job.id, &job);
    }
    std::map<JobClass, Changed> classes;
    std::map<std::string, Changed> users;
    const Grouping& by_user = groupings.all().front();
    const bool has_users = !by_user.names.empty();
    std::size_t both = 0;
    std::size_t without_user = 0;
    for (const FinishedJob& job : run.counted()) {
        look_for_interruption();
        const auto found = before.find(job.id);
        if (found == before.end()) {
            continue;
        }
        ++both;
        const auto add = [&](Changed& changed) {
            changed.before.push_back(wait(*found->second));
            changed.after.push_back(wait(job));
            changed.jobs.push_back(job);
        };
        add(classes[class_of(job, longest)]);
        if (has_users && is_no_user(groupings.name(by_user, job))) {
            ++without_user;
        } else if (has_users) {
            add(users[groupings.name(by_user, job)]);
        }
    }
    json.key("changes").open_object();
    json.key("jobs").integer(both);
    json.key("left_out").integer(run.finished.size() + baseline.finished.size() - 2 * both);
    json.key("jobs_without_user").integer(without_user);
    json.key("classes").objects(classes, [&](const auto& group) {
        const auto& [width, length] = group.first;
        json.key("width").integer(width);
        json.key("length").integer(length);
        json.key("name").text(analysis::width_class_name(width));
        write_changed(group.second, tau, json);
    });
    json.key("users").objects(users, [&](const auto& group) {
        json.key("name").text(group.first);
        write_changed(group.second, tau, json);
    });
    json.close_object();
}

// Writes how much each job started before its guarantee, for jobs that had a guarantee and started.
void write_guarantees(const Run& run, JsonWriter& json) {
    if (!run.guarantees) {
        return;
    }
    std::vector<double> early;  // of those that started
    std::size_t kept = 0;
    std::size_t given = 0;
    for (const auto& [id, guaranteed, actual] : *run.guarantees) {
        given += guaranteed ? 1U : 0U;
        if (guaranteed && actual) {
            kept += *actual <= *guaranteed ? 1U : 0U;
            early.push_back((*guaranteed - *actual).to_seconds());
        }
    }
    json.key("guarantees").open_object();
    json.key("jobs").integer(run.guarantees->size());
    json.key("given").integer(given);
    json.key("kept").integer(kept);
    json.key("late").integer(early.size() - kept);
    json.key("never_started").integer(given - early.size());
    if (run.broken_guarantees) {
        const auto parked =
            std::ranges::count(*run.broken_guarantees, GuaranteeBreakCause::parked, &BrokenGuarantee::cause);
        json.key("moved_by_losses").integer(run.broken_guarantees->size() - static_cast<std::size_t>(parked));
    }
    if (!early.empty()) {
        write_distribution("early", std::move(early), json);
    }
    json.close_object();
}

void write_longest_waits(const MeasuredRun& run, JsonWriter& json) {
    std::vector<const FinishedJob*> jobs = mapped(run.finished, [](const FinishedJob& job) { return &job; });
    std::ranges::stable_sort(jobs, std::greater<>(), [](const FinishedJob* job) { return wait(*job); });
    jobs.resize(std::min(jobs.size(), longest_waits_shown));
    json.key("longest_waits").objects(jobs, [&](const FinishedJob* job) {
        json.key("id").text(job->id);
        json.key("processors").integer(static_cast<std::uint64_t>(std::max(job->processors, 0)));
        json.key("submit").number(job->submit.to_seconds());
        json.key("wait").number(wait(*job).to_seconds());
        json.key("run").number(job->run.to_seconds());
    });
}

// "+1.5", "-0.5", or "0.0" for what rounds to it.
std::string with_sign(double value, int digits) {
    const std::string size = rounded(std::abs(value), digits);
    const bool is_zero = size.find_first_not_of("0.") == std::string::npos;
    return is_zero ? size : (value > 0 ? "+" : "-") + size;
}

// The difference to the baseline's value, for people: shares in percentage points, counts as numbers, others in per
// cent of the baseline.
std::string difference(std::optional<double> value, std::optional<double> baseline, Unit unit) {
    if (!value || !baseline) {
        return "-";
    }
    const double more = *value - *baseline;
    switch (unit) {
        case Unit::count:
            return with_sign(more, 0);
        case Unit::share:
            return with_sign(more * 100, 2) + " points";
        case Unit::seconds:
        case Unit::ratio:
            break;
    }
    if (more == 0) {
        return "0.0 %";
    }
    return *baseline == 0 ? "-" : with_sign(more / std::abs(*baseline) * 100, 1) + " %";
}

// Writes the name, unit and direction of a metric, its values, and their differences to the baseline's.
void write_metric(const auto& metric, const std::vector<std::optional<double>>& values, std::size_t baseline,
                  JsonWriter& json) {
    json.key("name").text(metric.name);
    json.key("title").text(metric.title);
    json.key("meaning").text(metric.meaning);
    json.key("unit").text(metric.unit == Unit::seconds ? "seconds" : "");
    const char* const direction = metric.goal == analysis::Goal::more ? "more" : "less";
    json.key("better").text(metric.goal == analysis::Goal::none ? "" : direction);
    json.key("values").array(values, [&](const std::optional<double>& value) { json.number(value); });
    json.key("texts").array(values, [&](const auto& value) { json.text(for_people(value, metric.unit)); });
    json.key("differences").array(values, [&](const auto& value) {
        json.text(difference(value, values[baseline], metric.unit));
    });
}

// Writes the metrics that any run has, those of deadlines only if a job has one: names, meanings, which direction is
// better, values, and differences to the baseline.
void write_metrics(const std::vector<MeasuredRun>& runs, std::size_t baseline, JsonWriter& json) {
    const bool has_deadlines =
        std::ranges::any_of(runs, [](const MeasuredRun& run) { return run.metrics["deadline_jobs"] > 0; });
    std::vector<analysis::ShownMetric> shown = analysis::shown_metrics({}, runs.front().metrics);
    std::erase_if(shown, [&](const analysis::ShownMetric& metric) {
        const auto is_known = [&](const MeasuredRun& run) { return metric.of(run.metrics).has_value(); };
        return (metric.is_of_deadlines && !has_deadlines) || std::ranges::none_of(runs, is_known);
    });
    json.key("metrics").objects(shown, [&](const analysis::ShownMetric& metric) {
        write_metric(metric, mapped(runs, [&](const MeasuredRun& run) { return metric.of(run.metrics); }), baseline,
                     json);
    });
}

// Writes which run is better, and the metrics that it rests on.
void write_first_screen(const std::vector<MeasuredRun>& runs, const Groupings& groupings, const Report& report,
                        JsonWriter& json) {
    const Grouping& by_user = groupings.all().front();
    const FirstScreen screen =
        first_screen(mapped(runs, [](const MeasuredRun& run) { return &run.finished; }),
                     mapped(runs, [](const MeasuredRun& run) { return run.run.label; }), report.baseline,
                     report.options.tau, [&](const FinishedJob& job) -> std::string {
                         if (by_user.names.empty() || is_no_user(groupings.name(by_user, job))) {
                             return "";
                         }
                         return groupings.name(by_user, job);
                     });
    json.key("first_screen").open_object();
    json.key("verdict").text(screen.verdict);
    json.key("jobs").integer(screen.jobs);
    json.key("left_out").integer(screen.left_out);
    json.key("weeks").integer(screen.weeks);
    json.key("metrics").objects(screen.metrics, [&](const ComparedMetric& compared) {
        const analysis::Metric& metric = *compared.metric;
        write_metric(metric, compared.values, report.baseline, json);
        const auto bounds = [&](const char* name, double Interval::*bound) {
            json.key(name).array(compared.intervals, [&](const std::optional<Interval>& interval) {
                json.number(interval ? std::optional(*interval.*bound) : std::nullopt);
            });
        };
        bounds("low", &Interval::low);
        bounds("high", &Interval::high);
        json.key("marks").texts(mapped(compared.marks, analysis::to_string));
    });
    if (const std::optional<DecisiveJob>& job = screen.decisive_job) {
        json.key("decisive_job").open_object();
        // Of one workload, its own name of the job says enough.
        json.key("id").text(report.workloads.size() > 1 ? job->id : job->id.substr(job->id.find('!') + 1));
        json.key("run").integer(job->run);
        json.key("share").number(job->share);
        json.key("means_without").array(job->means_without, [&](double mean) { json.number(mean); });
        json.close_object();
    }
    if (const std::optional<StarvedUser>& user = screen.starved_user) {
        json.key("starved_user").open_object();
        json.key("name").text(user->name);
        json.key("jobs").integer(user->jobs);
        json.key("run").integer(user->run);
        json.key("mean_wait").number(user->mean_wait);
        json.key("times").number(user->times);
        json.key("other_run").integer(user->other_run);
        json.key("other_mean_wait").number(user->other_mean_wait);
        json.close_object();
    }
    json.close_object();
}

void write_pairs(const char* name, const NamedValues& pairs, JsonWriter& json) {
    json.key(name).array(pairs, [&](const auto& pair) { json.texts(std::array{pair.first, pair.second}); });
}

// What all runs share.
struct Shown {
    const Report& report;
    const Groupings& groupings;
    const analysis::LongestRuns& longest;
    const Clock& clock;
    const MeasuredRun& baseline;
};

void write_run(const MeasuredRun& run, const Shown& shown, JsonWriter& json) {
    const Report& report = shown.report;
    const Groupings& groupings = shown.groupings;
    const Clock& clock = shown.clock;
    json.key("label").text(run.run.label);
    json.key("path").text(run.run.schedule.path);
    json.key("has_hosts").boolean(!has_no_hosts(run.run, report));
    write_pairs("summary", run.run.summary, json);
    write_pairs("statistics", run.run.statistics, json);
    write_jobs(run, groupings, clock, json);
    write_steps(run, clock, json);
    if (!run.use.empty()) {
        json.key("use").objects(
            run.use, [&](const analysis::ResourceUse& use) { write_use(use.steps, unit_of(use), clock, json); });
    }
    const Duration tau = report.options.tau;
    write_distribution("waits", values_of(run.finished, analysis::JobMeasure::wait, tau), json);
    write_distribution("bounded_slowdowns", values_of(run.finished, analysis::JobMeasure::bounded_slowdown, tau), json);
    write_groups(run, groupings, shown.longest, tau, json);
    if (&run != &shown.baseline && !run.finished.empty() && !shown.baseline.finished.empty()) {
        write_changes(run, shown.baseline, groupings, shown.longest, tau, json);
    }
    write_deadlines(run, groupings, json);
    write_guarantees(run.run, json);
    write_longest_waits(run, json);
    if (!run.run.wait_reasons.empty()) {
        json.key("explained").objects(run.run.wait_reasons, [&](const ExplainedReason& reason) {
            json.key("job").text(reason.job);
            json.key("time").integer(clock.ticks(reason.time));
            json.key("rounds").integer(reason.rounds);
            json.key("text").text(sentences_of(reason));
            json.key("holders").texts(mapped(reason.holders, &Share::name));
        });
    }
}

// Writes the windows that the time of all runs meets.
void write_windows(const std::vector<DrawnWindow>& windows, const std::vector<std::string>& host_names,
                   const Clock& clock, JsonWriter& json) {
    json.key("windows").objects(windows, [&](const DrawnWindow& drawn) {
        const Window& window = *drawn.window;
        json.key("name").text(window.name);
        json.key("from").integer(clock.ticks(window.from));
        json.key("until").integer(clock.ticks(window.until));
        json.key("takes").text(what_it_takes(window, host_names));
        json.key("for").texts(window.booked_for);
        std::vector<int> ends;
        for (const auto& [first, last] : drawn.processors.intervals()) {
            ends.insert(ends.end(), {first, last});
        }
        json.key("intervals").array(ends, [&](int end) { json.integer(static_cast<std::uint64_t>(end)); });
    });
}

// Lets the time of a run count cores, if jobs share hosts that have some and it is known how many they take. `order`
// has the jobs of the schedule by start.
void count_cores(const MeasuredSchedule& schedule, const Resources& machine, const std::vector<Request>& requests,
                 const std::vector<std::size_t>& order, MeasuredRun& run) {
    const std::vector<std::string>& capacities = machine.capacities();
    const auto cores = std::ranges::find(capacities, "cores");
    if (!machine.has_shared_hosts() || cores == capacities.end()) {
        return;
    }
    const auto amounts = analysis::amounts_of_capacity(schedule, machine,
                                                       static_cast<std::size_t>(cores - capacities.begin()), requests);
    if (!amounts || std::ranges::any_of(*amounts, [](Amount amount) { return amount > most_cores; })) {
        return;
    }
    run.with_cores = run.finished;
    for (std::size_t i = 0; i < order.size(); ++i) {
        run.with_cores[i].allocated = static_cast<int>((*amounts)[order[i]]);
    }
}

// Lets the time of a run whose hosts nobody knows count what its jobs have of the machine in another run.
void count_as(const MeasuredRun& other, MeasuredRun& run) {
    std::unordered_map<std::string_view, const FinishedJob*> found;  // only looked up
    for (const FinishedJob& job : other.counted()) {
        found.emplace(job.id, &job);
    }
    run.with_cores = run.finished;
    for (FinishedJob& job : run.with_cores) {
        const auto same = found.find(job.id);
        job.allocated = same == found.end() ? 0 : same->second->allocated;
    }
    if (other.with_cores.empty()) {
        run.finished = std::move(run.with_cores);
        run.with_cores.clear();
    }
}

// Adds to a run where its jobs lie on these charts, and what they take.
void measure_resources(const MeasuredSchedule& schedule, const std::vector<HostPanel>& panels, const Report& report,
                       const analysis::WorkloadJobs& submitted, MeasuredRun& run) {
    const Resources& machine = report.options.resources;
    std::vector<Request> requests = analysis::requests_of_jobs(schedule, machine, submitted);
    std::vector<std::size_t> order(schedule.finished().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t job) { return schedule.finished()[job].start; });
    if (has_no_hosts(run.run, report)) {
        run.stripes.assign(panels.size(), std::vector<Rows>(order.size()));
        run.use = analysis::use_over_time(schedule, machine, report.options.windows, std::move(requests));
        return;
    }
    for (const HostPanel& panel : panels) {
        std::vector<Rows> stripes = stripes_of(schedule, panel, machine, requests);
        run.stripes.push_back(mapped(order, [&](std::size_t job) { return std::move(stripes[job]); }));
    }
    count_cores(schedule, machine, requests, order, run);
    run.use = analysis::use_over_time(schedule, machine, report.options.windows, std::move(requests));
}

}  // namespace

bool shows_resources(const Report& report) {
    const Resources& machine = report.options.resources;
    return !report.workloads.empty() &&
           (!machine.pools().empty() || machine.has_shared_hosts() || !machine.partitions().empty());
}

std::string report_data(const Report& report) {
    std::vector<MeasuredRun> runs;
    FinishedJobs finished;  // of all runs
    const MeasuredSchedule baseline(report.runs[report.baseline].schedule);
    int used = 1;  // the most processors of a run
    std::vector<HostPanel> panels;
    const bool shows_limits = !report.options.limits.empty() && !report.workloads.empty();
    std::optional<analysis::WorkloadJobs> submitted;
    if (shows_resources(report) || shows_limits) {
        submitted.emplace(report.workloads);
    }
    if (shows_resources(report)) {
        panels = host_panels(report.options.resources, report.options.processors.value_or(0));
    }
    for (const Run& run : report.runs) {
        const MeasuredSchedule schedule(run.schedule, report.options.resources);
        analysis::require_same_jobs(baseline, schedule);
        used = std::max(used, schedule.most_processors());
        runs.push_back(measured(run, schedule, report));
        if (shows_resources(report)) {
            measure_resources(schedule, panels, report, *submitted, runs.back());
        }
        if (shows_limits) {
            runs.back().for_limits = analysis::waits_for_limits(schedule, report.options, *submitted);
        }
    }
    for (MeasuredRun& run : runs) {
        if (has_no_hosts(run.run, report)) {
            count_as(runs.front(), run);
        }
    }
    // All runs count the same.
    const bool counts_cores =
        std::ranges::all_of(runs, [](const MeasuredRun& run) { return run.with_cores.size() == run.finished.size(); });
    analysis::LongestRuns longest;
    for (MeasuredRun& run : runs) {
        if (!counts_cores) {
            run.with_cores.clear();
        }
        finished.insert(finished.end(), run.counted().begin(), run.counted().end());
        longest.add(run.finished);
    }
    const Clock clock(span_of(finished));
    const Groupings groupings(report, finished);
    JsonWriter json;
    json.open_object();
    json.key("title").text(report.title);
    json.key("version").text(version);
    json.key("command").text(report.command);
    json.key("files").objects(report.files, [&](const SourceFile& file) {
        json.key("path").text(file.path);
        json.key("bytes").integer(file.bytes);
        json.key("sha256").text(file.sha256);
    });
    const int processors = report.options.processors.value_or(used);
    json.key("processors").integer(static_cast<std::uint64_t>(processors));
    // The schedule of a log may use more than the machine has.
    json.key("processors_drawn").integer(static_cast<std::uint64_t>(std::max(processors, used)));
    json.key("processors_known").boolean(report.options.processors.has_value());
    // Whether jobs share hosts: then what other machines call processors are hosts.
    const std::vector<std::string>& host_names = report.options.resources.host_names();
    json.key("has_shared_hosts").boolean(!host_names.empty());
    json.key("counts_cores").boolean(!host_names.empty() && counts_cores);
    if (!host_names.empty()) {
        JsonWriter names;
        names.texts(host_names);
        json.key("host_names").text(packed(names.written()));
    }
    json.key("tau").number(report.options.tau.to_seconds());
    json.key("first").number(clock.first.to_seconds());
    json.key("span").number((clock.last - clock.first).to_seconds());
    json.key("seconds_per_tick").number(static_cast<double>(clock.tick) / 1e6);
    json.key("length_classes").texts(analysis::length_class_names);
    json.key("quantiles").array(quantiles_shown, [&](double share) { json.number(share); });
    json.key("states").array(all_job_states, [&](JobState state) { json.text(to_string(state)); });
    for (const Grouping& grouping : groupings.all()) {
        json.key(grouping.kind).texts(grouping.names);
    }
    json.key("baseline").integer(report.baseline);
    json.key("notes").texts(report.notes);
    write_metrics(runs, report.baseline, json);
    write_first_screen(runs, groupings, report, json);
    if (!report.options.windows.empty()) {
        write_windows(drawn_windows(report.options.windows, processors, clock), host_names, clock, json);
    }
    if (shows_resources(report)) {
        write_resources(panels, runs.front().use, clock, json);
    }
    const Shown shown{report, groupings, longest, clock, runs[report.baseline]};
    json.key("runs").objects(runs, [&](const MeasuredRun& run) { write_run(run, shown, json); });
    json.close_object();
    return escaped(json.written(), {{'<', "\\u003c"}});  // in JSON, it appears only inside strings
}

}  // namespace batfill::report
