#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/plain_order.hpp"
#include "tests/support/plain_plan.hpp"

namespace batfill::tests {

// Conservative backfilling in its plainest form: each compression removes every job from the plan and searches a place
// for it.
class PlainConservative : public PlainPlanAlgorithm {
 public:
    // Counts rare events. A comparison in which they never happened shows little.
    struct Counts {
        int moves = 0;                     // of all kinds
        int moves_after_ends_on_time = 0;  // start-now: when no job had ended early
        int left_for_later = 0;            // start-now: jobs that could start earlier than planned, but not now
    };

    // Adds to `counts`, which outlives this object. `compression` is a value of the parameter.
    PlainConservative(int processors, std::string compression, Counts& counts)
        : PlainPlanAlgorithm(processors), compression_(std::move(compression)), counts_(counts) {}

 private:
    void submitted(JobIndex index) override { place(index, earliest(index)); }

    void completed(bool early) override {
        if (compression_ == "start-now") {
            start_what_can(early);
        } else if (early && compression_ != "none") {
            compress(compression_ == "submission" ? by_submission() : by_planned_start());
        }
    }

    void compress(const std::vector<JobIndex>& order) {
        for (const JobIndex index : order) {
            const Time planned = planned_starts().at(index);
            REQUIRE(earliest_without_itself(index) <= planned);
            counts_.moves += move_earlier(index) ? 1 : 0;
        }
    }

    void start_what_can(bool early) {
        for (const JobIndex index : by_planned_start()) {
            const Time planned = planned_starts().at(index);
            if (planned > now() && earliest_without_itself(index) == now()) {
                cancel(index);
                place(index, now());
                ++counts_.moves;
                counts_.moves_after_ends_on_time += early ? 0 : 1;
            }
        }
        // A single walk suffices.
        for (const JobIndex index : by_planned_start()) {
            const Time planned = planned_starts().at(index);
            if (planned > now()) {
                const Time start = earliest_without_itself(index);
                REQUIRE(start > now());
                counts_.left_for_later += start < planned ? 1 : 0;
            }
        }
    }

    std::vector<JobIndex> by_submission() const {
        std::vector<JobIndex> order = by_planned_start();
        std::sort(order.begin(), order.end(), [&](JobIndex a, JobIndex b) { return submitted_before(a, b); });
        return order;
    }

    std::string compression_;
    Counts& counts_;
};

// compression=order in its plainest form: if jobs have ended, all waiting jobs, new ones among them, are placed one by
// one in the order, each beside those that still have their old places.
class PlainConservativeInOrder : public PlainPlanAlgorithm {
 public:
    // Counts rare events, as above.
    struct Counts {
        int moves = 0;
        int moves_after_ends_on_time = 0;
        int new_before_others = 0;  // new jobs that were placed before a job that was planned
        int gains_of_new = 0;       // and that start earlier than if they had been placed last
    };

    // Adds to `counts`, which outlives this object.
    PlainConservativeInOrder(int processors, const OrderWeights& weights, Counts& counts)
        : PlainPlanAlgorithm(processors), weights_(weights), counts_(counts) {}

 private:
    void submitted(JobIndex index) override {
        if (have_ended_) {
            new_.push_back(index);
        } else {
            place(index, earliest(index));
        }
    }
    void completed(bool early) override {
        have_ended_ = true;
        are_on_time_ = !early;
    }
    void all_submitted() override {
        pass_.clear();
        if (!have_ended_) {
            return;
        }
        pass_ = by_priority();
        const std::map<JobIndex, Time> if_last = starts_if_new_jobs_come_last();
        std::size_t new_left = new_.size();
        for (const JobIndex index : pass_) {
            if (planned_starts().count(index) == 0) {
                place(index, earliest(index));
                --new_left;
                continue;
            }
            counts_.new_before_others += new_.size() > new_left ? 1 : 0;
            const Time planned = planned_starts().at(index);
            REQUIRE(earliest_without_itself(index) <= planned);
            const bool moves = move_earlier(index);
            counts_.moves += moves ? 1 : 0;
            counts_.moves_after_ends_on_time += moves && are_on_time_ ? 1 : 0;
        }
        for (const JobIndex index : new_) {
            counts_.gains_of_new += planned_starts().at(index) < if_last.at(index) ? 1 : 0;
        }
        new_.clear();
        have_ended_ = false;
    }

    std::vector<JobIndex> by_turn() const override {
        std::vector<JobIndex> order = pass_.empty() ? by_planned_start() : pass_;
        std::erase_if(order, [&](JobIndex index) { return planned_starts().count(index) == 0; });
        std::stable_sort(order.begin(), order.end(),
                         [&](JobIndex a, JobIndex b) { return planned_starts().at(a) < planned_starts().at(b); });
        return order;
    }

    std::map<JobIndex, Time> starts_if_new_jobs_come_last() {
        const Plan before = plan();
        for (const JobIndex index : by_priority()) {
            if (before.starts.count(index) != 0) {
                move_earlier(index);
            }
        }
        for (const JobIndex index : new_) {
            place(index, earliest(index));
        }
        return std::exchange(plan(), before).starts;
    }

    // Planned jobs and new ones; ties go by submission.
    std::vector<JobIndex> by_priority() const {
        std::vector<JobIndex> order = by_planned_start();
        order.insert(order.end(), new_.begin(), new_.end());
        std::sort(order.begin(), order.end(), [&](JobIndex a, JobIndex b) {
            const ExactScore score_of_a(weights_, job(a), now());
            const ExactScore score_of_b(weights_, job(b), now());
            return score_of_a == score_of_b ? submitted_before(a, b) : score_of_a > score_of_b;
        });
        return order;
    }

    OrderWeights weights_;
    Counts& counts_;
    bool have_ended_ = false;
    bool are_on_time_ = false;
    std::vector<JobIndex> new_;   // jobs of this round that have no place yet
    std::vector<JobIndex> pass_;  // the waiting jobs in their order, if jobs have ended in this round
};

}  // namespace batfill::tests
