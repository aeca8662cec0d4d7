#include <algorithm>
#include <cassert>
#include <iterator>
#include <map>
#include <utility>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>
#include <batfill/engine/engine.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/replay/replay.hpp>
#include <batfill/simulator/embedded_scheduler.hpp>
#include <batfill/simulator/simulator.hpp>

#include "src/analysis/metric_table.hpp"
#include "src/simulator/results.hpp"
#include "src/support/json.hpp"
#include "src/support/names.hpp"

namespace batfill {

namespace {

using analysis::FinishedJobs;

FinishedJob finished_job(const SimulatedJob& job) {
    const JobDescription& description = job.job->description;
    const ReportedTimes times(job);
    return {description.id,
            description.processors,
            description.processors,
            description.submit,
            description.walltime,
            job.start,
            times.run,
            times.finish};
}

}  // namespace

ReplayMetric::ReplayMetric(const std::string& name, Duration tau)
    : metric_(analysis::find_metric(name)), name_(name), tau_(tau) {
    assert(tau > Duration());
    if (metric_ == nullptr || metric_->goal != analysis::Goal::minimum) {
        throw UsageError(unknown_name("metric", name, known_names()));
    }
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

// What all replays share. The simulator refers to the scenario, so neither of them may move. The simulator has not run:
// each replay runs a copy of it.
struct ReplayPreparation {
    ReplayPreparation(Platform platform, Workload workload)
        : scenario{std::move(platform), {}, {}, {}, false},
          simulator(add(std::move(workload))),
          machine(scenario.platform.hosts) {}
    ReplayPreparation(const ReplayPreparation&) = delete;
    ReplayPreparation& operator=(const ReplayPreparation&) = delete;

    const Scenario& add(Workload workload) {
        scenario.workloads.push_back(std::move(workload));
        return scenario;
    }
    struct Replayed {
        Simulator simulator;
        std::map<RejectionCause, EmbeddedScheduler::Rejections> rejections;
    };
    Replayed replayed(const SchedulerChoice& choice) const {
        Engine engine(choice.algorithm, choice.parameters);
        if (engine.algorithm().registers_jobs()) {
            throw UsageError("algorithm " + choice.algorithm +
                             ": with these parameters it submits jobs of its own, only those of the workload are "
                             "compared");
        }
        EmbeddedScheduler scheduler(engine, &machine);
        Simulator result(simulator);
        result.run(scheduler);
        return {std::move(result), scheduler.rejections()};
    }

    Scenario scenario;
    Simulator simulator;
    Machine machine;
};

Replay::Replay(Platform platform, Workload workload)
    : preparation_(std::make_unique<const ReplayPreparation>(std::move(platform), std::move(workload))) {}
Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;

Schedule Replay::run(const SchedulerChoice& scheduler) const {
    const Simulator replayed = preparation_->replayed(scheduler).simulator;
    Schedule schedule{workload().path, {}};
    schedule.jobs.reserve(replayed.ended().size());
    for (const JobNumber number : replayed.ended()) {
        schedule.jobs.push_back(scheduled_job(replayed, number));
    }
    return schedule;
}

std::optional<double> Replay::measure(const SchedulerChoice& scheduler, const ReplayMetric& metric) const {
    const auto [replayed, rejections] = preparation_->replayed(scheduler);
    if (!rejections.empty()) {
        const EmbeddedScheduler::Rejections& some = rejections.begin()->second;
        throw InputError("job " + shown(replayed.jobs()[some.first].job->description.id) + " is rejected: it " +
                         some.reason);
    }
    FinishedJobs finished;
    finished.reserve(replayed.ended().size());
    std::transform(replayed.jobs().begin(), replayed.jobs().end(), std::back_inserter(finished), finished_job);
    return metric.value(finished);
}

std::size_t Replay::jobs() const {
    return preparation_->simulator.jobs().size();
}
const Platform& Replay::platform() const {
    return preparation_->scenario.platform;
}
const Workload& Replay::workload() const {
    return preparation_->scenario.workloads.front();
}

}  // namespace batfill
