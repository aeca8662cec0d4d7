#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <unordered_map>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/limit_waits.hpp"
#include "src/analysis/resource_use.hpp"
#include "src/analysis/tables.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "src/options/values.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/interruption.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

using analysis::all_metrics;
using analysis::FinishedJobs;
using analysis::ShownMetric;

constexpr std::string_view of_resource = "utilisation_of_";

static_assert(sizeof(FinishedJob) <= 112, "docs/performance.md says how much memory metrics take");

analysis::JobsByDeadline jobs_by_deadline(const MeasuredSchedule& schedule, const analysis::WorkloadJobs& submitted,
                                          const JobIds* counted_regular) {
    for (const std::string_view id : schedule.others()) {
        submitted.require(id, schedule.path());
    }
    analysis::JobsByDeadline result;
    for (const FinishedJob& job : schedule.finished()) {
        look_for_interruption();
        const JobDescription& description = *submitted.require(job, schedule.path()).description;
        if (const std::optional<Time>& deadline = description.deadline) {
            result.driven.push_back(job);
            result.deadlines.push_back(*deadline);
        } else if (counted_regular == nullptr || counted_regular->contains(job.id)) {
            result.regular.push_back(job);
        } else {
            ++result.regular_left_out;
        }
    }
    return result;
}

// Counts, for each finished job, the distinct licences of the machine that it uses.
// Requires: all jobs are in the workloads.
std::vector<std::size_t> licenses_of(const FinishedJobs& jobs, const analysis::WorkloadJobs& submitted,
                                     const std::vector<Machine::License>& licenses) {
    return mapped(jobs, [&](const FinishedJob& job) {
        const std::vector<std::string>& names = submitted.find(job.id)->description->licenses;
        return static_cast<std::size_t>(std::ranges::count_if(
            licenses, [&](const auto& license) { return std::ranges::find(names, license.name) != names.end(); }));
    });
}

// One row per run.
analysis::Rows rows_of(const std::vector<RunMetrics>& runs, const std::vector<std::string>& chosen) {
    const std::vector<ShownMetric> shown = analysis::shown_metrics(chosen, runs.front().metrics);
    analysis::Rows rows{{{"run", "run"}}, {}};
    for (const ShownMetric& metric : shown) {
        rows.columns.push_back({metric.name, metric.title});
    }
    for (const RunMetrics& run : runs) {
        std::vector<analysis::Cell>& row = rows.rows.emplace_back();
        row.emplace_back(run.label);
        for (const ShownMetric& metric : shown) {
            row.emplace_back(analysis::Number{metric.of(run.metrics), metric.unit});
        }
    }
    return rows;
}

// A line per metric, a column per run.
analysis::MarkedLines lines_of(const std::vector<RunMetrics>& runs, const std::vector<std::string>& chosen) {
    analysis::MarkedLines lines{{{""}}};
    for (const RunMetrics& run : runs) {
        lines.front().push_back({run.label});
    }
    for (const ShownMetric& metric : analysis::shown_metrics(chosen, runs.front().metrics)) {
        const auto values = mapped(runs, [&](const RunMetrics& run) { return metric.of(run.metrics); });
        const bool is_unknown = std::ranges::none_of(values, [](const auto& value) { return value.has_value(); });
        if (is_unknown && chosen.empty()) {
            continue;
        }
        std::vector<analysis::MarkedCell>& line = lines.emplace_back(1, analysis::MarkedCell{metric.title});
        for (std::size_t run = 0; run < runs.size(); ++run) {
            line.push_back({for_people(values[run], metric.unit)});
        }
    }
    return lines;
}

}  // namespace

MeasuredSchedule::MeasuredSchedule(const Schedule& schedule, const Resources& machine)
    : MeasuredSchedule(schedule.path, schedule.jobs.size(), machine) {
    for (const ScheduledJob& job : schedule.jobs) {
        add(job);
    }
}

std::string_view MeasuredSchedule::keep(const std::string& id) {
    if (id.empty()) {
        return {};
    }
    auto* const text = static_cast<char*>(texts_->allocate(id.size(), 1));
    std::copy(id.begin(), id.end(), text);
    return {text, id.size()};
}

void MeasuredSchedule::add(const ScheduledJob& job) {
    look_for_interruption();
    const std::string_view id = keep(job.id);
    ++in_state_[static_cast<std::size_t>(job.state)];
    if (job.finished()) {
        finished_.push_back(analysis::finished_job(job));
        finished_.back().id = id;
        if (keeps_hosts_) {
            hosts_.push_back(job.allocation);
            cores_.push_back(job.cores);
        }
    } else {
        others_.push_back(id);
    }
    if (!job.allocation.empty() && (widest_.empty() || job.allocation.last() > widest_.back().last_processor)) {
        widest_.push_back({id, job.allocation.last()});
    }
}

void MeasuredSchedule::count_waits_from(const std::vector<EligibleTime>& eligible, const std::string& path) {
    std::unordered_map<std::string_view, FinishedJob*> jobs;  // only looked up; null: it did not finish
    for (FinishedJob& job : finished_) {
        jobs.emplace(job.id, &job);
    }
    for (const std::string_view id : others_) {
        jobs.emplace(id, nullptr);
    }
    constexpr Duration longest = Duration::days(73'000'000);
    for (const EligibleTime& time : eligible) {
        const auto found = jobs.find(time.job_id);
        refuse_if<InputError>(found == jobs.end(), [&] {
            return path + ": job " + shown(time.job_id) + " is not in " + path_ + ": expected the file of the same run";
        });
        if (found->second == nullptr || !time.eligible) {
            continue;
        }
        const Duration held = *time.eligible - found->second->submit;
        refuse_if<InputError>(held < Duration() || held > longest, [&] {
            return path + ": job " + shown(time.job_id) + " is eligible at " +
                   time.eligible->since_zero().to_shortest_string() + ", expected an instant after its submission at " +
                   found->second->submit.since_zero().to_shortest_string();
        });
        found->second->held = static_cast<std::int64_t>(held.count());
    }
}

std::optional<MeasuredSchedule::Wide> MeasuredSchedule::first_beyond(int processor) const {
    const auto found =
        std::find_if(widest_.begin(), widest_.end(), [&](const Wide& job) { return job.last_processor >= processor; });
    return found == widest_.end() ? std::nullopt : std::optional(*found);
}

void require_machine_of(const MeasuredSchedule& schedule, const MetricsOptions& options) {
    if (!options.processors) {
        return;
    }
    if (const auto job = schedule.first_beyond(*options.processors)) {
        throw InputError(schedule.path() + ": job " + shown(job->id) + " ran on processor " +
                         std::to_string(job->last_processor) + ", the machine has " +
                         std::to_string(*options.processors) + ": expected the platform of the run");
    }
}

MeasuredSchedule read_measured_schedule(const std::string& path, const Resources& machine) {
    MeasuredSchedule schedule(path, estimated_lines(path), machine);
    read_schedule(
        path, [&](ScheduledJob&& job) { schedule.add(job); }, TakenJobs::possible);
    return schedule;
}

std::vector<std::string> metric_names() {
    return mapped(all_metrics(), [](const analysis::Metric& metric) { return std::string(metric.name); });
}

std::vector<std::string> chosen_metrics(const std::string& list) {
    const std::vector<std::string> of_paper{"mean_wait", "wait_percentile_99", "mean_bounded_slowdown", "utilisation",
                                            "makespan"};
    std::vector<std::string> known = metric_names();
    known.emplace_back("paper");
    std::vector<std::string> chosen;
    for (const std::string_view part : split(list, ',')) {
        const std::string name(part);
        const bool is_of_resource = name.size() > of_resource.size() && name.starts_with(of_resource);
        refuse_if(!is_of_resource && std::ranges::find(known, name) == known.end(),
                  [&] { return unknown_name("metric", name, known); });
        for (const std::string& one : name == "paper" ? of_paper : std::vector<std::string>{name}) {
            refuse_if(std::ranges::find(chosen, one) != chosen.end(), "expected each metric once, found '", one,
                      "' twice");
            chosen.push_back(one);
        }
    }
    return chosen;
}

std::optional<double> Metrics::operator[](std::string_view name) const {
    if (const analysis::Metric* const metric = analysis::find_metric(name); metric != nullptr) {
        return values_[static_cast<std::size_t>(metric - all_metrics().data())];
    }
    const std::vector<std::string> known = names();
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
        throw std::out_of_range("there is no metric " + std::string(name));
    }
    return values_[static_cast<std::size_t>(found - known.begin())];
}

std::vector<std::string> Metrics::names() const {
    std::vector<std::string> names = metric_names();
    for (const std::string& resource : resources_) {
        names.push_back(std::string(of_resource) + resource);
    }
    return names;
}

Metrics compute_metrics(const MeasuredSchedule& schedule, const MetricsOptions& options,
                        const std::vector<Workload>& workloads, const JobIds* counted_regular,
                        const MeasuredSchedule* baseline) {
    // A job that shares its hosts does not use all of them.
    const std::optional<int> processors = options.resources.has_shared_hosts() ? std::nullopt : options.processors;
    analysis::MetricInput run{options, schedule.finished(), &schedule,
                              analysis::measure_over_time(schedule.finished(), processors)};
    run.options.processors = processors;
    std::optional<analysis::WorkloadJobs> known;
    if (!workloads.empty()) {
        const analysis::WorkloadJobs& submitted = known.emplace(workloads);
        run.by_deadline = jobs_by_deadline(schedule, submitted, counted_regular);
        for (const FinishedJob& job : run.finished) {
            look_for_interruption();
            if (const std::string& user = submitted.find(job.id)->description->user; !user.empty()) {
                run.by_user[user].push_back(job);
            }
        }
        if (!options.licenses.empty()) {
            run.licenses = licenses_of(run.finished, submitted, options.licenses);
        }
        if (!options.limits.empty()) {
            run.waits_for_limits = analysis::waits_for_limits(schedule, options, submitted);
        }
    }
    if (baseline != nullptr) {
        analysis::require_same_finished_jobs(*baseline, schedule);
        run.baseline = &baseline->finished();
    }
    std::vector<std::optional<double>> values = mapped(all_metrics(), [&](const auto& metric) {
        look_for_interruption();
        return metric.compute(run);
    });
    const std::vector<std::optional<double>> of_resources =
        analysis::utilisation_of_resources(schedule, options.resources, known ? &*known : nullptr);
    values.insert(values.end(), of_resources.begin(), of_resources.end());
    return Metrics(std::move(values), analysis::resource_names(options.resources));
}

MetricsFormat metrics_format(const std::string& name) {
    using enum MetricsFormat;
    return options::meaning_of<MetricsFormat>(
        name, {{"table", table}, {"csv", csv}, {"json", json}, {"markdown", markdown}, {"latex", latex}}, "format");
}

void write_metrics(std::ostream& out, const std::vector<RunMetrics>& runs, MetricsFormat format,
                   const std::vector<std::string>& chosen) {
    if (format == MetricsFormat::csv || format == MetricsFormat::json) {
        analysis::write_rows(out, rows_of(runs, chosen), format);
    } else {
        analysis::write_lines(out, lines_of(runs, chosen), format);
    }
}

}  // namespace batfill
