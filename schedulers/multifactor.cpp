#include "schedulers/multifactor.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <batfill/core/error.hpp>
#include <batfill/engine/job_order.hpp>

namespace batfill {

namespace {

constexpr double largest_weight = 1e100;

}  // namespace

std::vector<Parameter> MultifactorPriority::parameters() {
    std::vector<Parameter> parameters{
        Parameter::numbers("factor-weights", 3, "",
                           "of order multifactor: weights of age, size and fair share; all 1 if not given"),
        Parameter::seconds("max-age", "", "of order multifactor: from this wait on, age counts as 1 (a week)"),
        Parameter::seconds("half-life", "", "of order multifactor: half-life of past usage (a week)")};
    for (Parameter& parameter : parameters) {
        parameter.only_with = {{"order=multifactor", "backfill-order=multifactor"}};
    }
    return parameters;
}

std::unique_ptr<MultifactorPriority> MultifactorPriority::from(const Parameters& parameters) {
    const bool is_used =
        parameters.choice("order") == "multifactor" || parameters.choice("backfill-order") == "multifactor";
    return is_used ? std::unique_ptr<MultifactorPriority>(new MultifactorPriority(parameters)) : nullptr;
}

MultifactorPriority::MultifactorPriority(const Parameters& parameters)
    : max_age_(parameters.seconds("max-age").value_or(Duration::days(7)).to_seconds()),
      half_life_(parameters.seconds("half-life").value_or(Duration::days(7)).to_seconds()) {
    if (max_age_ <= 0 || half_life_ <= 0) {
        throw UsageError("parameters max-age and half-life must be more than 0");
    }
    const std::vector<double> weights = parameters.numbers("factor-weights");
    if (!std::ranges::all_of(weights, [](double weight) { return std::abs(weight) <= largest_weight; })) {
        throw UsageError("parameter factor-weights: expected numbers from -1e100 to 1e100");
    }
    if (!weights.empty()) {
        weights_ = {weights[0], weights[1], weights[2]};
        const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
        terms_may_cancel_ = *least < 0 && *most > 0;
    }
}

void MultifactorPriority::submitted(const SchedulerState& state, JobIndex index) {
    const Job& job = state.job(index);
    const auto [user, is_new] = users_by_name_.emplace(job.description().user, users_.size());
    if (is_new) {
        users_.emplace_back();
    }
    known_.resize(std::size_t{index} + 1);
    known_[index] = {job.submit(), job.processors() / static_cast<double>(state.processors), user->second};
}

void MultifactorPriority::ended(const SchedulerState& state, std::span<const Completion> completions) {
    for (const Completion& completion : completions) {
        use(state, completion.job, -1);
    }
}

void MultifactorPriority::use(const SchedulerState& state, JobIndex index, int sign) {
    User& user = users_[known_[index].user];
    user.usage = usage_at(user, state.now);
    user.as_of = state.now;
    user.processors += sign * state.job(index).processors();
}

// A processor's usage is the integral of 2^(-age / half-life) over the time of its use.
double MultifactorPriority::usage_at(const User& user, Time now) const {
    const double half_lives = (now - user.as_of).to_seconds() / half_life_;
    const double lost = -std::expm1(-half_lives * std::numbers::ln2);
    return user.usage * (1 - lost) + user.processors * (half_life_ / std::numbers::ln2) * lost;
}

// All users have equal shares. So a user's usage divided by the share is that usage as a multiple of the mean.
void MultifactorPriority::prepare(Time now) {
    now_ = now;
    double total = 0;
    for (User& user : users_) {
        user.fair_share = usage_at(user, now);
        total += user.fair_share;
    }
    for (User& user : users_) {
        const double multiple = total > 0 ? user.fair_share / total * static_cast<double>(users_.size()) : 0;
        user.fair_share = std::exp2(-multiple);
    }
}

double MultifactorPriority::of(JobIndex job) const {
    const Known& known = known_[job];
    const double age = std::clamp((now_ - known.submit).to_seconds() / max_age_, 0.0, 1.0);
    const double terms[] = {weights_.age * age, weights_.size * known.size,
                            weights_.fair_share * users_[known.user].fair_share};
    double sum = 0;
    double magnitude = 0;
    for (const double term : terms) {
        sum += term;
        magnitude += std::abs(term);
    }
    // Terms that cancel give the same sum whatever their size, so their size must not decide how the sum is rounded.
    if (terms_may_cancel_) {
        magnitude = std::abs(weights_.age) + std::abs(weights_.size) + std::abs(weights_.fair_share);
    }
    return rounded_score(sum, magnitude);
}

}  // namespace batfill
