#include <algorithm>
#include <stdexcept>
#include <vector>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/analysis/metric_table.hpp"
#include "src/analysis/workload_jobs.hpp"
#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"
#include "src/support/names.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

using analysis::FinishedJobs;

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

}  // namespace

std::vector<std::string> metric_names() {
    return mapped(analysis::all_metrics(), [](const analysis::Metric& metric) { return std::string(metric.name); });
}

std::vector<std::string> chosen_metrics(const std::string& list) {
    const std::vector<std::string> of_paper{"mean_wait", "wait_percentile_99", "mean_bounded_slowdown", "utilisation",
                                            "makespan"};
    std::vector<std::string> known = metric_names();
    known.emplace_back("paper");
    std::vector<std::string> chosen;
    for (const std::string_view part : split(list, ',')) {
        const std::string name(part);
        if (std::ranges::find(known, name) == known.end()) {
            throw UsageError(unknown_name("metric", name, known));
        }
        for (const std::string& one : name == "paper" ? of_paper : std::vector<std::string>{name}) {
            if (std::ranges::find(chosen, one) != chosen.end()) {
                throw UsageError("expected each metric once, found '" + one + "' twice");
            }
            chosen.push_back(one);
        }
    }
    return chosen;
}

std::optional<double> Metrics::operator[](std::string_view name) const {
    const analysis::Metric* const metric = analysis::find_metric(name);
    if (metric == nullptr) {
        throw std::out_of_range("there is no metric " + std::string(name));
    }
    return values_[static_cast<std::size_t>(metric - analysis::all_metrics().data())];
}

Metrics compute_metrics(const MeasuredSchedule& schedule, const MetricsOptions& options,
                        const std::vector<Workload>& workloads, const JobIds* counted_regular,
                        const MeasuredSchedule* baseline) {
    analysis::MetricInput run{options, schedule.finished(), &schedule,
                              analysis::measure_over_time(schedule.finished(), options.processors)};
    if (!workloads.empty()) {
        const analysis::WorkloadJobs submitted(workloads);
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
    }
    if (baseline != nullptr) {
        analysis::require_same_finished_jobs(*baseline, schedule);
        run.baseline = &baseline->finished();
    }
    return Metrics(mapped(analysis::all_metrics(), [&](const auto& metric) {
        look_for_interruption();
        return metric.compute(run);
    }));
}

}  // namespace batfill
