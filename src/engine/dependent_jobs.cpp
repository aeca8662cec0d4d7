#include <algorithm>
#include <set>
#include <utility>

#include "src/engine/dependencies.hpp"

// When jobs that wait for others are admitted or rejected.
namespace batfill {

std::optional<Time> Dependencies::eligible_since(JobNumber job) const {
    const auto position = static_cast<std::size_t>(job);
    const Time since = position < eligible_since_.size() ? eligible_since_[position] : Time::infinity();
    return since.is_infinite() ? std::nullopt : std::optional(since);
}

// A rejection may be the reason for others.
void Dependencies::reject_dependents(Admission& engine) {
    while (!rejected_.empty()) {
        auto [submission, reason] = std::move(rejected_.front());
        rejected_.pop_front();
        RejectJob rejection{submission.job, std::move(reason), RejectionCause::other};
        engine.reject(std::move(submission), std::move(rejection));
    }
}

void Dependencies::take_turns(Admission& engine, Time now) {
    std::vector<JobSubmitted> rest;
    rest.reserve(in_turn_.size());
    for (JobSubmitted& job : std::exchange(in_turn_, {})) {
        if (auto rejection = engine.refused(job)) {
            engine.reject(std::move(job), std::move(*rejection));
        } else {
            rest.push_back(std::move(job));
        }
    }
    for (const JobSubmitted& job : rest) {
        if (has_conditions(job)) {
            hold(job);
            engine.hold(job);
        } else if (is_task(job)) {
            add_task(job);
        }
    }
    reject_dependents(engine);
    for (JobSubmitted& job : rest) {
        if (!has_conditions(job)) {
            engine.admit(std::move(job));
        } else if (is_eligible(job.job, now)) {
            admit_held(engine, job.job);
        }
    }
    admit_eligible(engine, now);
    for (JobSubmitted& attempt : std::exchange(again_, {})) {
        engine.admit(std::move(attempt));
    }
}

bool Dependencies::admit_eligible_after_starts(Admission& engine, Time now) {
    for (const JobNumber job : std::exchange(starts_, {})) {
        has_started(job, now);
    }
    return admit_eligible(engine, now);
}

bool Dependencies::admit_eligible(Admission& engine, Time now) {
    if (rejected_.empty() && next_instant() > now) {
        return false;
    }
    std::set<JobNumber> accepted;
    for (bool all_accepted = false; !all_accepted;) {
        all_accepted = true;
        reject_dependents(engine);
        for (const JobNumber job : eligible(now)) {
            if (accepted.contains(job)) {
                continue;
            }
            if (auto rejection = engine.refused(held_job(job).submission)) {
                engine.reject(take_held(job), std::move(*rejection));
                all_accepted = false;
            } else {
                accepted.insert(job);
            }
        }
    }
    for (const JobNumber job : eligible(now)) {
        admit_held(engine, job);
    }
    return !accepted.empty();
}

void Dependencies::admit_held(Admission& engine, JobNumber job) {
    JobSubmitted submission = take_held(job);
    const auto position = static_cast<std::size_t>(job);
    if (position >= eligible_since_.size()) {
        eligible_since_.resize(position + 1, Time::infinity());
    }
    eligible_since_[position] = submission.description->submit;
    engine.admit(std::move(submission));
}

// They wait for one that does not exist, or for each other. If only tasks of an array wait for each other, they go on
// waiting.
void Dependencies::reject_hopeless(Admission& engine) {
    std::vector<JobNumber> jobs;
    for (std::size_t position = 0; position < followed_.size(); ++position) {
        if (followed_[position].held != none) {
            jobs.push_back(static_cast<JobNumber>(position));
        }
    }
    if (not_found_.empty() && !std::ranges::all_of(jobs, [this](JobNumber job) { return arrays_.has_turn(job); })) {
        return;
    }
    std::ranges::sort(jobs, {}, [this](JobNumber job) { return held_job(job).arrival; });
    for (const JobNumber job : jobs) {
        const OpenConditions conditions = missing(job, Time());
        std::string reason = "waits for " +
                             (conditions.empty() ? "its turn in its array" : conditions_text(conditions)) +
                             ", which will never happen";
        rejected_.push_back({take_held(job), std::move(reason)});
    }
    reject_dependents(engine);
}

}  // namespace batfill
