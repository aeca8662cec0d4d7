#include <batfill/engine/algorithm.hpp>

namespace {

// Starts every job that fits, in the order of submission; wide jobs may starve. A round is one pass over the queue.
class FirstFit : public batfill::Algorithm {
 public:
    void decide(batfill::Round& round) override {
        const batfill::SchedulerState& state = round.state();
        std::size_t position = 0;
        while ((position = state.waiting.next_fitting(position, state.idle.count())) < state.waiting.size()) {
            if (!round.start_if_possible(state.waiting.job(position))) {
                ++position;
            }  // else the jobs after it have moved up
        }
        for (const batfill::JobIndex job : round.explained()) {  // most often none: see simulate --explain
            round.because(job, "first fit: the jobs before it do not matter");
        }
    }
};

const batfill::Registration registration({
    "example-first-fit",
    "starts every job that fits",
    "none",
    {},
    [](const batfill::Parameters&) { return std::make_unique<FirstFit>(); },
});

}  // namespace
