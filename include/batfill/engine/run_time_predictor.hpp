#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Predicts how long jobs run, in place of their users' estimates: the mean run time of the last two jobs of the same
// user that have ended, and corrections of what proves too short. Tsafrir, Etsion, Feitelson, Backfilling using
// system-generated predictions rather than user runtime estimates, IEEE Transactions on Parallel and Distributed
// Systems 18(6), 2007. What it leaves open, and what was decided, is in docs/algorithms.md.
//
// An algorithm that declares parameter() can be told to count with predictions: the engine then keeps them in
// SchedulerState::predictions, and SchedulerState::running by them. The walltimes stay what they are, and so does the
// time at which jobs are killed.
class RunTimePredictor {
 public:
    // The parameter `prediction`.
    static Parameter parameter();
    // Whether an algorithm that has these parameters is to count with predictions. Requires that it declares
    // parameter().
    static bool is_asked_for(const Parameters& parameters);
    // Null if the algorithm does not declare parameter(), or if no predictions are asked for.
    static std::unique_ptr<RunTimePredictor> from(const std::vector<Parameter>& declared, const Parameters& parameters);

    // For how long a new job is predicted to run: at least 1 s, at most its walltime; the walltime if fewer than two
    // jobs of its user have ended, or if its user is unknown. O(log(users)).
    Duration predict(const Job& job);

    // A job has ended now; to be called once for each. One that was killed before its walltime teaches nothing.
    // O(log(users)).
    void ended(JobIndex index, const Job& job, JobState how, Time now);

    // The prediction of a job that runs and by `prediction` should have ended by now: as much longer as it takes to end
    // later than now, but never longer than the walltime. O(log(running jobs)).
    Duration corrected(JobIndex index, const Job& job, Duration prediction, Time now);

    // How many jobs were predicted to run for less than their walltime, and how often a prediction was corrected.
    void append_statistics(std::vector<Statistic>& statistics) const;

 private:
    struct History {
        std::array<Duration, 2> runs;  // of the jobs that ended last, the latest first
        std::size_t known = 0;         // how many of these there are
    };
    std::map<std::string, History> histories_;        // by user
    std::map<JobIndex, std::size_t> corrections_of_;  // of running jobs, how many there were
    std::uint64_t predicted_ = 0;
    std::uint64_t corrections_ = 0;
};

}  // namespace batfill
