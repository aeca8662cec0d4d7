#include <batfill/engine/algorithm.hpp>

namespace {

// Starts the shortest job that fits, by walltime, as long as one fits. Wide and long jobs may starve.
class ShortestFirst : public batfill::Algorithm {
 public:
    void decide(batfill::Round& round) override {
        const auto& waiting = round.state().waiting;
        const auto fitting = [&](std::size_t from) { return waiting.next_fitting(from, round.state().idle.count()); };
        for (std::size_t best = fitting(0); best < waiting.size(); best = fitting(0)) {
            for (std::size_t other = fitting(best + 1); other < waiting.size(); other = fitting(other + 1)) {
                best = waiting.walltime(other) < waiting.walltime(best) ? other : best;
            }
            round.start(waiting.job(best));
        }
    }
};

const batfill::Registration registration({
    "shortest-first",
    "starts the shortest job that fits",
    "none",
    {},
    [](const batfill::Parameters&) { return std::make_unique<ShortestFirst>(); },
});

}  // namespace
