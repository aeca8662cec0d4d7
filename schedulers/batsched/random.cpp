#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <batfill/engine/algorithm.hpp>

namespace batfill {

namespace {

// Tries the waiting jobs in a random order, new in each round, and starts the jobs that fit.
//
// Cost of a round: a pass over the queue.
class Random : public Algorithm {
 public:
    explicit Random(const Parameters& parameters) : random_(parameters.whole_number("seed").value()) {}
    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Random>(*this); }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        jobs_.assign(state.waiting.jobs().begin(), state.waiting.jobs().end());
        while (!jobs_.empty() && state.idle.count() > 0) {
            // The remainder favours some jobs, by less than (number of jobs) / 2^64.
            std::swap(jobs_[random_() % jobs_.size()], jobs_.back());
            round.start_if_possible(jobs_.back());
            jobs_.pop_back();
        }
    }

 private:
    std::mt19937_64 random_;
    std::vector<JobIndex> jobs_;
};

const Registration registration({
    "random",
    "starts every job that fits, in a new random order each time",
    "none; batsched has an algorithm of this name",
    {Parameter::whole_number("seed", "1", "seed of the orders")},
    [](const Parameters& parameters) { return std::make_unique<Random>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
