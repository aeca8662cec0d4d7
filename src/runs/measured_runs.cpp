#include "src/runs/measured_runs.hpp"

#include <batfill/core/error.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/runs/run_files.hpp"

namespace batfill::runs {

namespace {

// Side by side, metrics of different jobs look like a comparison.
void note_other_jobs(const MeasuredSchedule& first, const MeasuredSchedule& other, const Note& note) {
    try {
        analysis::require_same_jobs(first, other);
        if (first.finished().size() != other.finished().size()) {
            note(first.path() + " has " + std::to_string(first.finished().size()) + " finished jobs, " + other.path() +
                 " has " + std::to_string(other.finished().size()) + ": their metrics are of different jobs");
        }
    } catch (const InputError& problem) {
        note(std::string(problem.what()) + ": their metrics are of different jobs");
    }
}

// The schedule of a run, with waits as requested.
MeasuredSchedule read_schedule_of(const std::string& path, const MeasureRequest& request, const Note& note,
                                  const Resources& machine) {
    MeasuredSchedule schedule = read_measured_run(path, note, machine);
    if (request.waits_from_eligible) {
        const std::string file = eligible_file(path);
        schedule.count_waits_from(read_eligible_times(file), file);
    }
    return schedule;
}

}  // namespace

MeasuredRuns measure_runs(const MeasureRequest& request, const Note& note) {
    const std::vector<Workload> workloads = read_named_workloads(request.workloads, note);
    const std::vector<std::string> names = run_labels(request.schedules);
    std::vector<MeasuredSchedule> schedules;
    schedules.reserve(names.size());
    for (const std::string& path : request.schedules) {
        require_machine_of_run(path,
                               schedules.emplace_back(read_schedule_of(path, request, note, request.options.resources)),
                               request.options, note);
    }
    const JobIds waited = request.waited_in_any_run ? jobs_that_waited(schedules) : JobIds();
    const JobIds* const counted = request.waited_in_any_run ? &waited : nullptr;
    std::optional<MeasuredSchedule> read_baseline;
    if (request.baseline) {
        read_baseline = read_schedule_of(*request.baseline, request, note, {});
    }
    const MeasuredSchedule* const baseline = read_baseline ? &*read_baseline : nullptr;
    MeasuredRuns measured;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        if (!request.groupings.empty()) {
            measured.groups.push_back(
                {names[i], measure_groups(schedules[i], request.options, request.groupings, workloads)});
        } else if (request.intervals) {
            measured.intervals.push_back({names[i], measure_intervals(schedules[i], request.options, baseline)});
        } else {
            measured.metrics.push_back(
                {names[i], compute_metrics(schedules[i], request.options, workloads, counted, baseline)});
        }
    }
    if (request.per_job) {
        write_compared_jobs(*request.per_job, names, schedules, workloads, counted);
    }
    for (std::size_t i = 1; i < schedules.size(); ++i) {
        note_other_jobs(schedules.front(), schedules[i], note);
    }
    return measured;
}

}  // namespace batfill::runs
