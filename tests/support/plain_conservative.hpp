#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

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
            cancel(index);
            place(index, earliest(index));
            REQUIRE(planned_starts().at(index) <= planned);
            counts_.moves += planned_starts().at(index) < planned ? 1 : 0;
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

}  // namespace batfill::tests
