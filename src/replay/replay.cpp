#include <cassert>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/replay/replay.hpp>

#include "src/analysis/metric_table.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill {

namespace {

FinishedJob finished_job(const SimulatedJob& job) {
    const JobDescription& description = job.job->description;
    const ReportedTimes times(job);
    return {description.id,
            description.processors,
            description.processors,
            0,
            description.submit,
            description.walltime,
            job.start,
            times.run,
            times.finish};
}

Scenario scenario_of(Platform platform, Workload workload) {
    Scenario scenario;
    scenario.platform = std::move(platform);
    scenario.workloads.push_back(std::move(workload));
    return scenario;
}

}  // namespace

ReplayMetric::ReplayMetric(const std::string& name, Duration tau)
    : metric_(analysis::find_metric(name)), name_(name), tau_(tau) {
    assert(tau > Duration());
    refuse_if(metric_ == nullptr || metric_->goal != analysis::Goal::minimum,
              [&] { return unknown_name("metric", name, known_names()); });
}

std::vector<std::string> ReplayMetric::known_names() {
    std::vector<std::string> names;
    for (const analysis::Metric& metric : analysis::all_metrics()) {
        if (metric.goal == analysis::Goal::minimum) {
            names.emplace_back(metric.name);
        }
    }
    return names;
}

std::optional<double> ReplayMetric::value(const std::vector<FinishedJob>& jobs) const {
    MetricsOptions options;
    options.tau = tau_;
    return metric_->compute({options, jobs});
}

std::optional<double> ReplayMetric::value(const Outcome& outcome) const {
    return value(mapped(outcome.simulation().jobs(), finished_job));
}

Replay::Replay(Scenario scenario)
    : scenario_(std::make_shared<const Scenario>(std::move(scenario))),
      simulator_(*scenario_),
      machine_(scenario_->platform.machine()) {}

Replay::Replay(Platform platform, Workload workload) : Replay(scenario_of(std::move(platform), std::move(workload))) {}

Outcome Replay::run(const SchedulerChoice& scheduler, const RunOptions& options) const {
    Outcome outcome(scenario_, simulator_);
    outcome.simulate(scheduler, &machine_, options);
    return outcome;
}

Outcome Replay::run_of_workload(const SchedulerChoice& scheduler, const RunOptions& options) const {
    refuse_if(scheduler.submits_jobs(), "algorithm ", scheduler.algorithm(),
              ": with these parameters it submits jobs of its own, only those of the workload are compared");
    return run(scheduler, options);
}

Outcome Replay::run_to_compare(const SchedulerChoice& scheduler, const RunOptions& options) const {
    Outcome outcome = run_of_workload(scheduler, options);
    if (const auto rejected = outcome.rejected(); !rejected.empty()) {
        const Rejections& some = rejected.begin()->second;
        throw InputError("job " + shown(outcome.simulation().job(some.first).job->description.id) +
                         " is rejected: it " + some.reason +
                         "; expected a workload whose jobs can run, to compare values of the same jobs");
    }
    return outcome;
}

std::optional<double> Replay::measure(const SchedulerChoice& scheduler, const ReplayMetric& metric,
                                      const RunOptions& options) const {
    return metric.value(run_to_compare(scheduler, options));
}

Metrics Replay::measure_all(const SchedulerChoice& scheduler, const MetricsOptions& metrics,
                            const RunOptions& options) const {
    return compute_metrics({run_to_compare(scheduler, options).schedule(), metrics.resources}, metrics,
                           scenario_->workloads);
}

}  // namespace batfill
