#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_machine.hpp"

namespace batfill::tests {

// The common part of the plain forms of plan algorithms, which are independent implementations. They place and cancel
// exactly what the definition says, and remember only planned starts between rounds. If processors come or go, they
// rebuild the plan of the waiting jobs in the order of the planned starts. They ignore overrun walltimes. Every job has
// a walltime and fits on the machine.
class PlainPlanAlgorithm {
 public:
    explicit PlainPlanAlgorithm(int processors) : machine_(processors) {}
    virtual ~PlainPlanAlgorithm() = default;

    // One scheduling round; returns the jobs that start, in increasing order.
    std::vector<JobIndex> round(const Message& message) {
        now_ = message.now;
        started_.clear();
        const bool early = take_out(message.ended);
        machine_.take_in(message);
        plan_around_running_jobs();
        if (!message.machine_changes.empty()) {
            const std::vector<JobIndex> order = by_planned_start();
            std::for_each(order.begin(), order.end(), [this](JobIndex index) { cancel(index); });
            std::for_each(order.begin(), order.end(), [this](JobIndex index) { place(index, earliest(index)); });
        } else if (!message.ended.empty()) {
            completed(early);
        }
        for (const auto& [index, description] : message.submitted) {
            REQUIRE(index == jobs_.size());
            jobs_.push_back(description);
            submitted(index);
        }
        all_submitted();
        for (const JobIndex index : by_turn()) {
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
    virtual void all_submitted() {}
    // The order in which due jobs start.
    virtual std::vector<JobIndex> by_turn() const { return by_planned_start(); }
    virtual void has_started(JobIndex) {}

    Time now() const { return now_; }
    Plan& plan() { return plan_; }
    const Plan& plan() const { return plan_; }
    const JobDescription& job(JobIndex index) const { return jobs_[index]; }
    Duration walltime(JobIndex index) const { return *job(index).walltime; }
    bool submitted_before(JobIndex a, JobIndex b) const {
        return std::pair(job(a).submit, a) < std::pair(job(b).submit, b);
    }

    // While too few processors are free, the next change is the next instant to try. Infinite if too few are available.
    Time earliest(JobIndex index) const {
        const int processors = job(index).processors;
        const Duration length = walltime(index);
        if (processors > available_) {
            return Time::infinity();
        }
        Time start = now_;
        Time end = start + length;
        int free = available_;
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
        occupy(index, start, job(index).processors);
        plan_.starts[index] = start;
    }
    void cancel(JobIndex index) {
        occupy(index, plan_.starts.at(index), -job(index).processors);
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
        if (plan_.starts.at(index) != now_) {
            return false;
        }
        Place idle = machine_.now().processors;
        const auto needed = static_cast<std::size_t>(job(index).processors);
        if (needed > idle.size()) {
            return false;
        }
        idle.resize(needed);
        machine_.start(index, job(index), idle, now_ + walltime(index));
        plan_.starts.erase(index);
        running_[index] = now_;
        started_.push_back(index);
        has_started(index);
        return true;
    }

 private:
    // Returns whether a job ended early.
    bool take_out(const std::vector<JobIndex>& ended) {
        bool early = false;
        for (const JobIndex index : ended) {
            early |= running_.at(index) + walltime(index) > now_;
            running_.erase(index);
        }
        return early;
    }
    // The plan without memory: what running jobs leave by the estimates, and the planned jobs at their starts.
    void plan_around_running_jobs() {
        const auto free_at = [this](Time time) {
            return static_cast<int>(machine_.by_estimates_at(time).processors.size());
        };
        available_ = free_at(Time::infinity());
        plan_.changes.clear();
        std::set<Time> times{now_};
        for (const auto& [index, start] : running_) {
            times.insert(std::max(start + walltime(index), now_));
        }
        int free = available_;
        for (const Time time : times) {
            change(time, free_at(time) - free);
            free = free_at(time);
        }
        for (const auto& [index, start] : plan_.starts) {
            occupy(index, start, job(index).processors);
        }
    }
    void occupy(JobIndex index, Time start, int processors) {
        if (!start.is_infinite()) {
            change(start, -processors);
            change(start + walltime(index), processors);
        }
    }
    void change(Time at, int processors) {
        if ((plan_.changes[at] += processors) == 0) {
            plan_.changes.erase(at);
        }
    }

    PlainMachine machine_;
    int available_ = 0;  // processors, idle or not
    Time now_;
    std::vector<JobDescription> jobs_;  // by JobIndex
    std::map<JobIndex, Time> running_;  // with their starts
    Plan plan_;
    std::vector<JobIndex> started_;
};

}  // namespace batfill::tests
