#include "python/src/run.hpp"

#include <algorithm>

#include "python/src/keywords.hpp"
#include "src/support/mapped.hpp"

namespace batfill::python {

namespace {

// Calls a function with each of the rows.
template <class Row>
auto for_each_of(const std::vector<Row>& rows) {
    return [&rows](const std::function<void(const Row&)>& use) { std::ranges::for_each(rows, use); };
}

}  // namespace

MetricsOptions Run::options(const nb::object& tau, const nb::object& short_deadline) const {
    MetricsOptions options;
    set_measures(options, tau, short_deadline);
    options.set_machine(platform.machine());
    return options;
}

RunFiles Run::files() const {
    RunFiles files;
    files.schedule = for_each_of(schedule.jobs);
    files.summary = summary;
    files.statistics = mapped(statistics, [](const auto& statistic) {
        return Statistic{statistic.first, statistic.second};
    });
    if (guarantees) {
        files.guarantees = for_each_of(*guarantees);
    }
    files.broken_guarantees = broken_guarantees;
    if (eligible) {
        files.eligible = for_each_of(*eligible);
    }
    files.with_cause = with_cause;
    if (std::ranges::any_of(schedule.jobs, [](const ScheduledJob& job) { return static_cast<bool>(job.cores); })) {
        files.tasks = [this](const auto& use) { for_each_host_of_jobs(for_each_of(schedule.jobs), use); };
    }
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
    run.decided_by_seconds = outcome.engine()->algorithm().follows_conditions();
    run.run_limits = outcome.engine()->choice().run_limits();
    return run;
}

report::Run page_run(const Run& run) {
    report::Run result{run.label, run.schedule};
    result.statistics = mapped(run.statistics, [](const auto& statistic) {
        return std::pair(statistic.first, std::to_string(statistic.second));
    });
    result.guarantees = run.guarantees;
    return result;
}

CheckReport audit(const Run& run, bool deadlines_bind, bool rejections_allowed) {
    CheckOptions options;
    options.deadlines_bind = deadlines_bind;
    options.rejections_allowed = rejections_allowed;
    options.placement = run.placement;
    options.jobs_survive_losses = run.jobs_survive_losses;
    options.decided_by_seconds = run.decided_by_seconds;
    options.run_limits = run.run_limits;
    const std::vector<BrokenGuarantee> broken = run.broken_guarantees.value_or(std::vector<BrokenGuarantee>());
    return check_schedule(run.schedule, run.workloads, run.platform, options,
                          run.guarantees ? &*run.guarantees : nullptr, run.guarantees ? &broken : nullptr, run.events);
}

}  // namespace batfill::python
