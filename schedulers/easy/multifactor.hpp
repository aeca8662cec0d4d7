#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>
#include <batfill/planning/job_order.hpp>

namespace batfill {

// The order `multifactor` of `easy`, after Slurm's priority plugin of this name. A job's priority is a weighted sum of
// three factors from 0 to 1: how long it has waited, how large it is, and how little its user has used the machine
// lately. docs/algorithms.md lists what is left out.
//
// Used processor seconds decay with a half-life. They count as they are used, so running jobs count, too.
//
// Source: Slurm, Multifactor Priority Plugin and Classic Fairshare Algorithm (slurm.schedmd.com).
class MultifactorPriority {
 public:
    // The parameters factor-weights, max-age and half-life.
    static std::vector<Parameter> parameters() {
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
    // Null if neither `order` nor `backfill-order` is multifactor.
    // Throws: UsageError if one is, and factor-weights, max-age or half-life is out of range.
    static std::unique_ptr<MultifactorPriority> from(const Parameters& parameters) {
        const bool is_used =
            parameters.choice("order") == "multifactor" || parameters.choice("backfill-order") == "multifactor";
        return is_used ? std::unique_ptr<MultifactorPriority>(new MultifactorPriority(parameters)) : nullptr;
    }

    // Reports what happens to jobs.
    // Requires: called once for each job and event.
    // Cost: O(log(users)) for submitted(), else O(1) for each job.
    void submitted(const SchedulerState& state, JobIndex index) {
        const Job& job = state.job(index);
        const auto [user, is_new] = users_by_name_.emplace(job.description().user, users_.size());
        if (is_new) {
            users_.emplace_back();
        }
        known_.resize(std::size_t{index} + 1);
        known_[index] = {job.submit(), job.processors() / static_cast<double>(state.processors), user->second};
    }
    void started(const SchedulerState& state, JobIndex index) { use(state, index, 1); }
    void ended(const SchedulerState& state, std::span<const Completion> completions) {
        for (const Completion& completion : completions) {
            use(state, completion.job, -1);
        }
    }

    // Computes the fair-share factors at `now`.
    // Requires: called before anyone asks for priorities of an instant, and again after submissions.
    // Cost: O(users).
    void prepare(Time now) {
        now_ = now;
        double total = 0;
        for (User& user : users_) {
            user.fair_share = usage_at(user, now);
            total += user.fair_share;
        }
        // All users have equal shares. So a user's usage divided by the share is that usage as a multiple of the mean.
        for (User& user : users_) {
            const double multiple = total > 0 ? user.fair_share / total * static_cast<double>(users_.size()) : 0;
            user.fair_share = std::exp2(-multiple);
        }
    }
    // The priority of a job; the larger goes first.
    // Requires: the job was submitted before prepare() was called.
    // Cost: O(1).
    double of(JobIndex job) const {
        const Known& known = known_[job];
        const double age = std::clamp((now_ - known.submit).to_seconds() / max_age_, 0.0, 1.0);
        const double terms[] = {weights_.age * age, weights_.size * known.size,
                                weights_.fair_share * users_[known.user].fair_share};
        // Terms that cancel give the same sum whatever their size, so their size must not decide how the sum is
        // rounded.
        return terms_may_cancel_ ? rounded_score(terms[0] + terms[1] + terms[2], largest_magnitude_)
                                 : rounded_sum(terms);
    }

 private:
    struct Factors {
        double age = 1;
        double size = 1;
        double fair_share = 1;
    };
    struct User {
        double usage = 0;  // in processor seconds, decayed until `as_of`
        Time as_of;
        int processors = 0;     // of the jobs that have run since `as_of`
        double fair_share = 1;  // the factor at the instant of prepare()
    };
    struct Known {
        Time submit;
        double size;  // the factor
        std::size_t user;
    };

    explicit MultifactorPriority(const Parameters& parameters)
        : max_age_(parameters.seconds("max-age").value_or(Duration::days(7)).to_seconds()),
          half_life_(parameters.seconds("half-life").value_or(Duration::days(7)).to_seconds()) {
        refuse_if(max_age_ <= 0 || half_life_ <= 0, "parameters max-age and half-life must be more than 0");
        const std::vector<double> weights = parameters.numbers("factor-weights");
        refuse_if(!std::ranges::all_of(weights, [](double weight) { return std::abs(weight) <= largest_weight; }),
                  "parameter factor-weights: expected numbers from -1e100 to 1e100");
        refuse_if(!weights.empty() && std::ranges::count(weights, 0.0) == std::ssize(weights),
                  "parameter factor-weights: expected at least one that is not 0");
        if (!weights.empty()) {
            weights_ = {weights[0], weights[1], weights[2]};
            const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
            terms_may_cancel_ = *least < 0 && *most > 0;
            largest_magnitude_ = std::abs(weights[0]) + std::abs(weights[1]) + std::abs(weights[2]);
        }
    }
    void use(const SchedulerState& state, JobIndex index, int sign) {
        User& user = users_[known_[index].user];
        user.usage = usage_at(user, state.now);
        user.as_of = state.now;
        user.processors += sign * state.job(index).processors();
    }
    // A processor's usage is the integral of 2^(-age / half-life) over the time of its use.
    double usage_at(const User& user, Time now) const {
        const double half_lives = (now - user.as_of).to_seconds() / half_life_;
        const double lost = -std::expm1(-half_lives * std::numbers::ln2);  // exact where almost nothing is lost
        return user.usage * std::exp2(-half_lives) + user.processors * (half_life_ / std::numbers::ln2) * lost;
    }

    static constexpr double largest_weight = 1e100;

    Factors weights_;
    bool terms_may_cancel_ = false;  // some weights are negative, others are not
    double largest_magnitude_ = 0;   // of the sum of the terms, if they may cancel
    double max_age_ = 0;             // in seconds
    double half_life_ = 0;           // in seconds
    Time now_;
    std::map<std::string, std::size_t> users_by_name_;
    std::vector<User> users_;   // in the order of their first jobs
    std::vector<Known> known_;  // by JobIndex
};

}  // namespace batfill
