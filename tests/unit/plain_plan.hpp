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

// What the plan algorithms have in common in their plainest forms, which are second opinions on the algorithms
// themselves: they place and cancel what the steps of the definition say, and remember nothing between them. They know
// nothing of processors that come and go, nor of jobs that outlive their walltime. Every job has a walltime and asks
// for no more than the machine has.
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

    // Of every waiting job.
    const std::map<JobIndex, Time>& planned_starts() const { return plan_.starts; }

 protected:
    struct Plan {
        std::map<Time, int> changes;      // of the number of free processors
        std::map<JobIndex, Time> starts;  // of the waiting jobs that have a place
    };

    // Jobs ended; what they held is free.
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

    // Whenever too few processors are free, the next change is the next instant worth trying.
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

    // When a job that has a place could start if it had none.
    Time earliest_without_itself(JobIndex index) {
        const Time planned = planned_starts().at(index);
        cancel(index);
        const Time start = earliest(index);
        place(index, planned);
        return start;
    }

    // All that have a place, ties by submission.
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

    // Whether a job still runs whose end is expected by now: that it ends may be told of in a later message of this
    // instant, and until then its processors are free in the plan only.
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
    // What has changed by now is one change.
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
