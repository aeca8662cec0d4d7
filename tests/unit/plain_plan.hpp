#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>

#include "engine_rounds.hpp"

namespace batfill::tests {

// The common part of the plain forms of plan algorithms, which are independent implementations. They place and cancel
// exactly what the definition says, and remember nothing between its steps. They ignore unavailable processors and
// overrun walltimes. Every job has a walltime and fits on the machine.
class PlainPlanAlgorithm {
 public:
    explicit PlainPlanAlgorithm(int processors) : processors_(processors) {}
    virtual ~PlainPlanAlgorithm() = default;

    // One scheduling round; returns the jobs that start, in increasing order.
    std::vector<JobIndex> round(const Message& message) {
        now_ = message.now;
        started_.clear();
        forget_the_past();
        if (!message.ended.empty()) {
            completed(take_out(message.ended));
        }
        for (const auto& [index, description] : message.submitted) {
            REQUIRE(index == jobs_.size());
            jobs_.push_back(description);
            submitted(index);
        }
        for (const JobIndex index : by_planned_start()) {
            start_if_due(index);
        }
        std::sort(started_.begin(), started_.end());
        return started_;
    }

    // The planned start of every waiting job.
    const std::map<JobIndex, Time>& planned_starts() const { return plan_.starts; }

 protected:
    struct Plan {
        std::map<Time, int> changes;      // changes of the number of free processors
        std::map<JobIndex, Time> starts;  // of the waiting jobs that are placed
    };

    // Jobs ended, and their processors are free.
    virtual void completed(bool early) = 0;
    virtual void submitted(JobIndex index) = 0;
    virtual void has_started(JobIndex) {}

    Time now() const { return now_; }
    Plan& plan() { return plan_; }
    const Plan& plan() const { return plan_; }
    const JobDescription& job(JobIndex index) const { return jobs_[index]; }
    Duration walltime(JobIndex index) const { return *job(index).walltime; }
    bool submitted_before(JobIndex a, JobIndex b) const {
        return std::pair(job(a).submit, a) < std::pair(job(b).submit, b);
    }

    // While too few processors are free, the next change is the next instant to try.
    Time earliest(JobIndex index) const {
        const int processors = job(index).processors;
        const Duration length = walltime(index);
        Time start = now_;
        Time end = start + length;
        int free = processors_;
        for (auto change = plan_.changes.begin(); change != plan_.changes.end() && change->first < end;) {
            free += change->second;
            ++change;
            if (free < processors && change != plan_.changes.end()) {
                start = std::max(start, change->first);
                end = start + length;
            }
        }
        return start;
    }
    void place(JobIndex index, Time start) {
        occupy(start, start + walltime(index), job(index).processors);
        plan_.starts[index] = start;
    }
    void cancel(JobIndex index) {
        const Time start = plan_.starts.at(index);
        occupy(start, start + walltime(index), -job(index).processors);
        plan_.starts.erase(index);
    }

    // The start that a placed job could have if it were removed.
    Time earliest_without_itself(JobIndex index) {
        const Time planned = planned_starts().at(index);
        cancel(index);
        const Time start = earliest(index);
        place(index, planned);
        return start;
    }

    // All placed jobs by planned start, ties by submission.
    std::vector<JobIndex> by_planned_start() const {
        std::vector<std::tuple<Time, Time, JobIndex>> keys;
        for (const auto& [index, start] : plan_.starts) {
            keys.emplace_back(start, job(index).submit, index);
        }
        std::sort(keys.begin(), keys.end());
        std::vector<JobIndex> order;
        for (const auto& [start, submit, index] : keys) {
            order.push_back(index);
        }
        return order;
    }

    // Whether a running job should have ended by now. A later message of this instant may report its end. Until then
    // its processors are free only in the plan.
    bool an_end_is_due() const {
        return std::any_of(running_.begin(), running_.end(),
                           [&](const auto& started) { return started.second + walltime(started.first) <= now_; });
    }
    bool start_if_due(JobIndex index) {
        int idle = processors_;
        for (const auto& [running, start] : running_) {
            idle -= job(running).processors;
        }
        if (plan_.starts.at(index) != now_ || job(index).processors > idle) {
            return false;
        }
        plan_.starts.erase(index);
        running_[index] = now_;
        started_.push_back(index);
        has_started(index);
        return true;
    }

 private:
    // Returns whether any of these jobs ended early.
    bool take_out(const std::vector<JobIndex>& ended) {
        bool early = false;
        for (const JobIndex index : ended) {
            const Time expected_end = running_.at(index) + walltime(index);
            running_.erase(index);
            if (expected_end > now_) {
                early = true;
                occupy(now_, expected_end, -job(index).processors);
            }
        }
        return early;
    }
    // Merges past changes into one.
    void forget_the_past() {
        int change_by_now = 0;
        while (!plan_.changes.empty() && plan_.changes.begin()->first <= now_) {
            change_by_now += plan_.changes.begin()->second;
            plan_.changes.erase(plan_.changes.begin());
        }
        change(now_, change_by_now);
    }
    void occupy(Time from, Time to, int processors) {
        change(from, -processors);
        change(to, processors);
    }
    void change(Time at, int processors) {
        if ((plan_.changes[at] += processors) == 0) {
            plan_.changes.erase(at);
        }
    }

    int processors_;
    Time now_;
    std::vector<JobDescription> jobs_;  // by JobIndex
    std::map<JobIndex, Time> running_;  // with their starts
    Plan plan_;
    std::vector<JobIndex> started_;
};

}  // namespace batfill::tests
