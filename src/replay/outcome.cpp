#include <algorithm>
#include <chrono>
#include <span>
#include <unordered_set>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/replay/outcome.hpp>

#include "src/simulator/embedded_scheduler.hpp"
#include "src/support/interruption.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

// Adds up the real time that the scheduler takes.
class TimedScheduler : public SimulatedScheduler {
 public:
    explicit TimedScheduler(SimulatedScheduler& scheduler) : scheduler_(scheduler) {}
    void begin(const Simulator& simulator, SchedulerReply& reply) override {
        const auto before = Clock::now();
        scheduler_.begin(simulator, reply);
        spent_ += Clock::now() - before;
    }
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override {
        const auto before = Clock::now();
        scheduler_.message(now, events, reply);
        spent_ += Clock::now() - before;
    }
    void end(Time now) override { scheduler_.end(now); }
    bool registers_jobs() const override { return scheduler_.registers_jobs(); }
    std::size_t most_idle_calls(bool jobs_wait) const override { return scheduler_.most_idle_calls(jobs_wait); }
    double seconds() const { return std::chrono::duration<double>(spent_).count(); }

 private:
    using Clock = std::chrono::steady_clock;

    SimulatedScheduler& scheduler_;
    Clock::duration spent_{};
};

// Writes what happened to a job that ended into `scheduled`, which may have described another job.
void describe(const Simulator& simulator, JobNumber number, ScheduledJob& scheduled) {
    look_for_interruption();
    const SimulatedJob& job = simulator.job(number);
    const JobDescription& description = job.job->description;
    scheduled.id = description.id;
    scheduled.submit = description.submit;
    scheduled.processors = description.processors;
    scheduled.walltime = description.walltime;
    scheduled.state = job.state;
    scheduled.success = job.state == JobState::completed_successfully;
    if (job.state != JobState::rejected) {
        const ReportedTimes times(job);
        scheduled.execution = {job.start, times.run, times.finish, times.wait, times.turnaround};
        scheduled.allocation = job.allocation;
    } else {
        scheduled.execution.reset();
        scheduled.allocation.clear();
    }
    const auto cores = simulator.results().cores.find(number);
    scheduled.cores = cores != simulator.results().cores.end() ? cores->second : Shared<std::vector<Amount>>();
    scheduled.profile = description.profile;
    const auto metadata = simulator.results().metadata.find(number);
    scheduled.metadata = metadata != simulator.results().metadata.end() ? SharedText(metadata->second) : SharedText();
}

// ", such as 00001": a job of the workloads, if possible one whose id differs from `asked` in zeros only.
std::string similar_id(const std::vector<Workload>& workloads, const std::string& prefix, const std::string& asked) {
    const auto short_name = [&](const std::string& id) {
        return id.substr(id.starts_with(prefix) ? prefix.size() : 0);
    };
    const auto without_zeros = [](std::string id) {
        const std::size_t begin = id.find('!') == std::string::npos ? 0 : id.find('!') + 1;
        return id.erase(begin, std::min(id.find_first_not_of('0', begin), id.size() - 1) - begin);
    };
    std::string similar;
    for (const Workload& workload : workloads) {
        for (const WorkloadJob& job : workload.jobs) {
            const std::string id = short_name(job.description.id);
            if (without_zeros(id) == without_zeros(short_name(asked))) {
                return ", such as " + shown(id);
            }
            similar = similar.empty() ? id : similar;
        }
    }
    return similar.empty() ? "" : ", such as " + shown(similar);
}

}  // namespace

Outcome::Outcome(std::shared_ptr<const Scenario> scenario, Simulator simulator)
    : scenario_(std::move(scenario)), simulator_(std::move(simulator)) {}

void Outcome::simulate(const SchedulerChoice& choice, const Machine* machine, const RunOptions& options) {
    engine_ = std::make_unique<Engine>(choice);
    if (!options.explain.empty()) {
        explain(options.explain);
        instants_ = options.instants;
    }
    engine_->record_state(options.state_at);
    if (requeue_jobs(scenario_->platform.windows)) {
        engine_->requeue_for_windows();
    }
    EmbeddedScheduler scheduler(*engine_, machine);
    simulate(scheduler, options);
    rejected_ = scheduler.rejections();
    statistics_ = engine_->statistics();
}

void Outcome::simulate(SimulatedScheduler& scheduler, const RunOptions& options) {
    TimedScheduler timed(scheduler);
    const auto progress = [&](std::size_t ended, Time now) {
        if (options.progress) {
            options.progress(ended, now);
        }
        if (options.watch) {
            options.watch(simulator_);
        }
    };
    try {
        simulator_.run(options.measures_time ? timed : scheduler, progress);
    } catch (const DeadlockError& problem) {
        if (!options.keeps_deadlocks) {
            throw;
        }
        deadlock_ = problem.what();
    }
    scheduler_seconds_ = timed.seconds();
}

void Outcome::explain(const std::vector<std::string>& jobs) {
    const std::vector<Workload>& workloads = scenario_->workloads;
    const std::string prefix = workloads.size() == 1 ? workloads.front().name + '!' : "";
    // A killed job may be submitted again as ID#1.
    const auto is_known = [&](const std::string& id) {
        const std::size_t run = std::min(id.rfind('#'), id.size());
        const bool is_run = run + 1 < id.size() && id.find_first_not_of("0123456789", run + 1) == std::string::npos;
        return simulator_.find_job(id) || (is_run && simulator_.find_job(id.substr(0, run)));
    };
    std::vector<std::string> ids;
    for (const std::string& job : jobs) {
        const bool is_whole = is_known(job) || (!is_known(prefix + job) && job.find('!') != std::string::npos);
        ids.push_back(is_whole ? job : prefix + job);
        // An algorithm may submit jobs of its own.
        if (!is_known(ids.back()) && !engine_->registers_jobs()) {
            throw UsageError("there is no job " + shown(job) + " to explain, expected an id as in jobs.csv" +
                             similar_id(workloads, prefix, job));
        }
        explained_.push_back(ids.back().substr(ids.back().starts_with(prefix) ? prefix.size() : 0));
    }
    engine_->explain(ids, prefix);
}

void for_each_host_of_jobs(const ScheduleSource& schedule, const std::function<void(const HostCores&)>& use) {
    schedule([&](const ScheduledJob& job) {
        if (job.cores && job.state != JobState::rejected) {
            auto cores = job.cores->begin();
            for (const int host : job.allocation.numbers()) {
                use({job.id, host, *cores++});
            }
        }
    });
}

Schedule Outcome::schedule() const {
    Schedule schedule;
    if (!scenario_->workloads.empty()) {
        schedule.path = scenario_->workloads.front().path;
    }
    schedule.jobs.reserve(simulator_.ended().size());
    for (const JobNumber number : simulator_.ended()) {
        describe(simulator_, number, schedule.jobs.emplace_back());
    }
    return schedule;
}

void Outcome::for_each_job(const std::function<void(const ScheduledJob&)>& use) const {
    ScheduledJob job;  // one for all, to reuse its memory
    for (const JobNumber number : simulator_.ended()) {
        describe(simulator_, number, job);
        use(job);
    }
}

Guarantee Outcome::guarantee(JobNumber number) const {
    const SimulatedJob& job = simulator_.job(number);
    const Time guaranteed = engine_ ? engine_->guaranteed_at_submission(number) : Time::infinity();
    return {job.job->description.id, guaranteed.is_infinite() ? std::nullopt : std::optional(guaranteed),
            job.state == JobState::rejected ? std::nullopt : std::optional(job.start)};
}

std::vector<BrokenGuarantee> Outcome::broken_guarantees() const {
    std::vector<BrokenGuarantee> broken;
    if (!engine_) {
        return broken;
    }
    const std::unordered_set<JobNumber> ended(simulator_.ended().begin(), simulator_.ended().end());
    for (const GuaranteeBreak& one : engine_->broken_guarantees()) {
        if (ended.contains(one.job)) {
            broken.push_back({simulator_.job(one.job).job->description.id, one.at, one.guaranteed_start,
                              one.new_start.is_infinite() ? std::nullopt : std::optional(one.new_start), one.cause,
                              one.window});
        }
    }
    return broken;
}

void Outcome::for_each_dependent(const std::function<void(const EligibleTime&)>& use) const {
    for (const JobNumber number : simulator_.ended()) {
        const JobDescription& job = simulator_.job(number).job->description;
        if (job.needs && job.needs->has_conditions()) {
            use({job.id, engine_->eligible_since(number)});
        }
    }
}

Workload Outcome::registered_jobs() const {
    Workload registered;
    registered.name = "registered";
    std::size_t number = 0;
    for (const Workload& workload : scenario_->workloads) {
        number += workload.jobs.size();
    }
    for (; number < simulator_.jobs().size(); ++number) {
        const SimulatedJob& job = simulator_.jobs()[number];
        const std::string& id = job.job->description.id;
        const std::size_t mark = id.rfind('#');
        if (mark == std::string::npos || !simulator_.find_job(id.substr(0, mark))) {
            registered.jobs.push_back(*job.job);
            registered.profiles.emplace(job.job->description.profile, *job.profile);
        }
    }
    return registered;
}

const std::vector<Workload>& Outcome::workloads(std::vector<Workload>& place) const {
    Workload registered = registered_jobs();
    if (registered.jobs.empty()) {
        return scenario_->workloads;
    }
    place = scenario_->workloads;
    place.push_back(std::move(registered));
    return place;
}

Outcome run(Scenario scenario, const SchedulerChoice& scheduler, const RunOptions& options) {
    const auto shared = std::make_shared<const Scenario>(std::move(scenario));
    Outcome outcome(shared, Simulator(*shared));
    outcome.simulate(scheduler, nullptr, options);
    return outcome;
}

Outcome run(Scenario scenario, SimulatedScheduler& scheduler, const RunOptions& options) {
    const auto shared = std::make_shared<const Scenario>(std::move(scenario));
    Outcome outcome(shared, Simulator(*shared));
    outcome.simulate(scheduler, options);
    return outcome;
}

CheckReport audit(const Outcome& outcome, CheckOptions options) {
    if (outcome.engine() != nullptr) {
        options.placement = outcome.engine()->choice().common().placement;
        options.jobs_survive_losses = outcome.jobs_survive_losses();
        options.decided_by_seconds = outcome.engine()->algorithm().follows_conditions();
        options.run_limits = outcome.engine()->choice().run_limits();
    }
    const auto schedule = [&](const auto& use) { outcome.for_each_job(use); };
    std::vector<Guarantee> guarantees;
    std::vector<BrokenGuarantee> broken;
    const bool guaranteed = outcome.gives_guarantees();
    if (guaranteed) {
        guarantees = mapped(outcome.simulation().ended(), [&](JobNumber job) { return outcome.guarantee(job); });
        broken = outcome.broken_guarantees();
    }
    const Scenario& scenario = outcome.scenario();
    std::vector<Workload> place;
    return check_schedule(schedule, outcome.workloads(place), scenario.platform, options,
                          guaranteed ? &guarantees : nullptr, guaranteed ? &broken : nullptr, scenario.event_lists);
}

}  // namespace batfill
