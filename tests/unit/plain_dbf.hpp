#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <batfill/job.hpp>
#include <batfill/time.hpp>

namespace batfill::tests {

// Deadline-Based Backfilling in its plainest form, as a second opinion on the algorithm `dbf`: it follows Algorithm 1
// of the paper step by step, cancels and places everything that the steps say, remembers nothing between them, and goes
// back by restoring a copy. Knows nothing of processors that come and go, nor of jobs that outlive their walltime.
class PlainDbf {
 public:
    enum class Repair { paper, strict };

    // A job by its number and its description, which has a walltime and asks for no more than the machine has.
    using Submission = std::pair<JobIndex, JobDescription>;

    // How often what is rare happened: a comparison of schedules in which it did not shows little.
    struct Counts {
        int line_10 = 0;             // jobs that lines 9 to 21 made definitive
        int lines_23_to_34 = 0;      // times
        int line_24 = 0;             // jobs that it made definitive
        int undone_submissions = 0;  // by repair=strict
        int undone_completions = 0;  // by repair=strict
        int lost_deadlines = 0;      // deadlines once met by the plan and then missed by it
        int hopeless = 0;            // jobs
        int early_ends_with_tentative_jobs = 0;
        int overtaken = 0;         // tentative jobs due now that a regular job pushed into the future
        int tentative_starts = 0;  // by line 46
    };

    // Adds to `counts`, which outlives this object.
    PlainDbf(int processors, Repair repair, Counts& counts)
        : processors_(processors), repair_(repair), counts_(counts) {}

    // One scheduling round; returns the jobs that start, in increasing order.
    std::vector<JobIndex> round(Time now, const std::vector<JobIndex>& ended,
                                const std::vector<Submission>& submitted) {
        now_ = now;
        started_.clear();
        completions(ended);
        for (const auto& [index, description] : submitted) {
            jobs_[index] = description;
            if (description.deadline) {
                submit_with_deadline(index);
            } else {
                submit_regular(index);
            }
        }
        start_what_is_due();
        std::sort(started_.begin(), started_.end());
        return started_;
    }

    // Of every waiting job.
    const std::map<JobIndex, Time>& planned_starts() const { return plan_.starts; }
    // In submission order.
    const std::vector<JobIndex>& tentative() const { return plan_.L1; }
    // Deadline-driven jobs whose first place kept the deadline.
    const std::set<JobIndex>& met_at_submission() const { return met_at_submission_; }

 private:
    using List = std::vector<JobIndex>;

    // All that a step may change, and `strict` may want back.
    struct Plan {
        std::map<Time, int> changes;      // of the number of free processors
        std::map<JobIndex, Time> starts;  // of the waiting jobs that have a place
        List L1;                          // L0 is all that waits and is not in L1
    };

    const JobDescription& job(JobIndex index) const { return jobs_.at(index); }
    Duration walltime(JobIndex index) const { return *job(index).walltime; }

    bool submitted_before(JobIndex a, JobIndex b) const {
        return std::pair(job(a).submit, a) < std::pair(job(b).submit, b);
    }
    // Lists that are walked in submission order are kept in it.
    void insert(List& list, JobIndex index) const {
        list.push_back(index);
        std::sort(list.begin(), list.end(), [&](JobIndex a, JobIndex b) { return submitted_before(a, b); });
    }

    void change(Time at, int processors) {
        if ((plan_.changes[at] += processors) == 0) {
            plan_.changes.erase(at);
        }
    }
    void occupy(Time from, Time to, int processors) {
        change(from, -processors);
        change(to, processors);
    }
    void cancel(JobIndex index) {
        const Time start = plan_.starts.at(index);
        occupy(start, start + walltime(index), -job(index).processors);
        plan_.starts.erase(index);
    }
    void place(JobIndex index) {
        const Time start = earliest(job(index).processors, walltime(index));
        occupy(start, start + walltime(index), job(index).processors);
        plan_.starts[index] = start;
    }
    void cancel_all(const List& list) {
        for (const JobIndex index : list) {
            cancel(index);
        }
    }
    void place_all(const List& list) {
        for (const JobIndex index : list) {
            place(index);
        }
    }
    // Whenever too few processors are free, the next change is the next instant worth trying.
    Time earliest(int processors, Duration length) const {
        Time start = now_;
        int free = processors_;
        for (auto at = plan_.changes.begin(); at != plan_.changes.end() && at->first < start + length; ++at) {
            free += at->second;
            const auto next = std::next(at);
            if (free < processors && next != plan_.changes.end()) {
                start = std::max(start, next->first);
            }
        }
        return start;
    }

    bool meets_deadline(JobIndex index, const Plan& plan) const {
        return plan.starts.at(index) + walltime(index) <= *job(index).deadline;
    }
    bool late(JobIndex index) const { return job(index).deadline && !meets_deadline(index, plan_); }
    bool any_late(const List& list) const {
        return std::any_of(list.begin(), list.end(), [&](JobIndex index) { return late(index); });
    }
    bool loses_a_deadline_of(const Plan& before) const {
        return std::any_of(before.starts.begin(), before.starts.end(), [&](const auto& planned) {
            return late(planned.first) && meets_deadline(planned.first, before);
        });
    }

    void completions(const std::vector<JobIndex>& ended) {
        bool early = false;
        for (const JobIndex index : ended) {
            const Time expected_end = running_.at(index) + walltime(index);
            running_.erase(index);
            if (expected_end > now_) {
                early = true;
                occupy(now_, expected_end, -job(index).processors);
            }
        }
        if (!early) {
            return;
        }
        counts_.early_ends_with_tentative_jobs += plan_.L1.empty() ? 0 : 1;
        const Plan before = plan_;
        cancel_all(plan_.L1);
        compress();
        place_all(plan_.L1);
        List Ltmp;
        lines_9_to_35(Ltmp);
        if (loses_a_deadline_of(before)) {
            ++counts_.lost_deadlines;
            if (repair_ == Repair::strict) {
                ++counts_.undone_completions;
                plan_ = before;
                Ltmp.clear();
                compress();
            }
        }
        lines_36_to_48(Ltmp);
    }

    List by_planned_start() const {
        List order;
        for (const auto& [index, start] : plan_.starts) {
            order.push_back(index);
        }
        std::sort(order.begin(), order.end(), [&](JobIndex a, JobIndex b) {
            const Time start_a = plan_.starts.at(a);
            const Time start_b = plan_.starts.at(b);
            return start_a != start_b ? start_a < start_b : submitted_before(a, b);
        });
        return order;
    }

    // All that has a place gets a new one, in the order of the planned starts.
    void compress() {
        for (const JobIndex index : by_planned_start()) {
            cancel(index);
            place(index);
        }
    }

    void submit_with_deadline(JobIndex index) {
        place(index);
        if (late(index)) {
            ++counts_.hopeless;
        } else {
            met_at_submission_.insert(index);
            insert(plan_.L1, index);
        }
    }

    void submit_regular(JobIndex Jr) {
        const Plan before = plan_;
        cancel_all(plan_.L1);  // 1-3
        List Ltmp{Jr};         // 4
        place(Jr);             // 5
        place_all(plan_.L1);   // 6-8
        lines_9_to_35(Ltmp);
        if (loses_a_deadline_of(before)) {
            ++counts_.lost_deadlines;
            if (repair_ == Repair::strict) {
                ++counts_.undone_submissions;
                plan_ = before;
                Ltmp = {Jr};
                place(Jr);
            }
        }
        for (const auto& [index, start] : before.starts) {
            counts_.overtaken += start == now_ && plan_.starts.at(index) > now_ ? 1 : 0;
        }
        lines_36_to_48(Ltmp);
    }

    void place_again(const List& Ltmp) {  // 12-20 and 26-34
        cancel_all(Ltmp);
        cancel_all(plan_.L1);
        place_all(Ltmp);
        place_all(plan_.L1);
    }

    void lines_9_to_35(List& Ltmp) {
        List& L1 = plan_.L1;
        const auto is_late = [&](JobIndex index) { return late(index); };
        for (auto violating = std::find_if(L1.begin(), L1.end(), is_late); violating != L1.end();  // 9
             violating = std::find_if(L1.begin(), L1.end(), is_late)) {
            ++counts_.line_10;
            insert(Ltmp, *violating);  // 10
            L1.erase(violating);       // 11
            place_again(Ltmp);         // 12-20
        }
        if (any_late(Ltmp)) {  // 22
            ++counts_.lines_23_to_34;
            std::optional<Time> Smax;  // 23
            for (const JobIndex index : Ltmp) {
                Smax = late(index) ? std::max(Smax.value_or(job(index).submit), job(index).submit) : Smax;
            }
            List others;
            for (const JobIndex index : L1) {  // 24-25
                if (job(index).submit < *Smax) {
                    ++counts_.line_24;
                    insert(Ltmp, index);
                } else {
                    others.push_back(index);
                }
            }
            L1 = others;
            place_again(Ltmp);  // 26-34
        }
    }

    void lines_36_to_48(const List& Ltmp) {
        // While the end of a job is overdue, starts wait for the end of the round, as in conservative backfilling.
        if (std::any_of(running_.begin(), running_.end(),
                        [&](const auto& started) { return started.second + walltime(started.first) <= now_; })) {
            return;
        }
        for (const JobIndex index : Ltmp) {  // 36-43
            start_if_due(index);
        }
        for (const JobIndex index : List(plan_.L1)) {  // 44-48
            counts_.tentative_starts += start_if_due(index) ? 1 : 0;
        }
    }

    void start_what_is_due() {
        for (const JobIndex index : by_planned_start()) {
            start_if_due(index);
        }
    }

    // A job that ends now as expected may be told of in a later message of this instant; until then its processors are
    // free in the plan only.
    bool start_if_due(JobIndex index) {
        int idle = processors_;
        for (const auto& [running, start] : running_) {
            idle -= job(running).processors;
        }
        if (plan_.starts.at(index) != now_ || job(index).processors > idle) {
            return false;
        }
        plan_.starts.erase(index);
        std::erase(plan_.L1, index);
        running_[index] = now_;
        started_.push_back(index);
        return true;
    }

    int processors_;
    Repair repair_;
    Counts& counts_;
    Time now_;
    std::map<JobIndex, JobDescription> jobs_;
    std::map<JobIndex, Time> running_;  // with their starts
    Plan plan_;
    std::vector<JobIndex> started_;
    std::set<JobIndex> met_at_submission_;
};

}  // namespace batfill::tests
