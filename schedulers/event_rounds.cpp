#include "schedulers/event_rounds.hpp"

#include <algorithm>

namespace batfill {

Parameter EventRounds::parameter() {
    return Parameter::choice(
               "rounds", {"instant", "event", "every-event", "strict-event"}, "instant",
               "decide once for all events of an instant, or after each; after a submission only if the new job fits, or after every one; strict: processors are free only once the end of their job is handled")
        .used_with(placements_that_count());
}

void EventRounds::completed(Time now, std::span<const Completion> completions, const StartHistory& starts) {
    if (!is_on_) {
        return;
    }
    completions_.assign(completions.begin(), completions.end());
    std::ranges::sort(completions_, {}, [&](const Completion& one) { return starts.of(one.job).number; });
    for (const Completion& completion : completions_) {
        if (is_held(completion, now)) {
            held_.push_back({completion.expected_end, completion.job, completion.processors});
            withheld_ += completion.processors;
        }
    }
}

std::vector<RunningJob> EventRounds::running(const SchedulerState& state) const {
    std::vector<RunningJob> running = state.running;
    for (const RunningJob& job : held_) {
        running.insert(std::ranges::upper_bound(running, job.end, {}, &RunningJob::end), job);
    }
    return running;
}

void EventRounds::release(const Completion& completion, Time now) {
    if (is_held(completion, now)) {
        std::erase_if(held_, [&](const RunningJob& job) { return job.job == completion.job; });
        withheld_ -= completion.processors;
    }
}

}  // namespace batfill
