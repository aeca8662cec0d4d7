#include "src/engine/machine_failures.hpp"

#include <algorithm>
#include <utility>

#include "src/support/json.hpp"

namespace batfill {

std::vector<JobIndex> MachineFailures::to_be_killed(SchedulerState& state) {
    std::vector<JobIndex> jobs;
    if (lost_.empty()) {
        return jobs;
    }
    if (kills()) {
        for (const RunningJob& running : state.running) {
            Job& job = state.jobs[running.job];
            const bool is_over = job.walltime_assumed && job.expected_end() <= state.now;
            if (!job.kill_requested && !is_over && job.allocation.count_common(lost_) > 0) {
                job.kill_requested = true;
                jobs.push_back(running.job);
            }
        }
        std::sort(jobs.begin(), jobs.end());
        being_killed_.insert(jobs.begin(), jobs.end());
    }
    lost_.clear();
    return jobs;
}

bool MachineFailures::ended(const SchedulerState& state, JobIndex index, JobState end,
                            std::optional<std::size_t> window_kill) {
    if (being_killed_.empty() && !window_kill) {
        return false;
    }
    const bool is_failure = being_killed_.erase(index) > 0 && end == JobState::completed_killed;
    if (is_failure) {
        const Job& job = state.job(index);
        ++killed_;
        lost_processor_time_ = lost_processor_time_ + (state.now - job.start) * job.processors();
    }
    if (!window_kill && !(is_failure && requeues())) {
        return false;
    }
    requeued_.emplace(window_kill.value_or(0), index);
    return true;
}

JobDescription MachineFailures::next_attempt(JobDescription job, Time now, JobNumber killed, JobNumber next) {
    const auto before = attempts_.find(killed);
    Attempt attempt = before == attempts_.end() ? Attempt{job.id, 0} : before->second;
    ++attempt.number;
    job.id = attempt.first_id + '#' + std::to_string(attempt.number);
    job.submit = now;
    if (job.needs && (job.needs->has_conditions() || job.needs->array)) {  // it waits for nothing
        StatedNeeds needs = *job.needs;
        if (!std::exchange(needs.after, {}).empty()) {
            job.other_fields = without_member(job.other_fields, "after");
        }
        needs.begin = {};
        needs.array = {};
        needs.array_limit = {};
        job.needs = needs == StatedNeeds() ? Shared<StatedNeeds>() : Shared<StatedNeeds>(std::move(needs));
    }
    attempts_.emplace(next, std::move(attempt));
    return job;
}

std::optional<std::string> MachineFailures::reason_to_reject(const SchedulerState& state,
                                                             const Request& request) const {
    if (!rejects_too_small_ || state.unavailable.empty()) {
        return std::nullopt;
    }
    int available = state.processors - state.unavailable.size();
    if (request.placement == Placement::machine) {
        available = 0;
        for (const Machine::Group& group : state.machine.groups()) {
            if (group.has_all(request.licenses())) {
                available = std::max(available, group.size - group.processors.count_common(state.unavailable));
            }
        }
    }
    if (request.processors <= available) {
        return std::nullopt;
    }
    return "asks for " + std::to_string(request.processors) + " processors" +
           (request.placement == Placement::machine ? " of one machine" : "") + ", of which " +
           std::to_string(available) + " are available at present";
}

void MachineFailures::append_statistics(std::vector<Statistic>& statistics) const {
    if (!kills()) {
        return;
    }
    statistics.push_back({"jobs_killed", killed_});
    statistics.push_back({"jobs_requeued", attempts_.size()});
    statistics.push_back(
        {"lost_processor_seconds", static_cast<std::uint64_t>(lost_processor_time_.count() / 1'000'000)});
}

}  // namespace batfill
