#pragma once

#include <span>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

#include "schedulers/start_history.hpp"

namespace batfill {

// When `easy` decides (the parameter `rounds`): once for all events of an instant, or after each event, as older
// simulators do, pyss among them.
//
// With rounds=event, each submission has its round first, if the new job fits into what is free. The completions follow
// in the order in which the jobs started. A job that ended before its estimated end holds its processors until the
// round of its completion. A change of the machine has the last round.
class EventRounds {
 public:
    explicit EventRounds(const Parameters& parameters) : is_on_(parameters.choice("rounds") == "event") {}

    // Whether each event has its round.
    bool is_on() const { return is_on_; }

    // Jobs ended, or the machine changed; to be called before the submissions of the instant.
    // Requires: `starts` is kept if is_on().
    // Cost: O(completions * log(completions)).
    void completed(Time now, std::span<const Completion> completions, const StartHistory& starts);
    void machine_changed() { machine_has_changed_ = true; }

    // How many processors may be used now.
    int free(const SchedulerState& state) const { return state.idle_count - withheld_; }
    // How many idle processors are held by jobs that ended early.
    int withheld() const { return withheld_; }
    // The running jobs, and those that hold processors, by their estimated ends. O(running jobs * held jobs).
    std::vector<RunningJob> running(const SchedulerState& state) const;

    // Calls `decide` once, or, with rounds=event, after each completion and after a change of the machine.
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
    void release(const Completion& completion, Time now);

    bool is_on_;
    // Of the message that is being handled: its completions, and the jobs that hold processors.
    std::vector<Completion> completions_;
    std::vector<RunningJob> held_;
    int withheld_ = 0;  // the processors of `held_`
    bool machine_has_changed_ = false;
};

}  // namespace batfill
