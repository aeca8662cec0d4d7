#include <batfill/engine/algorithm.hpp>

namespace batfill {

namespace {

class FirstComeFirstServed : public Algorithm {
 public:
    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        while (!state.waiting.empty() && round.start_if_possible(state.waiting.job(0))) {
        }
        if (round.explains() && !state.waiting.empty()) {
            explain(round, state.waiting.job(0));
        }
    }

 private:
    static void explain(Round& round, JobIndex first) {
        for (const JobIndex job : round.explained()) {
            round.because(job,
                          job == first ? "head: all others wait for it" : "behind the head, job " + round.name(first));
        }
    }
};

const Registration registration({
    "fcfs",
    "first come, first served: the first job that does not fit blocks all others",
    "folklore; the baseline of Lifka, The ANL/IBM SP scheduling system, JSSPP 1995",
    {},
    [](const Parameters&) { return std::make_unique<FirstComeFirstServed>(); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine, Placement::snug,
     Placement::fullest},
});

}  // namespace

}  // namespace batfill
