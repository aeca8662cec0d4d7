#include <limits>
#include <memory>
#include <set>
#include <utility>

#include <batfill/engine/algorithm.hpp>

namespace batfill {

namespace {

// First come, first served. Kills every job once it has run for `delay`.
//
// Cost of a round: O(log n) for each of the n running jobs that ends or is killed.
class Killer : public Algorithm {
 public:
    explicit Killer(const Parameters& parameters) : delay_(parameters.seconds("delay").value()) {}

    void completed(Round& round, std::span<const Completion> completions) override {
        for (const Completion& completion : completions) {
            due_.erase({round.state().job(completion.job).start + delay_, completion.job});
        }
    }
    void machine_changed(Round& round, std::span<const Completion> completions) override {
        completed(round, completions);
    }

    void decide(Round& round) override {
        const SchedulerState& state = round.state();
        while (!state.waiting.empty() && round.start_if_possible(state.waiting.job(0))) {
        }
        while (!due_.empty() && due_.begin()->first <= state.now) {
            round.kill(due_.begin()->second);
            due_.erase(due_.begin());
            ++kills_;
        }
    }

    void started(const SchedulerState& state, JobIndex job) override { due_.emplace(state.now + delay_, job); }

    Time next_wake(Time after) const override {
        const auto next = due_.upper_bound({after, std::numeric_limits<JobIndex>::max()});
        return next == due_.end() ? Time::infinity() : next->first;
    }

    std::unique_ptr<Algorithm> copy() const override { return std::make_unique<Killer>(*this); }
    bool kills_jobs() const override { return true; }

    std::vector<Statistic> statistics() const override { return {{"kills", kills_}}; }

 private:
    Duration delay_;
    std::set<std::pair<Time, JobIndex>> due_;  // running jobs, by the time at which to kill them
    std::uint64_t kills_ = 0;
};

const Registration registration({
    "killer",
    "first come, first served, and kills every job that runs for too long",
    "none; the algorithm of this name of batsched",
    {Parameter::seconds("delay", "10", "how long a job runs before it is killed")},
    [](const Parameters& parameters) { return std::make_unique<Killer>(parameters); },
    {Placement::lowest, Placement::contiguous, Placement::best_effort_contiguous, Placement::machine},
});

}  // namespace

}  // namespace batfill
