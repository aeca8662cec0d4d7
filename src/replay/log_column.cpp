#include "src/replay/log_column.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/analysis/resource_use.hpp"
#include "src/runs/run_files.hpp"
#include "src/support/json.hpp"
#include "src/support/mapped.hpp"
#include "src/support/text.hpp"
#include "src/support/text_files.hpp"

namespace batfill {

namespace {

// The id without the name of its workload, and a number without zeros before it: how many there are depends on the
// other jobs of a workload.
std::string key_of(std::string_view id) {
    id.remove_prefix(id.find('!') + 1);
    const bool is_number = !id.empty() && id.find_first_not_of("0123456789") == std::string_view::npos;
    return std::string(is_number ? id.substr(std::min(id.find_first_not_of('0'), id.size() - 1)) : id);
}

}  // namespace

// How many jobs of the log have no place in its schedule says nothing of the jobs that are looked for.
LogColumn::LogColumn(const std::string& path)
    : LogColumn(runs::read_run(path, [](const std::string&) {}), !is_log(runs::jobs_file(path))) {}

LogColumn::LogColumn(Schedule schedule) : LogColumn(std::move(schedule), false) {}

LogColumn::LogColumn(Schedule schedule, bool sizes_are_known)
    : schedule_(std::move(schedule)), sizes_are_known_(sizes_are_known) {
    for (std::size_t place = 0; place < schedule_.jobs.size(); ++place) {
        const ScheduledJob& job = schedule_.jobs[place];
        refuse_if<InputError>(job.finished() && !places_.emplace(key_of(job.id), place).second, [&] {
            return schedule_.path + ": there are two jobs " + shown(job.id) + ", expected one";
        });
    }
}

Schedule LogColumn::of(const Workload& workload) const {
    Schedule result;
    result.path = schedule_.path;
    std::optional<Duration> shift;  // of all submissions, from the log to the workload
    for (const WorkloadJob& job : workload.jobs) {
        const auto place = places_.find(key_of(job.description.id));
        if (place == places_.end()) {
            continue;
        }
        const ScheduledJob& logged = schedule_.jobs[place->second];
        const Duration own_shift = job.description.submit - logged.submit;
        shift = shift.value_or(own_shift);
        if (own_shift != *shift) {
            throw InputError(schedule_.path + ": job " + shown(logged.id) + " is submitted at " +
                             logged.submit.since_zero().to_shortest_string() + ", expected " +
                             (job.description.submit - *shift).since_zero().to_shortest_string() + " as in " +
                             workload.path + ", which has other submissions than the log");
        }
        if (sizes_are_known_ && logged.processors != job.description.processors) {
            throw InputError(schedule_.path + ": job " + shown(logged.id) + " requests " +
                             counted(static_cast<std::size_t>(logged.processors), "processor") + ", expected " +
                             std::to_string(job.description.processors) + " as in " + workload.path);
        }
        ScheduledJob& added = result.jobs.emplace_back(logged);
        added.id = job.description.id;
        added.submit = job.description.submit;
        added.processors = job.description.processors;
        added.walltime = job.description.walltime;
        added.execution->start = logged.execution->start + own_shift;
        added.execution->finish = logged.execution->finish + own_shift;
    }
    return result;
}

std::vector<Schedule> LogColumn::of(const std::vector<const Workload*>& workloads) const {
    std::vector<Schedule> schedules = mapped(workloads, [&](const Workload* workload) { return of(*workload); });
    if (std::ranges::all_of(schedules, [](const Schedule& schedule) { return schedule.jobs.empty(); })) {
        throw InputError(schedule_.path + ": expected jobs of " +
                         (workloads.empty() ? "a workload" : workloads.front()->path) + ", found none of them");
    }
    return schedules;
}

StartedInLog started_in(const Schedule& of_log) {
    StartedInLog started;
    std::ranges::transform(of_log.jobs, std::inserter(started, started.end()), &ScheduledJob::id);
    return started;
}

void leave_out_others(Schedule& schedule, const StartedInLog& started) {
    std::erase_if(schedule.jobs, [&](const ScheduledJob& job) {
        return !started.contains(job.id) && !started.contains(job.id.substr(0, job.id.rfind('#')));
    });
}

Metrics measure_log(const Schedule& of_log, MetricsOptions options, const std::vector<Workload>& workloads) {
    const std::vector<std::string> resources = analysis::resource_names(options.resources);
    if (options.resources.has_shared_hosts()) {
        options.processors.reset();
    }
    options.resources = {};
    options.licenses.clear();
    std::vector<std::optional<double>> values = compute_metrics(of_log, options, workloads).values();
    values.resize(values.size() + resources.size());
    return Metrics(std::move(values), resources);
}

}  // namespace batfill
