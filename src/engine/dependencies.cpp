#include "src/engine/dependencies.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include <batfill/core/resources.hpp>

#include "src/support/json.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

JobNumber Dependencies::first_attempt(JobNumber job) const {
    const auto known = first_attempts_.find(job);
    return known == first_attempts_.end() ? job : known->second;
}

void Dependencies::goes_on_as(JobNumber killed, JobNumber next) {
    first_attempts_.emplace(next, first_attempt(killed));
}

JobState Dependencies::state(JobNumber job) const {
    const auto place = static_cast<std::size_t>(job);
    return place < states_.size() ? states_[place] : JobState::not_submitted;
}

std::size_t Dependencies::make_place(JobNumber job) {
    const auto place = static_cast<std::size_t>(job);
    if (place >= states_.size()) {
        states_.resize(place + 1, JobState::not_submitted);
        starts_.resize(place + 1, Time::infinity());
        ends_.resize(place + 1);
    }
    return place;
}

void Dependencies::started(JobNumber attempt, Time now) {
    const JobNumber job = first_attempt(attempt);
    const std::size_t place = make_place(job);
    if (!starts_[place].is_infinite()) {
        return;  // a later attempt
    }
    states_[place] = JobState::running;
    starts_[place] = now;
    if (const auto open = open_.find(job); open != open_.end()) {
        Conditions& conditions = open->second;
        const auto is_later = [](const Condition& condition) { return condition.kind != Dependency::Kind::start; };
        const auto settled = std::stable_partition(conditions.begin(), conditions.end(), is_later);
        settle(job, std::span(settled, conditions.end()));
        conditions.erase(settled, conditions.end());
    }
}

void Dependencies::ended(JobNumber attempt, JobState state, Time now) {
    const JobNumber job = first_attempt(attempt);
    const std::size_t place = make_place(job);
    states_[place] = state;
    ends_[place] = now;
    if (const auto open = open_.extract(job)) {
        settle(job, open.mapped());
    }
}

std::optional<Time> Dependencies::instant_of(Dependency::Kind kind, JobNumber job) const {
    const JobState now = state(job);
    const auto place = static_cast<std::size_t>(job);
    const bool is_over = has_completed(now) || now == JobState::rejected;
    if (kind == Dependency::Kind::start) {
        const Time start = place < starts_.size() ? starts_[place] : Time::infinity();
        return is_over && start.is_infinite() ? std::nullopt : std::optional(start);
    }
    if (!is_over) {
        return Time::infinity();
    }
    const bool holds = kind == Dependency::Kind::any || now == JobState::completed_successfully;
    return holds ? std::optional(ends_[place]) : std::nullopt;
}

// Conditions about a job that has just started or ended.
void Dependencies::settle(JobNumber job, std::span<const Condition> conditions) {
    for (const Condition& condition : conditions) {
        const auto held = held_.find(condition.dependent);
        if (held == held_.end()) {
            continue;  // already rejected
        }
        const std::optional<Time> instant = instant_of(condition.kind, job);
        if (!instant) {
            rejected_.push_back(rejected(take(condition.dependent), condition.kind, job));
            continue;
        }
        held->second.eligible = std::max(held->second.eligible, *instant + condition.delay);
        if (--held->second.open == 0) {
            instants_.emplace(held->second.eligible, condition.dependent);
        }
    }
}

bool Dependencies::submitted(JobNumber job, const std::string& id) {
    JobState& state = states_[make_place(job)];
    if (state != JobState::not_submitted) {
        return false;
    }
    state = JobState::submitted;
    if (const auto conditions = not_found_.extract(id)) {
        open_.emplace(job, std::move(conditions.mapped()));
    }
    return true;
}

void Dependencies::hold(JobSubmitted submission) {
    const JobNumber job = submission.job;
    const SharedJobDescription description = submission.description;
    Held held{std::move(submission), arrivals_++, 0, description->submit};
    for (const Dependency& dependency : description->needs->after) {
        const std::string id = dependency.full_id(description->id);
        const Condition condition{job, dependency.kind, dependency.delay};
        const std::optional<JobNumber> other = find_(id);
        const std::optional<Time> instant = other ? instant_of(dependency.kind, *other) : Time::infinity();
        if (!instant) {
            rejected_.push_back(rejected(std::move(held.submission), dependency.kind, *other));
            return;
        }
        if (instant->is_infinite()) {
            (other ? open_[*other] : not_found_[id]).push_back(condition);
            ++held.open;
        } else {
            held.eligible = std::max(held.eligible, *instant + dependency.delay);
        }
    }
    if (held.open == 0) {
        instants_.emplace(held.eligible, job);
    }
    held_.emplace(job, std::move(held));
}

Dependencies::Rejected Dependencies::rejected(JobSubmitted&& submission, Dependency::Kind kind, JobNumber job) const {
    const auto is_about = [&](const Dependency& dependency) {
        return dependency.kind == kind && find_(dependency.full_id(submission.description->id)) == job;
    };
    const auto dependency = std::ranges::find_if(submission.description->needs->after, is_about);
    std::string reason =
        "waits for " + shown(dependency->to_string()) + ", and job " + shown(dependency->job) +
        (state(job) == JobState::rejected ? " was rejected" : std::string(" ended as ") + to_string(state(job)));
    return {std::move(submission), std::move(reason)};
}

JobSubmitted Dependencies::take(JobNumber job) {
    Held held = std::move(held_.extract(job).mapped());
    instants_.erase({held.eligible, job});
    if (held.eligible > held.submission.description->submit) {
        JobDescription description = *held.submission.description;
        description.submit = held.eligible;
        held.submission.description = std::move(description);
    }
    return std::move(held.submission);
}

std::optional<Dependencies::Rejected> Dependencies::take_rejected() {
    if (rejected_.empty()) {
        return std::nullopt;
    }
    Rejected first = std::move(rejected_.front());
    rejected_.pop_front();
    return first;
}

bool Dependencies::is_eligible(JobNumber job, Time now) const {
    const auto held = held_.find(job);
    return held != held_.end() && held->second.open == 0 && held->second.eligible <= now;
}

std::vector<JobNumber> Dependencies::eligible(Time now) const {
    const auto end = instants_.upper_bound({now, JobNumber{std::numeric_limits<std::uint32_t>::max()}});
    std::vector<JobNumber> jobs;
    std::transform(instants_.begin(), end, std::back_inserter(jobs), [](const auto& entry) { return entry.second; });
    std::ranges::sort(jobs, {}, [this](JobNumber job) {
        const Held& held = held_.at(job);
        return std::pair(held.submission.description->submit, held.arrival);
    });
    return jobs;
}

std::vector<Dependencies::Rejected> Dependencies::take_hopeless() {
    std::vector<JobNumber> jobs;
    std::ranges::transform(held_, std::back_inserter(jobs), [](const auto& entry) { return entry.first; });
    std::ranges::sort(jobs, {}, [this](JobNumber job) { return held_.at(job).arrival; });
    return mapped(jobs, [this](JobNumber job) {
        std::string reason = "waits for " + missing(job, Time()) + ", which will never happen";
        return Rejected{take(job), std::move(reason)};
    });
}

std::string Dependencies::missing(JobNumber job, Time now) const {
    const JobDescription& description = *held_.at(job).submission.description;
    std::string text;
    for (const Dependency& dependency : description.needs->after) {
        const std::optional<JobNumber> other = find_(dependency.full_id(description.id));
        const Time instant = other ? instant_of(dependency.kind, *other).value_or(Time::infinity()) : Time::infinity();
        const Time holds = instant + dependency.delay;
        if (!instant.is_infinite() && holds <= now) {
            continue;
        }
        text += (text.empty() ? "" : ", ") + shown(dependency.to_string());
        if (!instant.is_infinite()) {
            text += " (at " + holds.since_zero().to_shortest_string() + ')';
        } else if (other && state(*other) == JobState::running) {
            text += " (it runs)";
        }
    }
    return text;
}

}  // namespace batfill
