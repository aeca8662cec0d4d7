#include "src/engine/dependencies.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/core/resources.hpp>

#include "src/support/json.hpp"
#include "src/support/mapped.hpp"

namespace batfill {

namespace {

// Puts a value at a position that is free, or at a new one. Returns the position.
template <typename Value>
std::uint32_t position_for(Value value, std::deque<Value>& values, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
        values.push_back(std::move(value));
        return static_cast<std::uint32_t>(values.size() - 1);
    }
    const std::uint32_t position = free.back();
    free.pop_back();
    values[position] = std::move(value);
    return position;
}

}  // namespace

JobNumber Dependencies::first_attempt(JobNumber job) const {
    const auto known = first_attempts_.find(job);
    return known == first_attempts_.end() ? job : known->second;
}

void Dependencies::goes_on_as(JobNumber killed, JobNumber next) {
    first_attempts_.emplace(next, first_attempt(killed));
}

const Dependencies::Followed* Dependencies::find(JobNumber job) const {
    const auto position = static_cast<std::size_t>(job);
    return position < followed_.size() ? &followed_[position] : nullptr;
}

Dependencies::Followed& Dependencies::follow(JobNumber job) {
    const auto position = static_cast<std::size_t>(job);
    if (position >= followed_.size()) {
        followed_.resize(position + 1);
    }
    return followed_[position];
}

JobState Dependencies::state(JobNumber job) const {
    const Followed* const followed = find(job);
    return followed == nullptr ? JobState::not_submitted : followed->state;
}

bool Dependencies::is_held(JobNumber job) const {
    const Followed* const followed = find(job);
    return followed != nullptr && followed->held != none;
}

void Dependencies::add_open(JobNumber job, const Condition& condition) {
    const std::uint32_t position = position_for(OpenCondition{condition, follow(job).open}, open_, free_of_open_);
    follow(job).open = position;
}

Dependencies::Conditions Dependencies::take_open(Followed& job) {
    Conditions taken;
    for (std::uint32_t position = std::exchange(job.open, none); position != none; position = open_[position].before) {
        taken.push_back(open_[position].condition);
        free_of_open_.push_back(position);
    }
    std::ranges::reverse(taken);
    return taken;
}

void Dependencies::has_started(JobNumber attempt, Time now) {
    const JobNumber job = first_attempt(attempt);
    Followed& followed = follow(job);
    if (!followed.start.is_infinite()) {
        return;  // a later attempt
    }
    followed.state = JobState::running;
    followed.start = now;
    Conditions conditions = take_open(followed);
    const auto is_later = [](const Condition& condition) { return condition.kind != Dependency::Kind::start; };
    const auto settled = std::stable_partition(conditions.begin(), conditions.end(), is_later);
    for (auto later = conditions.begin(); later != settled; ++later) {
        add_open(job, *later);
    }
    settle(job, std::span(settled, conditions.end()));
}

void Dependencies::ended(JobNumber attempt, JobState state, Time now) {
    const JobNumber job = first_attempt(attempt);
    Followed& followed = follow(job);
    followed.state = state;
    followed.end = now;
    settle(job, take_open(followed));
    for (const JobNumber task : arrays_.ended(job)) {
        if (is_held(task)) {
            holds(task, now);
        }
    }
}

std::optional<Time> Dependencies::instant_of(Dependency::Kind kind, JobNumber job) const {
    const Followed* const followed = find(job);
    if (followed == nullptr) {
        return Time::infinity();
    }
    const JobState now = followed->state;
    const bool is_over = has_completed(now) || now == JobState::rejected;
    if (kind == Dependency::Kind::start) {
        return is_over && followed->start.is_infinite() ? std::nullopt : std::optional(followed->start);
    }
    if (!is_over) {
        return Time::infinity();
    }
    const bool holds = kind == Dependency::Kind::any || now == JobState::completed_successfully;
    return holds ? std::optional(followed->end) : std::nullopt;
}

// Conditions about a job that has just started or ended.
void Dependencies::settle(JobNumber job, std::span<const Condition> conditions) {
    for (const Condition& condition : conditions) {
        if (!is_held(condition.dependent)) {
            continue;  // already rejected
        }
        const std::optional<Time> instant = instant_of(condition.kind, job);
        if (!instant) {
            rejected_.push_back(rejected(take_held(condition.dependent), condition.kind, job));
            continue;
        }
        holds(condition.dependent, *instant + condition.delay);
    }
}

void Dependencies::holds(JobNumber job, Time instant) {
    Held& held = held_[follow(job).held];
    held.eligible = std::max(held.eligible, instant);
    if (--held.open == 0) {
        instants_.emplace(held.eligible, job);
    }
}

void Dependencies::take(JobSubmitted&& job) {
    const std::string& id = job.description->id;
    Followed& followed = follow(job.job);
    refuse_if<InputError>(followed.state != JobState::not_submitted, "job ", in_quotes(id), " is submitted twice");
    followed.state = JobState::submitted;
    if (const auto conditions = not_found_.extract(id)) {
        for (const Condition& condition : conditions.mapped()) {
            add_open(job.job, condition);
        }
    }
    in_turn_.push_back(std::move(job));
}

bool Dependencies::add_task(const JobSubmitted& job) {
    const std::string& id = job.description->id;
    const StatedNeeds& needs = *job.description->needs;
    return arrays_.add(job.job, id.substr(0, id.find('!') + 1) + *needs.array, needs.array_limit);
}

void Dependencies::hold(JobSubmitted submission) {
    const JobNumber job = submission.job;
    const SharedJobDescription description = submission.description;
    const bool has_turn = !is_task(submission) || add_task(submission);
    Held held{std::move(submission), arrivals_++, has_turn ? 0U : 1U,
              std::max(description->submit, description->needs->begin.value_or(description->submit))};
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
            if (other) {
                add_open(*other, condition);
            } else {
                not_found_[id].push_back(condition);
            }
            ++held.open;
        } else {
            held.eligible = std::max(held.eligible, *instant + dependency.delay);
        }
    }
    if (held.open == 0) {
        instants_.emplace(held.eligible, job);
    }
    const std::uint32_t position = position_for(std::move(held), held_, free_of_held_);
    follow(job).held = position;
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

JobSubmitted Dependencies::take_held(JobNumber job) {
    const std::uint32_t position = std::exchange(follow(job).held, none);
    Held held = std::exchange(held_[position], {});
    free_of_held_.push_back(position);
    instants_.erase({held.eligible, job});
    if (held.eligible > held.submission.description->submit) {
        JobDescription description = *held.submission.description;
        description.submit = held.eligible;
        held.submission.description = std::move(description);
    }
    return std::move(held.submission);
}

bool Dependencies::is_eligible(JobNumber job, Time now) const {
    return is_held(job) && held_job(job).open == 0 && held_job(job).eligible <= now;
}

std::vector<JobNumber> Dependencies::eligible(Time now) const {
    const auto end = instants_.upper_bound({now, JobNumber{std::numeric_limits<std::uint32_t>::max()}});
    std::vector<JobNumber> jobs;
    std::transform(instants_.begin(), end, std::back_inserter(jobs), [](const auto& entry) { return entry.second; });
    std::ranges::sort(jobs, {}, [this](JobNumber job) {
        const Held& held = held_job(job);
        return std::pair(held.submission.description->submit, held.arrival);
    });
    return jobs;
}

OpenConditions Dependencies::missing(JobNumber job, Time now) const {
    constexpr std::size_t most_named = 3;
    const JobDescription& description = *held_job(job).submission.description;
    OpenConditions open;
    std::size_t conditions = 0;
    if (const std::optional<Time> begin = description.needs->begin; begin && *begin > now) {
        open.emplace_back("its begin", *begin);
    }
    for (const Dependency& dependency : description.needs->after) {
        const std::optional<JobNumber> other = find_(dependency.full_id(description.id));
        const Time instant = other ? instant_of(dependency.kind, *other).value_or(Time::infinity()) : Time::infinity();
        const Time holds = instant + dependency.delay;
        if (!instant.is_infinite() && holds <= now) {
            continue;
        }
        if (++conditions > most_named) {
            continue;
        }
        const bool runs = instant.is_infinite() && other && state(*other) == JobState::running;
        open.emplace_back((open.empty() ? "" : ", ") + shown(dependency.to_string()) + (runs ? " (it runs)" : ""),
                          holds);
    }
    if (conditions > most_named) {
        open.emplace_back(" and " + std::to_string(conditions - most_named) + " more", Time::infinity());
    }
    return open;
}

std::optional<OpenTurn> Dependencies::missing_turn(JobNumber job) const {
    if (arrays_.has_turn(job)) {
        return std::nullopt;
    }
    const StatedNeeds& needs = *held_job(job).submission.description->needs;
    return OpenTurn{*needs.array, arrays_.open_before(job), *needs.array_limit};
}

std::string conditions_text(const OpenConditions& conditions, const InstantText& instant) {
    std::string text;
    for (const auto& [piece, holds] : conditions) {
        text += piece + (holds.is_infinite() ? "" : " (at " + instant(holds) + ')');
    }
    return text;
}

}  // namespace batfill
