#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_order.hpp"
#include "tests/support/plain_plan.hpp"

namespace batfill::tests {

// Prioritized Compression (pc) and Delayed Compression (dc) in their plainest forms: each scan removes every job from
// the plan and searches a place for it.
class PlainCompression : public PlainPlanAlgorithm {
 public:
    enum class Kind { pc, dc };

    // Counts rare events. A comparison in which they never happened shows little.
    struct Counts {
        int moves = 0;                   // by scans after completions
        int moves_after_vain_tries = 0;  // of jobs that the same compression had tried without success
        int moves_again = 0;             // of jobs that the same compression had moved before
        int left_for_later = 0;  // never in pc; dc: scans that end while some job could start earlier, but not now
        int moves_after_ends_on_time = 0;  // dc: by scans without an early end
        int moves_before_submitted = 0;    // dc: of jobs before a submitted one
        int delays_of_submitted = 0;       // dc: submitted jobs that such moves displaced from their first place
        int gains_of_submitted = 0;        // dc: submitted jobs that such moves gave an earlier place
        int too_late_to_conflict = 0;      // dc: jobs before a submitted one that could start earlier, but not before c
        int exactly_at_c = 0;              // dc: of these, at c
        int behind_submitted = 0;          // dc: jobs behind a submitted one that could start before c
        int equal_scores = 0;              // of neighbours in a scan
    };

    // Adds to `counts`, which outlives this object.
    PlainCompression(int processors, Kind kind, const OrderWeights& weights, Counts& counts)
        : PlainPlanAlgorithm(processors), kind_(kind), weights_(weights), counts_(counts) {}

    // All moves in their order, with the new starts.
    const std::vector<std::pair<JobIndex, Time>>& moves() const { return moves_; }

 private:
    using Accepted = std::function<bool(JobIndex job, Time start)>;

    void window_ended() override {
        if (kind_ == Kind::dc) {
            completed(false);
        }
    }

    void completed(bool early) override {
        if (kind_ == Kind::dc) {
            const std::size_t moves_before = moves_.size();
            compress([&](JobIndex index, Time start) { return start == now() && is_within_limits(index); });
            counts_.moves_after_ends_on_time += early ? 0 : static_cast<int>(moves_.size() - moves_before);
        } else if (early) {
            compress([](JobIndex, Time) { return true; });
        }
    }

    void compress(const Accepted& accepted) {
        const std::vector<JobIndex> order = by_priority(waiting());
        std::set<JobIndex> tried_in_vain;
        std::set<JobIndex> moved;
        for (auto next = order.begin(); next != order.end();) {
            if (move_earlier(*next, accepted)) {
                ++counts_.moves;
                counts_.moves_after_vain_tries += tried_in_vain.count(*next) != 0 ? 1 : 0;
                counts_.moves_again += moved.insert(*next).second ? 0 : 1;
                next = order.begin();
            } else {
                tried_in_vain.insert(*next);
                ++next;
            }
        }
        counts_.left_for_later +=
            std::any_of(order.begin(), order.end(), [&](JobIndex index) { return could_start_earlier(index); }) ? 1 : 0;
    }

    void submitted(JobIndex index) override {
        if (kind_ == Kind::dc) {
            move_jobs_before(index);
        }
        place(index, earliest(index));
    }

    void move_jobs_before(JobIndex submitted) {
        const Time s = earliest(submitted);
        const Time c = s + walltime(submitted);
        std::vector<JobIndex> queue = waiting();
        queue.push_back(submitted);
        const std::vector<JobIndex> order = by_priority(queue);
        const auto place_in_order = std::find(order.begin(), order.end(), submitted);
        for (auto next = order.begin(); next != place_in_order; ++next) {
            const Time start = earliest_without_itself(*next);
            const bool earlier = start < planned_starts().at(*next);
            counts_.too_late_to_conflict += earlier && start >= c ? 1 : 0;
            counts_.exactly_at_c += earlier && start == c ? 1 : 0;
            counts_.moves_before_submitted += move_earlier(*next, [&](JobIndex, Time t) { return t < c; }) ? 1 : 0;
        }
        for (auto next = place_in_order + 1; next < order.end(); ++next) {
            const Time start = earliest_without_itself(*next);
            counts_.behind_submitted += start < planned_starts().at(*next) && start < c ? 1 : 0;
        }
        counts_.delays_of_submitted += earliest(submitted) > s ? 1 : 0;
        counts_.gains_of_submitted += earliest(submitted) < s ? 1 : 0;
    }

    bool move_earlier(JobIndex index, const Accepted& accepted) {
        const Time start = earliest_without_itself(index);
        if (start < planned_starts().at(index) && accepted(index, start)) {
            cancel(index);
            place(index, start);
            moves_.emplace_back(index, start);
            return true;
        }
        return false;
    }
    bool could_start_earlier(JobIndex index) {
        const Time start = earliest_without_itself(index);
        return start < planned_starts().at(index);
    }

    std::vector<JobIndex> waiting() const {
        std::vector<JobIndex> jobs;
        for (const auto& [index, start] : planned_starts()) {
            jobs.push_back(index);
        }
        return jobs;
    }
    // Ties go by submission.
    std::vector<JobIndex> by_priority(std::vector<JobIndex> queue) {
        std::map<JobIndex, ExactScore> scores;
        for (const JobIndex index : queue) {
            scores.emplace(index, ExactScore(weights_, job(index), now()));
        }
        std::sort(queue.begin(), queue.end(), [&](JobIndex a, JobIndex b) {
            const ExactScore& score_a = scores.at(a);
            const ExactScore& score_b = scores.at(b);
            return score_a == score_b ? submitted_before(a, b) : score_a > score_b;
        });
        for (std::size_t i = 1; i < queue.size(); ++i) {
            counts_.equal_scores += scores.at(queue[i - 1]) == scores.at(queue[i]) ? 1 : 0;
        }
        return queue;
    }

    Kind kind_;
    OrderWeights weights_;
    Counts& counts_;
    std::vector<std::pair<JobIndex, Time>> moves_;
};

constexpr std::array both_kinds{PlainCompression::Kind::pc, PlainCompression::Kind::dc};

inline std::string name_of(PlainCompression::Kind kind) {
    return kind == PlainCompression::Kind::pc ? "pc" : "dc";
}

}  // namespace batfill::tests
