#include <algorithm>
#include <array>
#include <utility>

#include <batfill/engine.hpp>
#include <batfill/error.hpp>
#include <batfill/metrics.hpp>
#include <batfill/parameters.hpp>
#include <batfill/replay.hpp>
#include <batfill/simulator.hpp>

#include "embedded_scheduler.hpp"
#include "results.hpp"
#include "src/analysis/job_measures.hpp"

namespace batfill {

namespace {

using analysis::FinishedJobs;

template <std::optional<double> (*function)(const FinishedJobs&)>
std::optional<double> without_tau(const FinishedJobs& jobs, Duration) {
    return function(jobs);
}

template <std::optional<double> (*function)(const FinishedJobs&, std::size_t), std::size_t percent>
std::optional<double> share(const FinishedJobs& jobs, Duration) {
    return function(jobs, percent);
}

using MetricFunction = std::optional<double> (*)(const FinishedJobs&, Duration);

constexpr std::array<std::pair<const char*, MetricFunction>, 10> metric_functions{{
    {"mean_wait", without_tau<analysis::mean_wait>},
    {"max_wait", without_tau<analysis::max_wait>},
    {"mean_wait_worst_5_percent", share<analysis::mean_wait_of_worst, 5>},
    {"mean_wait_worst_1_percent", share<analysis::mean_wait_of_worst, 1>},
    {"mean_wait_widest_10_percent", share<analysis::mean_wait_of_widest, 10>},
    {"mean_stretch", without_tau<analysis::mean_stretch>},
    {"max_stretch", without_tau<analysis::max_stretch>},
    {"mean_slowdown", without_tau<analysis::mean_slowdown>},
    {"mean_bounded_slowdown", analysis::mean_bounded_slowdown},
    {"makespan", without_tau<analysis::makespan>},
}};

FinalState final_state(SimulatedState state) {
    switch (state) {
        case SimulatedState::successful:
            return FinalState::successful;
        case SimulatedState::failed:
            return FinalState::failed;
        case SimulatedState::walltime_reached:
            return FinalState::walltime_reached;
        case SimulatedState::killed:
            return FinalState::killed;
        case SimulatedState::rejected:
            return FinalState::rejected;
        case SimulatedState::not_submitted:
        case SimulatedState::submitted:
        case SimulatedState::running:
            break;
    }
    return FinalState::unfinished;
}

ScheduledJob scheduled_job(const SimulatedJob& job) {
    const JobDescription& description = job.job->description;
    ScheduledJob scheduled;
    scheduled.id = description.id;
    scheduled.submit = description.submit;
    scheduled.processors = description.processors;
    scheduled.walltime = description.walltime;
    scheduled.state = final_state(job.state);
    scheduled.success = job.state == SimulatedState::successful;
    if (job.state != SimulatedState::rejected) {
        const ReportedTimes times(job);
        scheduled.execution = {job.start, times.run, times.finish, times.wait, times.turnaround};
        scheduled.allocation = job.allocation;
    }
    return scheduled;
}

FinishedJob finished_job(const SimulatedJob& job) {
    const JobDescription& description = job.job->description;
    const ReportedTimes times(job);
    return {description.id, description.submit, description.processors, description.walltime,
            job.start,      times.run,          times.finish,           description.processors};
}

}  // namespace

ReplayMetric::ReplayMetric(const std::string& name, Duration tau) : name_(name), tau_(tau) {
    const auto* const found = std::find_if(metric_functions.begin(), metric_functions.end(),
                                           [&](const auto& known) { return known.first == name; });
    if (found == metric_functions.end()) {
        throw UsageError("unknown metric '" + name + "', known: " + list_of(known_names()));
    }
    function_ = found->second;
}

std::vector<std::string> ReplayMetric::known_names() {
    std::vector<std::string> names;
    names.reserve(metric_functions.size());
    for (const auto& [name, function] : metric_functions) {
        names.emplace_back(name);
    }
    return names;
}

std::optional<double> ReplayMetric::value(const std::vector<FinishedJob>& jobs) const {
    return function_(jobs, tau_);
}

// The simulator refers to the scenario, so neither moves. It has not run: each replay runs a copy of it.
struct ReplayPreparation {
    ReplayPreparation(Platform platform, Workload workload)
        : scenario{std::move(platform), {}, {}, {}, false}, simulator(add(std::move(workload))) {}
    ReplayPreparation(const ReplayPreparation&) = delete;
    ReplayPreparation& operator=(const ReplayPreparation&) = delete;

    const Scenario& add(Workload workload) {
        scenario.workloads.push_back(std::move(workload));
        return scenario;
    }
    Simulator replayed(const SchedulerChoice& choice) const {
        Engine engine(choice.algorithm, choice.parameters);
        EmbeddedScheduler scheduler(engine);
        Simulator result(simulator);
        result.run(scheduler);
        return result;
    }

    Scenario scenario;
    Simulator simulator;
};

Replay::Replay(Platform platform, Workload workload)
    : preparation_(std::make_unique<const ReplayPreparation>(std::move(platform), std::move(workload))) {}
Replay::~Replay() = default;
Replay::Replay(Replay&&) noexcept = default;
Replay& Replay::operator=(Replay&&) noexcept = default;

Schedule Replay::run(const SchedulerChoice& scheduler) const {
    const Simulator replayed = preparation_->replayed(scheduler);
    Schedule schedule{workload().path, {}};
    schedule.jobs.reserve(replayed.ended().size());
    for (const JobNumber number : replayed.ended()) {
        schedule.jobs.push_back(scheduled_job(replayed.jobs()[number]));
    }
    return schedule;
}

std::optional<double> Replay::measure(const SchedulerChoice& scheduler, const ReplayMetric& metric) const {
    const Simulator replayed = preparation_->replayed(scheduler);
    FinishedJobs finished;
    finished.reserve(replayed.ended().size());
    for (const SimulatedJob& job : replayed.jobs()) {
        if (job.state == SimulatedState::rejected) {
            throw InputError("job " + job.job->description.id + " is rejected");
        }
        finished.push_back(finished_job(job));
    }
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
