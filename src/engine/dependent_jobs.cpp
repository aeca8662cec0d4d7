#include <algorithm>
#include <set>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/engine/engine_core.hpp"
#include "src/support/json.hpp"

// Jobs that wait for others: when they are submitted to the algorithm, or rejected.
namespace batfill {

namespace {

bool waits_for_others(const JobSubmitted& submission) {
    const JobDescription& job = *submission.description;
    return job.needs && !job.needs->after.empty();
}

}  // namespace

std::optional<Time> EngineCore::eligible_since(JobNumber job) const {
    const auto place = static_cast<std::size_t>(job);
    const bool is_known = place < eligible_since_.size() && !eligible_since_[place].is_infinite();
    return is_known ? std::optional(eligible_since_[place]) : std::nullopt;
}

// Whether the round must look at rejections and at jobs that are held before this job is submitted to the algorithm.
bool EngineCore::has_turn(const JobSubmitted& submission) const {
    return dependencies_ && (are_held() || waits_for_others(submission));
}

bool EngineCore::are_held() const {
    return dependencies_ && (!in_turn_.empty() || !dependencies_->empty());
}

void EngineCore::take_turn(JobSubmitted&& submission) {
    const std::string& id = submission.description->id;
    refuse_if<InputError>(!dependencies_->submitted(submission.job, id), "job ", in_quotes(id), " is submitted twice");
    if (waits_for_others(submission)) {
        algorithm_->require_dependencies();
    }
    numbers_.keep(submission.job);
    in_turn_.push_back(std::move(submission));
}

std::optional<RejectJob> EngineCore::refused(const JobSubmitted& submission) const {
    return refused(submission.job, *submission.description, request_of(*submission.description));
}

void EngineCore::reject_submitted(JobSubmitted&& submission, RejectJob&& rejection) {
    const JobIndex index = add_submitted(std::move(submission));
    admitted_ = std::max(admitted_, std::size_t{index} + 1);
    reject(index, std::move(rejection));
}

// A rejection may be the reason for others.
void EngineCore::reject_dependents() {
    while (auto rejected = dependencies_->take_rejected()) {
        RejectJob rejection{rejected->submission.job, std::move(rejected->reason), RejectionCause::other};
        reject_submitted(std::move(rejected->submission), std::move(rejection));
    }
}

// The submissions of this round, in their order, once all jobs that are rejected now are known to be; then jobs that
// became eligible; then killed jobs that are submitted again.
void EngineCore::take_turns(Round& round) {
    std::vector<JobSubmitted> rest;
    rest.reserve(in_turn_.size());
    for (JobSubmitted& submission : std::exchange(in_turn_, {})) {
        if (auto rejection = refused(submission)) {
            reject_submitted(std::move(submission), std::move(*rejection));
        } else {
            rest.push_back(std::move(submission));
        }
    }
    for (const JobSubmitted& submission : rest) {
        if (waits_for_others(submission)) {
            dependencies_->hold(submission);
            if (wait_reasons_) {
                wait_reasons_->held(submission.job, *submission.description);
            }
        }
    }
    reject_dependents();
    for (JobSubmitted& submission : rest) {
        if (!waits_for_others(submission)) {
            admit(round, add_submitted(std::move(submission)));
        } else if (dependencies_->is_eligible(submission.job, state_.now)) {
            admit_held(round, submission.job);
        }
    }
    admit_eligible(round);
    for (JobSubmitted& attempt : std::exchange(again_, {})) {
        const JobIndex index = add_submitted(std::move(attempt));
        if (acknowledges_jobs_) {
            to_be_acknowledged_.insert(index);
        }
        admit(round, index);
    }
}

// Returns whether there was one.
bool EngineCore::admit_eligible_after_starts(Round& round) {
    for (const JobNumber job : std::exchange(started_, {})) {
        dependencies_->started(job, state_.now);
    }
    return admit_eligible(round);
}

bool EngineCore::admit_eligible(Round& round) {
    if (!dependencies_->has_news(state_.now)) {
        return false;
    }
    std::set<JobNumber> accepted;
    for (bool all_accepted = false; !all_accepted;) {
        all_accepted = true;
        reject_dependents();
        for (const JobNumber job : dependencies_->eligible(state_.now)) {
            if (accepted.contains(job)) {
                continue;
            }
            if (auto rejection = refused(dependencies_->held(job))) {
                reject_submitted(dependencies_->take(job), std::move(*rejection));
                all_accepted = false;
            } else {
                accepted.insert(job);
            }
        }
    }
    for (const JobNumber job : dependencies_->eligible(state_.now)) {
        admit_held(round, job);
    }
    return !accepted.empty();
}

void EngineCore::admit_held(Round& round, JobNumber job) {
    const JobIndex index = add_submitted(dependencies_->take(job));
    const auto place = static_cast<std::size_t>(job);
    if (place >= eligible_since_.size()) {
        eligible_since_.resize(place + 1, Time::infinity());
    }
    eligible_since_[place] = state_.jobs[index].submit();
    admit(round, index);
}

// Once all jobs were submitted and nothing will happen any more, jobs may still be held: they wait for one that does
// not exist, or for each other.
void EngineCore::reject_hopeless_jobs() {
    const bool may_something_happen = !all_submitted_ || !unacknowledged_.empty() || !state_.waiting.empty() ||
                                      !state_.running.empty() || algorithm_->registers_jobs() ||
                                      !dependencies_->next_instant().is_infinite();
    if (may_something_happen) {
        return;
    }
    for (Dependencies::Rejected& hopeless : dependencies_->take_hopeless()) {
        RejectJob rejection{hopeless.submission.job, std::move(hopeless.reason), RejectionCause::other};
        reject_submitted(std::move(hopeless.submission), std::move(rejection));
    }
}

}  // namespace batfill
