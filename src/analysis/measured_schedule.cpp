#include <algorithm>

#include <batfill/analysis/metrics.hpp>
#include <batfill/core/error.hpp>

#include "src/analysis/job_measures.hpp"
#include "src/support/csv_reader.hpp"
#include "src/support/interruption.hpp"
#include "src/support/json.hpp"

namespace batfill {

static_assert(sizeof(FinishedJob) <= 112, "docs/performance.md says how much memory metrics take");

MeasuredSchedule::MeasuredSchedule(const Schedule& schedule) : MeasuredSchedule(schedule.path, schedule.jobs.size()) {
    for (const ScheduledJob& job : schedule.jobs) {
        add(job);
    }
}

std::string_view MeasuredSchedule::keep(const std::string& id) {
    if (id.empty()) {
        return {};
    }
    auto* const text = static_cast<char*>(texts_->allocate(id.size(), 1));
    std::copy(id.begin(), id.end(), text);
    return {text, id.size()};
}

void MeasuredSchedule::add(const ScheduledJob& job) {
    look_for_interruption();
    const std::string_view id = keep(job.id);
    ++in_state_[static_cast<std::size_t>(job.state)];
    if (job.finished()) {
        finished_.push_back(analysis::finished_job(job));
        finished_.back().id = id;
    } else {
        others_.push_back(id);
    }
    if (!job.allocation.empty() && (widest_.empty() || job.allocation.last() > widest_.back().last_processor)) {
        widest_.push_back({id, job.allocation.last()});
    }
}

std::optional<MeasuredSchedule::Wide> MeasuredSchedule::first_beyond(int processor) const {
    const auto found =
        std::find_if(widest_.begin(), widest_.end(), [&](const Wide& job) { return job.last_processor >= processor; });
    return found == widest_.end() ? std::nullopt : std::optional(*found);
}

void require_machine_of(const MeasuredSchedule& schedule, const MetricsOptions& options) {
    if (!options.processors) {
        return;
    }
    if (const auto job = schedule.first_beyond(*options.processors)) {
        throw InputError(schedule.path() + ": job " + shown(job->id) + " ran on processor " +
                         std::to_string(job->last_processor) + ", the machine has " +
                         std::to_string(*options.processors) + ": expected the platform of the run");
    }
}

MeasuredSchedule read_measured_schedule(const std::string& path) {
    MeasuredSchedule schedule(path, estimated_lines(path));
    read_schedule(path, [&](ScheduledJob&& job) { schedule.add(job); });
    return schedule;
}

}  // namespace batfill
