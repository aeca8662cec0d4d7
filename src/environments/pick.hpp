#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/replay/outcome.hpp>
#include <batfill/replay/replay.hpp>

namespace batfill::environments {

// How jobs are backfilled behind a picked job that cannot start.
enum class Backfilling {
    none,  // nobody starts before it
    easy,  // jobs start in the order of submission if they do not delay its reservation
};

// What the reward of a step adds up to over an episode: minus the mean over all jobs of this, so that more is better.
enum class Cost { bounded_slowdown, slowdown, wait };

struct PickOptions {
    std::size_t queue = 128;  // the agent picks one of the first so many waiting jobs, by submission; positive
    Backfilling backfilling = Backfilling::easy;
    Cost cost = Cost::bounded_slowdown;
    bool reward_at_end = false;            // else each step gives the part of the jobs that started since the last
    Duration tau = Duration::seconds(10);  // bound of the bounded slowdown; positive
};

// The features of a job in an observation, all in [0, 1]:
// - 0: wait / (wait + an hour)
// - 1: walltime / (walltime + an hour)
// - 2: processors / processors of the machine
// - 3: 1 if it can start now, else 0
// - 4: 1 if there is such a job, else 0
inline constexpr std::size_t features_of_job = 5;
// Of the machine: idle processors, processors that waiting jobs request (at most the machine), waiting jobs
// (n / (n + 100)), each as a share; and the time until the next running job ends by its estimate, t / (t + an hour).
inline constexpr std::size_t features_of_machine = 4;

// An environment for learning, in the form of gymnasium: an episode is a replay in which an agent picks jobs. Whenever
// some waiting job could start, the agent picks one of the first waiting jobs. If it can start, it does, and the agent
// picks again. If not, jobs are backfilled behind it, and the simulation goes on to the next round.
//
// The simulation runs on a stack of its own and stops where the agent has to pick (Coroutine). One thread at a time may
// use an object.
class PickEnvironment {
 public:
    // Requires: the replay outlives this object; jobs have walltimes and fit on the machine.
    PickEnvironment(const Replay& replay, const PickOptions& options);
    ~PickEnvironment();
    PickEnvironment(PickEnvironment&&) noexcept;
    PickEnvironment& operator=(PickEnvironment&&) noexcept;

    // Begins the episode anew, and runs to the first pick.
    void reset();
    // Whether the episode has ended: nothing is to be picked any more. True before the first reset().
    bool is_done() const;
    // The number of jobs that can be picked: actions 0 to choices() - 1. 0 if the episode has ended.
    std::size_t choices() const;
    // Picks a job and runs to the next pick. Returns the reward.
    // Requires: action < choices().
    double step(std::size_t action);

    // Writes the observation: queue * features_of_job numbers and features_of_machine numbers. Zeros if the episode has
    // ended.
    void observe(std::span<float> jobs, std::span<float> machine) const;

    // The state at a pick, for heuristics.
    // Requires: !is_done().
    const SchedulerState& state() const;
    // The outcome of an episode that has ended.
    // Requires: is_done(), and reset() was called.
    const Outcome& outcome() const;

 private:
    struct Episode;

    const Replay* replay_;
    PickOptions options_;
    std::unique_ptr<Episode> episode_;
};

}  // namespace batfill::environments
