#include <algorithm>
#include <optional>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/engine/engine_core.hpp"
#include "src/support/json.hpp"

// Jobs that no workload has: the algorithm's own, and killed jobs that are submitted again.
namespace batfill {

void EngineCore::require_registering(const std::string& what) const {
    if (!is_deciding_ || !algorithm_->registers_jobs() || choice_.needs_run_times()) {
        fail("it registers " + what + ", expected that in decide() only, of an algorithm that registers jobs");
    }
}

void EngineCore::register_profile(RegisterProfile profile) {
    require_registering("profile " + in_quotes(profile.name));
    decisions_.emplace_back(std::move(profile));
}

JobIndex EngineCore::register_job(JobDescription description) {
    require_registering("job " + shown(description.id));
    if (description.needs && !description.needs->after.empty()) {
        fail("it registers job " + shown(description.id) +
             " with the field after, expected jobs that wait for no other");
    }
    const auto index = static_cast<JobIndex>(state_.jobs.size());
    const JobNumber number = numbers_.next();
    decisions_.emplace_back(RegisterJob{number, description, {}});
    add_job(number, std::move(description));
    admitted_ = state_.jobs.size();
    if (acknowledges_jobs_) {
        unacknowledged_.insert(index);
        to_be_acknowledged_.insert(index);
    } else {
        Round round(*this);
        admit(round, index);
    }
    return index;
}

// New jobs get numbers after the jobs of the message.
void EngineCore::requeue_killed_jobs() {
    for (const JobIndex killed : failures_.take_requeued()) {
        const auto index = static_cast<JobIndex>(state_.jobs.size());
        const JobNumber number = numbers_.next();
        JobDescription description =
            failures_.next_attempt(state_.jobs[killed].description(), state_.now, numbers_[killed], number);
        decisions_.emplace_back(RegisterJob{number, description, {}});
        std::optional<Duration> run_time;
        if (choice_.needs_run_times()) {
            run_time = state_.run_times[killed];
        }
        JobSubmitted attempt{number, std::move(description), run_time, state_.jobs[killed].may_outlive_walltime};
        if (dependencies_) {
            dependencies_->goes_on_as(numbers_[killed], number);
        }
        if (are_held()) {
            numbers_.keep(number);
            again_.push_back(std::move(attempt));
            continue;
        }
        submitted(std::move(attempt));
        if (acknowledges_jobs_) {
            to_be_acknowledged_.insert(index);
        }
    }
}

void EngineCore::acknowledged(JobIndex index, const std::string& id) {
    refuse_if<InputError>(to_be_acknowledged_.erase(index) == 0, "job ", in_quotes(id), " is submitted twice");
    if (unacknowledged_.contains(index)) {
        submissions_.push_back(index);
    }
}

// Batsim continues until it hears that no job will be registered any more. Any job that waits or runs may still lose
// its processors and be registered again.
void EngineCore::finish_registration() {
    if (!registers_jobs_ || registration_finished_ || algorithm_->registers_jobs()) {
        return;
    }
    const bool all_ended =
        all_submitted_ && unacknowledged_.empty() && state_.waiting.empty() && state_.running.empty() && !are_held();
    if (!requeues() || all_ended) {
        registration_finished_ = true;
        decisions_.emplace_back(Notification{NotificationType::registration_finished, {}, {}});
    }
}

}  // namespace batfill
