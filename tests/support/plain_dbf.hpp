#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "tests/support/plain_plan.hpp"

namespace batfill::tests {

// Deadline-Based Backfilling in its plainest form. It follows Algorithm 1 of the paper step by step, and restores a
// copy to undo.
class PlainDbf : public PlainPlanAlgorithm {
 public:
    enum class Repair { paper, strict };

    // Counts rare events. A comparison in which they never happened shows little.
    struct Counts {
        int line_10 = 0;             // jobs that lines 9 to 21 made definitive
        int lines_23_to_34 = 0;      // times
        int line_24 = 0;             // jobs that it made definitive
        int undone_submissions = 0;  // by repair=strict
        int undone_completions = 0;  // by repair=strict
        int lost_deadlines = 0;      // deadlines that a plan met and a later one missed
        int hopeless = 0;            // jobs
        int early_ends_with_tentative_jobs = 0;
        int overtaken = 0;         // tentative jobs due now that a regular job pushed into the future
        int tentative_starts = 0;  // by line 46
    };

    // Adds to `counts`, which outlives this object.
    PlainDbf(int processors, Repair repair, Counts& counts)
        : PlainPlanAlgorithm(processors), repair_(repair), counts_(counts) {}

    // In submission order.
    const std::vector<JobIndex>& tentative() const { return L1_; }
    // Deadline-driven jobs whose first place kept the deadline.
    const std::set<JobIndex>& met_at_submission() const { return met_at_submission_; }

 private:
    using List = std::vector<JobIndex>;

    // Keeps lists in submission order if the algorithm walks them in it.
    void insert(List& list, JobIndex index) const {
        list.push_back(index);
        std::sort(list.begin(), list.end(), [&](JobIndex a, JobIndex b) { return submitted_before(a, b); });
    }

    void place_earliest(JobIndex index) { place(index, earliest(index)); }
    void cancel_all(const List& list) {
        for (const JobIndex index : list) {
            cancel(index);
        }
    }
    void place_all(const List& list) {
        for (const JobIndex index : list) {
            place_earliest(index);
        }
    }

    bool meets_deadline(JobIndex index, const Plan& plan) const {
        return plan.starts.at(index) + walltime(index) <= *job(index).deadline;
    }
    bool late(JobIndex index) const { return job(index).deadline && !meets_deadline(index, plan()); }
    bool any_late(const List& list) const {
        return std::any_of(list.begin(), list.end(), [&](JobIndex index) { return late(index); });
    }
    bool loses_a_deadline_of(const Plan& before) const {
        return std::any_of(before.starts.begin(), before.starts.end(), [&](const auto& planned) {
            return late(planned.first) && meets_deadline(planned.first, before) &&
                   without_promise_.count(planned.first) == 0;
        });
    }

    void completed(bool early) override {
        if (!early) {
            return;
        }
        counts_.early_ends_with_tentative_jobs += L1_.empty() ? 0 : 1;
        const Plan plan_before = plan();
        const List L1_before = L1_;
        cancel_all(L1_);
        compress();
        place_all(L1_);
        List Ltmp;
        lines_9_to_35(Ltmp);
        if (loses_a_deadline_of(plan_before)) {
            ++counts_.lost_deadlines;
            if (repair_ == Repair::strict) {
                ++counts_.undone_completions;
                plan() = plan_before;
                L1_ = L1_before;
                Ltmp.clear();
                compress();
            }
        }
        lines_36_to_48(Ltmp);
    }

    // Every job in the plan gets a new place if it can start earlier, in the order of the planned starts.
    void compress() {
        for (const JobIndex index : by_planned_start()) {
            move_earlier(index);
        }
    }

    void submitted(JobIndex index) override {
        if (job(index).deadline) {
            submit_with_deadline(index);
        } else {
            submit_regular(index);
        }
    }

    void submit_with_deadline(JobIndex index) {
        place_earliest(index);
        if (late(index)) {
            ++counts_.hopeless;
        } else {
            met_at_submission_.insert(index);
            insert(L1_, index);
        }
    }

    void submit_regular(JobIndex Jr) {
        const Plan plan_before = plan();
        const List L1_before = L1_;
        cancel_all(L1_);     // 1-3
        List Ltmp{Jr};       // 4
        place_earliest(Jr);  // 5
        place_all(L1_);      // 6-8
        lines_9_to_35(Ltmp);
        if (loses_a_deadline_of(plan_before)) {
            ++counts_.lost_deadlines;
            if (repair_ == Repair::strict) {
                ++counts_.undone_submissions;
                plan() = plan_before;
                L1_ = L1_before;
                Ltmp = {Jr};
                place_earliest(Jr);
            }
        }
        for (const auto& [index, start] : plan_before.starts) {
            counts_.overtaken += start == now() && planned_starts().at(index) > now() ? 1 : 0;
        }
        lines_36_to_48(Ltmp);
    }

    void place_again(const List& Ltmp) {  // 12-20 and 26-34
        cancel_all(Ltmp);
        cancel_all(L1_);
        place_all(Ltmp);
        place_all(L1_);
    }

    void lines_9_to_35(List& Ltmp) {
        const auto is_late = [&](JobIndex index) { return late(index); };
        for (auto violating = std::find_if(L1_.begin(), L1_.end(), is_late); violating != L1_.end();  // 9
             violating = std::find_if(L1_.begin(), L1_.end(), is_late)) {
            ++counts_.line_10;
            insert(Ltmp, *violating);  // 10
            L1_.erase(violating);      // 11
            place_again(Ltmp);         // 12-20
        }
        if (any_late(Ltmp)) {  // 22
            ++counts_.lines_23_to_34;
            std::optional<Time> Smax;  // 23
            for (const JobIndex index : Ltmp) {
                Smax = late(index) ? std::max(Smax.value_or(job(index).submit), job(index).submit) : Smax;
            }
            List others;
            for (const JobIndex index : L1_) {  // 24-25
                if (job(index).submit < *Smax) {
                    ++counts_.line_24;
                    insert(Ltmp, index);
                } else {
                    others.push_back(index);
                }
            }
            L1_ = others;
            place_again(Ltmp);  // 26-34
        }
    }

    void lines_36_to_48(const List& Ltmp) {
        // Starts wait for the end of the round, as in conservative backfilling, while the end of a job is overdue. So
        // they do if nobody is tentative, and their order decides only who gets which processors.
        if (an_end_is_due() || (L1_.empty() && is_plain())) {
            return;
        }
        for (const JobIndex index : Ltmp) {  // 36-43
            start_if_due(index);
        }
        for (const JobIndex index : List(L1_)) {  // 44-48
            counts_.tentative_starts += start_if_due(index) ? 1 : 0;
        }
    }
    void has_started(JobIndex index) override { std::erase(L1_, index); }
    // In no list until it is placed again, then in the one in which it was. Nobody promises it anything any more.
    void parked(JobIndex index) override {
        without_promise_.insert(index);
        if (std::erase(L1_, index) > 0) {
            parked_from_L1_.insert(index);
        }
    }
    void unparked(JobIndex index) override {
        if (parked_from_L1_.erase(index) > 0) {
            insert(L1_, index);
        }
    }
    void withdrawn(JobIndex index) override {
        std::erase(L1_, index);
        parked_from_L1_.erase(index);
    }

    Repair repair_;
    Counts& counts_;
    List L1_;  // L0 is all other waiting jobs
    std::set<JobIndex> met_at_submission_;
    std::set<JobIndex> parked_from_L1_;
    std::set<JobIndex> without_promise_;  // were parked once
};

}  // namespace batfill::tests
