#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

#include "schedulers/easy/start_history.hpp"

namespace batfill {

// When `easy` decides (the parameter `rounds`): once for all events of an instant, or after each event. Older
// simulators, pyss among them, decide after each event.
//
// With rounds=event, submissions come first. Each has its round if the new job fits into the free processors; with
// rounds=every-event and strict-event it always has. The completions follow in the order in which the jobs started. A
// job that ended before its estimated end holds its processors until the round of its completion. A change of the
// machine has the last round.
class EventRounds {
 public:
    // The parameter `rounds`.
    static Parameter parameter() {
        return Parameter::choice(
                   "rounds", {"instant", "event", "every-event", "strict-event"}, "instant",
                   "decide once for all events of an instant, or after each; after a submission only if the new job fits, or after every one; strict: processors are free only once the end of their job is handled")
            .used_with(placements_that_count());
    }
    explicit EventRounds(const Parameters& parameters)
        : is_on_(parameters.choice("rounds") != "instant"),
          follow_every_submission_(is_on_ && parameters.choice("rounds") != "event"),
          is_strict_(parameters.choice("rounds") == "strict-event") {}

    // Whether each event has its own round.
    bool is_on() const { return is_on_; }
    // Whether a submission has a round even if the new job does not fit.
    bool follow_every_submission() const { return follow_every_submission_; }

    // Notes that jobs ended, or that the machine changed.
    // Requires: called before the submissions of the instant; `starts` is kept if is_on().
    // Cost: O(completions * log(completions)).
    void completed(Time now, std::span<const Completion> completions, const StartHistory& starts) {
        if (!is_on_) {
            return;
        }
        completions_.assign(completions.begin(), completions.end());
        std::ranges::sort(completions_, {}, [&](const Completion& one) { return starts.number_of(one.job); });
        for (const Completion& completion : completions_) {
            if (is_held(completion, now)) {
                held_.push_back({completion.expected_end, completion.job, completion.processors});
                withheld_ += completion.processors;
            }
        }
    }
    void machine_changed() { machine_has_changed_ = true; }

    // Number of processors that jobs may use now.
    int free(const SchedulerState& state) const { return state.idle.count() - withheld_; }
    // Number of idle processors that are held by ended jobs.
    int withheld() const { return withheld_; }
    // The running jobs, and the ended jobs that hold processors, by estimated end.
    // Cost: O(running jobs * held jobs).
    std::vector<RunningJob> running(const SchedulerState& state) const {
        std::vector<RunningJob> running = state.running;
        for (const RunningJob& job : held_) {
            running.insert(std::ranges::upper_bound(running, job.end, {}, &RunningJob::end), job);
        }
        return running;
    }

    // Calls `decide` once, or, if is_on(), after each completion and after a change of the machine.
    template <typename Decide>
    void for_each_round(Time now, Decide decide) {
        if (!is_on_) {
            decide();
            return;
        }
        for (const Completion& completion : std::exchange(completions_, {})) {
            release(completion, now);
            decide();
        }
        if (std::exchange(machine_has_changed_, false)) {
            decide();
        }
    }

 private:
    // Whether an ended job holds its processors until the round of its completion.
    bool is_held(const Completion& completion, Time now) const { return is_strict_ || completion.expected_end > now; }
    void release(const Completion& completion, Time now) {
        if (is_held(completion, now)) {
            std::erase_if(held_, [&](const RunningJob& job) { return job.job == completion.job; });
            withheld_ -= completion.processors;
        }
    }

    bool is_on_;
    bool follow_every_submission_;
    bool is_strict_;
    // The completions of the current message, and the ended jobs that hold processors.
    std::vector<Completion> completions_;
    std::vector<RunningJob> held_;
    int withheld_ = 0;  // processors of the jobs in `held_`
    bool machine_has_changed_ = false;
};

}  // namespace batfill
