#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <batfill/engine/state.hpp>
#include <batfill/planning/job_order.hpp>

#include "schedulers/easy/job_tournament.hpp"
#include "schedulers/easy/multifactor.hpp"

namespace batfill {

// Ranks waiting jobs of `easy` by the scores of one order; the larger score goes first. Scores may change with the
// clock, so a ranking sorts nothing in advance. It ranks only the jobs that a round needs.
class Ranking {
 public:
    // Which of equal scores goes first.
    using Ties = JobTournament::Ties;

    // `multifactor` gives the scores if the order is multifactor. With `keeps_first`, the ranking maintains the first
    // waiting job for for_each_waiting_until().
    // Requires: the caller prepares `multifactor` before each round.
    Ranking(const JobOrder& order, Ties ties, bool keeps_first, const MultifactorPriority* multifactor = nullptr)
        : order_(order), multifactor_(order.is_multifactor() ? multifactor : nullptr), ties_(ties) {
        if (keeps_first && multifactor_ == nullptr && !is_submission_order()) {
            tournament_.emplace(ties);
        }
    }
    // A copy that asks another object for the scores of the order multifactor.
    Ranking(Ranking other, const MultifactorPriority* multifactor) : Ranking(std::move(other)) {
        multifactor_ = multifactor_ == nullptr ? nullptr : multifactor;
    }

    // Whether the order is that of the queue.
    bool is_submission_order() const { return order_.is_submission_order() && ties_ == Ties::first; }

    // Notes that a job was submitted, or left the queue.
    // Requires: called once for each job.
    // Cost: O(log(waiting jobs)).
    void insert(const SchedulerState& state, JobIndex job) {
        if (is_submission_order()) {
            return;
        }
        const JobScore score = order_.score(state, job);
        if (tournament_) {
            tournament_->insert(job, state.job(job).submit(), score);
        } else {
            scores_.resize(std::max(scores_.size(), std::size_t{job} + 1));
            scores_[job] = score;
        }
    }
    void remove(JobIndex job) {
        if (tournament_) {
            tournament_->remove(job);
        }
    }

    // Gives the waiting jobs new scores if the order is mixed.
    // Cost: O(waiting jobs).
    void change_mixed(const MixedWeights& weights, const SchedulerState& state) {
        if (!order_.is_mixed()) {
            return;
        }
        order_ = order_.with_weights(weights);
        for (const JobIndex job : state.waiting.jobs()) {
            const JobScore score = order_.score(state, job);
            if (tournament_) {
                tournament_->change(job, score);
            } else {
                scores_[job] = score;
            }
        }
    }

    // Whether first_after() can be called.
    bool can_search() const { return multifactor_ == nullptr && !is_submission_order() && ties_ == Ties::first; }
    // A waiting job with its score, as it is before it starts.
    struct Scored {
        JobIndex job;
        JobScore score;
    };
    Scored with_score(JobIndex job) const { return {job, score(job)}; }
    // The first of the jobs that `for_each` passes to a function, in the order of the queue. With `last`, a job that
    // has started, only jobs that go after it count. None: there is none.
    // Requires: can_search(); equal scores do not go by id.
    // Cost: O(jobs).
    std::optional<JobIndex> first_after(const SchedulerState& state, const std::optional<Scored>& last,
                                        auto for_each) const {
        std::optional<JobIndex> first;
        JobScore::Approximation best;
        for_each([&](JobIndex job) {
            const JobScore::Approximation own = score(job).at(state.now);
            const auto compare = [&](const JobScore::Approximation& other, const JobScore& other_score) {
                const int compared = JobScore::Approximation::compare(own, other);
                return compared != 0 || own.error + other.error == 0
                           ? compared
                           : JobScore::compare(score(job), other_score, state.now);
            };
            if (first && compare(best, score(*first)) <= 0) {
                return;
            }
            if (last) {
                const int compared = compare(last->score.at(state.now), last->score);
                if (compared > 0 || (compared == 0 && state.jobs.submitted_before(job, last->job))) {
                    return;
                }
            }
            first = job;
            best = own;
        });
        return first;
    }

    // Passes the waiting jobs, first to last, to `take` until that returns false. `take` must start each job for which
    // it returns true.
    // Requires: the ranking keeps the first job, or the order is that of the queue.
    // Cost: that of JobTournament for each job passed; under multifactor, that of for_each_until() once.
    void for_each_waiting_until(const SchedulerState& state, auto take) {
        const WaitingQueue& queue = state.waiting;
        if (multifactor_ != nullptr) {
            rank_queue(state.now, queue.jobs());
            pass_ranked(state, take);
            return;
        }
        while (
            !queue.empty() &&
            take(is_submission_order() ? queue.job(0) : *tournament_->first(state.now, state.jobs.ordered_by_id()))) {
        }
    }

    // Passes `jobs`, first to last, to `take` until that returns false. Of equal scores, the job that stands first in
    // `jobs` goes first, unless equal scores go by id (JobTable::ordered_by_id()).
    // Requires: `jobs` is in the order of the queue if that is the order of this ranking.
    // Cost: O(jobs), and O(log(jobs)) for each job passed.
    void for_each_until(const SchedulerState& state, std::span<const JobIndex> jobs, auto take) {
        if (is_submission_order()) {
            std::all_of(jobs.begin(), jobs.end(), take);
            return;
        }
        rank(state.now, jobs.begin(), jobs.end());
        pass_ranked(state, take);
    }

    // As above, but ties go as `ties_` says.
    // Requires: `jobs` is in the order of the queue.
    void for_each_of_queue_until(const SchedulerState& state, std::span<const JobIndex> jobs, auto take) {
        if (is_submission_order()) {
            std::all_of(jobs.begin(), jobs.end(), take);
            return;
        }
        rank_queue(state.now, jobs);
        pass_ranked(state, take);
    }

 private:
    const JobScore& score(JobIndex job) const { return tournament_ ? tournament_->score(job) : scores_[job]; }

    // Ranks jobs, ties as `ties_` says.
    // Requires: `jobs` is in the order of the queue.
    void rank_queue(Time now, std::span<const JobIndex> jobs) {
        if (ties_ == Ties::last) {
            rank(now, jobs.rbegin(), jobs.rend());
        } else {
            rank(now, jobs.begin(), jobs.end());
        }
    }
    template <typename Iterator>
    void rank(Time now, Iterator begin, Iterator end) {
        ranked_.clear();
        std::for_each(begin, end, [&](JobIndex job) {
            if (multifactor_ != nullptr) {
                ranked_.add(job, multifactor_->of(job));
            } else {
                ranked_.add(job, score(job).at(now));
            }
        });
    }
    void pass_ranked(const SchedulerState& state, auto take) {
        ranked_.for_each_until(
            take, [&](JobIndex a, JobIndex b) { return JobScore::compare(score(a), score(b), state.now); },
            state.jobs.ordered_by_id());
    }

    JobOrder order_;
    const MultifactorPriority* multifactor_;  // null: the order is not multifactor
    Ties ties_;
    std::optional<JobTournament> tournament_;  // of the waiting jobs, if it keeps the first
    std::vector<JobScore> scores_;             // by JobIndex; empty if there is a tournament
    RankedJobs ranked_;
};

}  // namespace batfill
