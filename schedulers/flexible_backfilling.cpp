#include "schedulers/flexible_backfilling.hpp"

#include <memory>
#include <string>
#include <utility>

#include <batfill/reservation.hpp>

namespace batfill::farm {

AlgorithmDescription FlexibleBackfilling::description(const char* name, const char* summary, const char* section,
                                                      Head head) {
    return {name,
            summary,
            std::string("Techiouba, Capannini, Baraglia, Puppin, Pasquali, Ricci, Backfilling strategies for "
                        "scheduling streams of jobs on computational farms, CoreGRID 2008, section ") +
                section,
            Priority::parameters(),
            [head](const Parameters& parameters) { return std::make_unique<FlexibleBackfilling>(parameters, head); },
            {Placement::machine}};
}

void FlexibleBackfilling::decide(Round& round) {
    const SchedulerState& state = round.state();
    if (!keeps_head_ || (head_ && state.job(*head_).state != JobState::submitted)) {
        head_.reset();
    }
    const bool is_head_known = head_ || !keeps_head_;
    if (state.waiting.empty() || (is_head_known && !can_any_start(state))) {
        return;
    }
    rank(state);
    start_heads(round);
    if (head_) {
        backfill(round);
    }
}

bool FlexibleBackfilling::can_any_start(const SchedulerState& state) {
    const WaitingQueue& queue = state.waiting;
    const int most = state.most_for_one_job();
    for (std::size_t at = 0; (at = queue.next_fitting(at, most)) < queue.size(); ++at) {
        if (state.can_start(state.job(queue.job(at)).request)) {
            return true;
        }
    }
    return false;
}

void FlexibleBackfilling::rank(const SchedulerState& state) {
    priority_.prepare(state);
    priorities_.resize(state.jobs.size());
    ranked_.clear();
    for (const JobIndex job : state.waiting.jobs()) {
        priorities_[job] = priority_.of(state, job);
        ranked_.add(job, priorities_[job]);
    }
}

// Starts the head, and each that is the head after it, until one cannot start.
void FlexibleBackfilling::start_heads(Round& round) {
    if (head_ && !round.start_if_possible(*head_)) {
        return;
    }
    const std::optional<JobIndex> started = std::exchange(head_, std::nullopt);
    ranked_.for_each_until([&](JobIndex job) {
        if (job != started && !round.start_if_possible(job)) {
            head_ = job;
        }
        return !head_;
    });
}

void FlexibleBackfilling::backfill(Round& round) {
    const SchedulerState& state = round.state();
    const WaitingQueue& queue = state.waiting;
    Reservation reservation(state, *head_);
    ranked_.clear();
    const int most = state.most_for_one_job();
    for (std::size_t at = 0; (at = queue.next_fitting(at, most)) < queue.size(); ++at) {
        const JobIndex job = queue.job(at);
        if (job != *head_ && state.can_start(state.job(job).request)) {
            ranked_.add(job, priorities_[job]);
        }
    }
    ranked_.for_each_until([&](JobIndex job) {
        reservation.start_if_admitted(round, job);
        return state.idle_count > 0;
    });
}

}  // namespace batfill::farm
