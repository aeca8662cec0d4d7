#include "python/src/run.hpp"

#include "python/src/keywords.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

MetricsOptions Run::options(const nb::object& tau, const nb::object& short_deadline) const {
    MetricsOptions options;
    const Measures measures = measures_of(tau, short_deadline);
    options.tau = measures.tau;
    options.short_deadline = measures.short_deadline;
    options.set_machine(platform.machine());
    return options;
}

RunFiles Run::files() const {
    RunFiles files;
    files.schedule = [this](const std::function<void(const ScheduledJob&)>& use) {
        for (const ScheduledJob& job : schedule.jobs) {
            use(job);
        }
    };
    files.summary = summary;
    files.statistics = mapped(statistics, [](const auto& statistic) {
        return Statistic{statistic.first, statistic.second};
    });
    if (guarantees) {
        files.guarantees = [this](const std::function<void(const Guarantee&)>& use) {
            for (const Guarantee& guarantee : *guarantees) {
                use(guarantee);
            }
        };
    }
    files.broken_guarantees = broken_guarantees;
    if (eligible) {
        files.eligible = [this](const std::function<void(const EligibleTime&)>& use) {
            for (const EligibleTime& job : *eligible) {
                use(job);
            }
        };
    }
    files.with_cause = with_cause;
    return files;
}

Run run_of(const Outcome& outcome, std::string label) {
    Run run;
    run.label = std::move(label);
    run.platform = outcome.scenario().platform;
    std::vector<Workload> place;
    run.workloads = outcome.workloads(place);
    run.events = outcome.scenario().event_lists;
    run.schedule = outcome.schedule();
    RunFiles files = run_files(outcome);
    run.summary = std::move(files.summary);
    run.statistics =
        mapped(files.statistics, [](const Statistic& statistic) { return std::pair(statistic.name, statistic.value); });
    run.rejected = mapped(outcome.rejected(), [](const auto& rejections) {
        return std::pair(rejections.second.reason, rejections.second.jobs);
    });
    if (files.guarantees) {
        files.guarantees([&, &kept = run.guarantees.emplace()](const Guarantee& one) { kept.push_back(one); });
    }
    run.broken_guarantees = std::move(files.broken_guarantees);
    if (files.eligible) {
        files.eligible([&kept = run.eligible.emplace()](const EligibleTime& job) { kept.push_back(job); });
    }
    run.with_cause = files.with_cause;
    run.placement = outcome.engine()->state().placement;
    run.jobs_survive_losses = outcome.jobs_survive_losses();
    return run;
}

CheckReport audit(const Run& run, bool deadlines_bind, bool rejections_allowed) {
    CheckOptions options;
    options.deadlines_bind = deadlines_bind;
    options.rejections_allowed = rejections_allowed;
    options.placement = run.placement;
    options.jobs_survive_losses = run.jobs_survive_losses;
    const std::vector<BrokenGuarantee> broken = run.broken_guarantees.value_or(std::vector<BrokenGuarantee>());
    return check_schedule(run.schedule, run.workloads, run.platform, options,
                          run.guarantees ? &*run.guarantees : nullptr, run.guarantees ? &broken : nullptr, run.events);
}

}  // namespace batfill::python
