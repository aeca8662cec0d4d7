#include <algorithm>

#include <batfill/algorithm.hpp>

namespace batfill {

namespace {

// When enough processors for the head of the queue are free by the estimates, and how many are left over then.
struct Reservation {
    Time shadow_time;
    int extra_processors;
};

Reservation reserve(const SchedulerState& state, int processors) {
    int free = state.idle_count;
    for (auto running = state.running.begin(); running != state.running.end(); ++running) {
        free += running->processors;
        // All that end by the shadow time count for what is left over. Overdue jobs end now by the estimates.
        const Time shadow_time = std::max(running->end, state.now);
        const auto next = std::next(running);
        if (free >= processors && (next == state.running.end() || next->end > shadow_time)) {
            return {shadow_time, free - processors};
        }
    }
    return {Time::infinity(), 0};  // processors are unavailable: nothing delays the head
}

// Aggressive backfilling: only the first job that does not fit has a reservation, and the others may start if they do
// not delay it. A round costs one pass over the running jobs and one over the queue.
class Easy : public Algorithm {
 public:
    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        const WaitingQueue& queue = state.waiting;
        while (!queue.empty() && queue.processors(0) <= state.idle_count) {
            round.start(queue.job(0));
        }
        if (queue.size() < 2 || state.idle_count == 0) {
            return;
        }
        auto [shadow_time, extra] = reserve(state, queue.processors(0));
        std::size_t position = 1;
        while ((position = queue.next_fitting(position, state.idle_count)) < queue.size()) {
            const bool ends_in_time = state.now + queue.walltime(position) <= shadow_time;
            if (ends_in_time || queue.processors(position) <= extra) {
                if (!ends_in_time) {
                    extra -= queue.processors(position);
                }
                round.start(queue.job(position));  // and the next job moves up to this position
            } else {
                ++position;
            }
        }
    }
};

const Registration registration({
    "easy",
    "EASY backfilling: the first waiting job has a reservation, others start if they do not delay it",
    "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; as in Legrand, Trystram, Zrigui, Adapting batch scheduling "
    "to "
    "workload characteristics: what can we expect from online learning?, IPDPS 2019, algorithm 1",
    {},
    [](const Parameters&) { return std::make_unique<Easy>(); },
});

}  // namespace

}  // namespace batfill
