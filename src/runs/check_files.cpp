#include "src/runs/check_files.hpp"

#include <algorithm>
#include <functional>

#include <batfill/core/machine.hpp>

#include "src/analysis/laid_out.hpp"
#include "src/runs/run_files.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"

namespace batfill::runs {

namespace {

// Says of each kind of resource that only the machine or only the workloads have that it is not checked.
void note_unchecked(const std::vector<Workload>& workloads, const Resources& machine, const CheckOptions& options,
                    const Note& note) {
    const auto any_job = [&](const std::function<bool(const JobDescription&)>& is_one) {
        return std::ranges::any_of(workloads, [&](const Workload& workload) {
            return std::ranges::any_of(workload.jobs, is_one, &WorkloadJob::description);
        });
    };
    const auto asks = [&](const std::function<bool(const StatedNeeds&)>& has_field) {
        return any_job([&](const JobDescription& job) { return job.needs && has_field(*job.needs); });
    };
    const bool have_tasks = options.decided_by_seconds && machine.has_shared_hosts() &&
                            any_job([](const JobDescription& job) { return analysis::tasks_of(job).has_value(); });
    const auto compare = [&](bool machine_has, bool jobs_ask, const char* without_field, const char* without_resource) {
        if (machine_has != jobs_ask) {
            note(machine_has ? without_field : without_resource);
        }
    };
    compare(!machine.pools().empty(), asks([](const StatedNeeds& needs) { return !needs.pools.empty(); }),
            "the machine has pools, and no job says what it takes of them ('pools'): pools are not checked",
            "jobs take of pools, and the machine has none: pools are not checked (--pool NAME=TOTAL gives it one)");
    compare(
        machine.has_shared_hosts(),
        have_tasks || asks([](const StatedNeeds& needs) { return needs.per_host.has_value(); }),
        "hosts have capacities, and no job says what it takes of each host ('per_host'): checked as if each job took "
        "whole hosts",
        "jobs take a part of each host, and hosts have no capacity: checked as if each job took whole hosts "
        "(--capacity gives them one)");
    compare(!machine.partitions().empty(), asks([](const StatedNeeds& needs) { return needs.partition.has_value(); }),
            "hosts are in partitions, and no job asks for one ('partition'): partitions are not checked",
            "jobs ask for partitions, and the machine has none: partitions are not checked");
}

}  // namespace

CheckReport check_files(const CheckRequest& request, const Note& note) {
    std::optional<std::vector<Guarantee>> guarantees;
    std::optional<std::vector<BrokenGuarantee>> broken;
    if (request.guarantees) {
        guarantees = read_guarantees(*request.guarantees);
    }
    if (request.broken_guarantees) {
        broken = read_broken_guarantees(*request.broken_guarantees);
    }
    const auto read = [&](const auto& path) { return read_external_events(path, request.unknown_events_allowed); };
    const Platform platform = named_platform(request.platform, request.machine);
    const auto schedule = [&](const auto& use) { for_each_job(request.schedule, use, note); };
    const std::vector<Workload> workloads = read_named_workloads(request.workloads, note);
    std::ranges::for_each(platform.notes, note);
    note_unchecked(workloads, Resources(platform.hosts), request.options, note);
    CheckReport report =
        check_schedule(schedule, workloads, platform, request.options, guarantees ? &*guarantees : nullptr,
                       broken ? &*broken : nullptr, mapped(request.events, read));
    if (report.unchecked_conditions > 0) {
        note("jobs wait for others that their workload does not have ('after'): " +
             counted(report.unchecked_conditions, "condition") + " not checked");
    }
    return report;
}

}  // namespace batfill::runs
