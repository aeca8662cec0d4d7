#include <batfill/algorithm.hpp>

namespace batfill {

namespace {

class FirstComeFirstServed : public Algorithm {
 public:
    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        while (!state.waiting.empty() && state.waiting.processors(0) <= state.idle_count) {
            round.start(state.waiting.job(0));
        }
    }
};

const Registration registration({
    "fcfs",
    "first come, first served: the first job that does not fit blocks all others",
    "folklore; the baseline of Lifka, The ANL/IBM SP scheduling system, JSSPP 1995",
    {},
    [](const Parameters&) { return std::make_unique<FirstComeFirstServed>(); },
});

}  // namespace

}  // namespace batfill
