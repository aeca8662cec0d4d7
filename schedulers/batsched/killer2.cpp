#include <memory>

#include <batfill/engine/algorithm.hpp>

namespace batfill {

namespace {

// Runs one job at a time, in the order of submission. A newly submitted job kills the running one.
class Killer2 : public Algorithm {
 public:
    void submitted(Round& round, JobIndex /*job*/) override {
        for (const RunningJob& running : round.state().running) {
            kills_ += round.state().job(running.job).kill_requested ? 0U : 1U;
            round.kill(running.job);
        }
    }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        if (state.running.empty() && !state.waiting.empty()) {
            round.start_if_possible(state.waiting.job(0));
        }
    }

    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Killer2>(*this); }
    bool kills_jobs() const override { return true; }

    std::vector<Statistic> statistics() const override { return {{"kills", kills_}}; }

 private:
    std::uint64_t kills_ = 0;
};

const Registration registration({
    "killer2",
    "runs one job at a time, and kills it when another is submitted",
    "none; the algorithm of this name of batsched",
    {},
    [](const Parameters&) { return std::make_unique<Killer2>(); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
