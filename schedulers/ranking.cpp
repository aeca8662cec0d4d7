#include "schedulers/ranking.hpp"

#include <cstddef>

namespace batfill {

void Ranking::insert(const SchedulerState& state, JobIndex job) {
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

void Ranking::remove(JobIndex job) {
    if (tournament_) {
        tournament_->remove(job);
    }
}

void Ranking::change_mixed(const MixedWeights& weights, const SchedulerState& state) {
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

std::vector<JobIndex> Ranking::sorted(Time now, std::span<const JobIndex> jobs) {
    if (is_submission_order()) {
        return {jobs.begin(), jobs.end()};
    }
    std::vector<JobIndex> sorted;
    rank_queue(now, jobs);
    pass_ranked(now, [&](JobIndex job) {
        sorted.push_back(job);
        return true;
    });
    return sorted;
}

}  // namespace batfill
