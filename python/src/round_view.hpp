#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/state.hpp>

#include "python/src/bindings.hpp"

namespace batfill::python {

// What decide() sees of the engine. One for all rounds of a run.
class RoundView : public std::enable_shared_from_this<RoundView> {
 public:
    void open(Round& round) {
        round_ = &round;
        ++number_;
        has_waiting_ = false;
        waiting_object_.reset();
    }
    void close() {
        round_ = nullptr;
        waiting_object_.reset();
        running_.reset();
        ended_.clear();
    }
    // Called before decide().
    void note_ended(std::span<const Completion> completions) {
        for (const Completion& completion : completions) {
            ended_.push_back(completion.job);
        }
    }
    void note_ended(JobIndex job) { ended_.push_back(job); }

    Round& round() const {
        refuse_if(round_ == nullptr,
                  "the round is over: use a round, and what it returned, only until decide() returns");
        return *round_;
    }
    const SchedulerState& state() const { return round().state(); }
    std::size_t number() const { return number_; }

    // The jobs that waited when they were first asked for in this round. A job keeps its index when others start.
    const std::vector<JobIndex>& waiting() {
        const SchedulerState& now = state();
        if (!has_waiting_) {
            const std::span<const JobIndex> jobs = now.waiting.jobs();
            waiting_.assign(jobs.begin(), jobs.end());
            has_waiting_ = true;
        }
        return waiting_;
    }
    JobIndex job(std::ptrdiff_t index) { return job_in(waiting(), index, "waiting"); }
    // The waiting job of this index, which has not started in this round.
    JobIndex waiting_job(std::ptrdiff_t index) {
        const JobIndex found = job(index);
        if (state().job(found).state != JobState::submitted) {
            throw DecisionError("job " + state().job(found).description().id +
                                " has started already, expected one that waits");
        }
        return found;
    }
    // The jobs that ended since the last round.
    const std::vector<JobIndex>& ended() const { return ended_; }
    // The jobs that run now, in the order of the estimated ends; their indices hold until the next call.
    const std::vector<JobIndex>& read_running() {
        running_.emplace();
        for (const RunningJob& job : state().running) {
            running_->push_back(job.job);
        }
        return *running_;
    }
    JobIndex running_job(std::ptrdiff_t index) {
        return job_in(running_ ? *running_ : read_running(), index, "running");
    }
    // A job that was registered in this round is the last of those that wait, if it does.
    // Requires: the jobs that waited before have been read.
    std::optional<std::size_t> add_registered(JobIndex job) {
        const std::span<const JobIndex> jobs = state().waiting.jobs();
        if (std::find(jobs.rbegin(), jobs.rend(), job) == jobs.rend()) {
            return std::nullopt;
        }
        waiting_.push_back(job);
        waiting_object_.reset();
        return waiting_.size() - 1;
    }
    // A field that batfill does not know, or an amount (stated_amount), read once for each job. NaN: the job has no
    // such number.
    double number_field_of(const std::string& name, JobIndex job) {
        std::vector<double>& values = fields_[name];
        while (values.size() <= job) {
            const auto index = static_cast<JobIndex>(values.size());
            // A forgotten job never waits again.
            values.push_back(state().jobs.has(index) ? read_number(state().job(index).description(), name)
                                                     : std::nan(""));
        }
        return values[job];
    }

    void wake_at(double seconds) {
        const Time time = time_of(seconds);
        if (time <= state().now) {
            throw UsageError("wake_at: expected a time after now, " + state().now.to_string() + ", found " +
                             std::to_string(seconds));
        }
        wakes_.insert(time);
    }
    Time next_wake(Time after) const {
        const auto next = wakes_.upper_bound(after);
        return next == wakes_.end() ? Time::infinity() : *next;
    }
    void forget_wakes() { wakes_.erase(wakes_.begin(), wakes_.upper_bound(state().now)); }

    nb::object waiting_object_;

 private:
    static JobIndex job_in(const std::vector<JobIndex>& jobs, std::ptrdiff_t index, const std::string& which) {
        if (index < 0 || static_cast<std::size_t>(index) >= jobs.size()) {
            throw nb::index_error(("expected the index of one of " + std::to_string(jobs.size()) + ' ' + which +
                                   " jobs, found " + std::to_string(index))
                                      .c_str());
        }
        return jobs[static_cast<std::size_t>(index)];
    }
    static double read_number(const JobDescription& job, const std::string& name) {
        const std::optional<Amount> amount = stated_amount(job, name);
        return amount ? static_cast<double>(*amount) : number_field(job, name).value_or(std::nan(""));
    }

    Round* round_ = nullptr;
    std::size_t number_ = 0;
    bool has_waiting_ = false;
    std::vector<JobIndex> waiting_;
    std::optional<std::vector<JobIndex>> running_;
    std::vector<JobIndex> ended_;
    std::map<std::string, std::vector<double>> fields_;  // by name, then by JobIndex
    std::set<Time> wakes_;
};

using SharedRound = std::shared_ptr<RoundView>;

// Of the round in which it was made.
class OfRound {
 public:
    explicit OfRound(SharedRound view) : view_(std::move(view)), number_(view_->number()) {}
    RoundView& view() const {
        view_->round();
        refuse_if(view_->number() != number_,
                  "it is of an earlier round: ask the round that decide() got for a new one");
        return *view_;
    }
    const SchedulerState& state() const { return view().state(); }

 private:
    SharedRound view_;
    std::size_t number_;
};

}  // namespace batfill::python
