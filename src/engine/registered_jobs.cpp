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
    if (description.needs && description.needs->has_conditions()) {
        fail("it registers job " + shown(description.id) +
             " with the field after, begin or array_limit, expected jobs that wait for nothing");
    }
    const auto index = static_cast<JobIndex>(state_.jobs.size());
    const JobNumber number = numbers_.next();
    decisions_.emplace_back(RegisterJob{number, description, {}});
    add_job(number, std::move(description));
    if (!registration_.registered(index, number)) {
        Round round(*this);
        admit(round, index);
    }
    return index;
}

// New jobs get numbers after the jobs of the message.
void EngineCore::requeue_killed_jobs() {
    for (const auto& [kill, killed] : failures_.take_requeued()) {
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
        registration_.requeued(number);
        if (is_any_held()) {
            numbers_.keep(number);
            dependencies_->take_again(std::move(attempt));
        } else {
            news_.submissions.push_back(add_submitted(std::move(attempt)));
        }
    }
}

void EngineCore::acknowledged(JobIndex index, const JobSubmitted& submission) {
    refuse_if<InputError>(!registration_.acknowledged(submission.job), "job ", in_quotes(submission.description->id),
                          " is submitted twice");
    if (registration_.is_unacknowledged(index)) {
        news_.submissions.push_back(index);
    }
}

// Batsim continues until it hears that no job will be registered any more. Any job that waits or runs may still lose
// its processors and be registered again.
void EngineCore::finish_registration() {
    const bool may_requeue = requeues() && !(registration_.are_all_submitted() && !is_any_present() && !is_any_held());
    if (!may_requeue && registration_.finish()) {
        decisions_.emplace_back(Notification{NotificationType::registration_finished, {}, {}});
    }
}

}  // namespace batfill
