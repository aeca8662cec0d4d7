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

// Predicts how long jobs run, to replace their users' estimates. The prediction is the mean run time of the user's last
// two ended jobs; it is corrected if it proves too short. Tsafrir, Etsion, Feitelson, Backfilling using
// system-generated predictions rather than user runtime estimates, IEEE Transactions on Parallel and Distributed
// Systems 18(6), 2007. docs/algorithms.md lists what the paper leaves open and what was decided.
//
// An algorithm that declares parameter() can be set to use predictions. The engine then keeps them in
// SchedulerState::predictions, and uses them for the ends in SchedulerState::running. Walltimes do not change, nor does
// the time at which jobs are killed.
class RunTimePredictor {
 public:
    // The parameter `prediction`.
    static Parameter parameter();
    // Whether an algorithm with these parameters shall use predictions.
    // Requires: it declares parameter().
    static bool is_asked_for(const Parameters& parameters);
    // A predictor; null if the algorithm does not declare parameter(), or if no predictions are requested.
    static std::unique_ptr<RunTimePredictor> from(const std::vector<Parameter>& declared, const Parameters& parameters);

    // The predicted run time of a new job: at least 1 s, at most its walltime. It is the walltime if fewer than two
    // jobs of its user have ended, or if its user is unknown.
    // Cost: O(log(users)).
    Duration predict(const Job& job);

    // Notes that a job has ended now; called once for each job. Ignores a job that was killed before its walltime.
    // Cost: O(log(users)).
    void ended(JobIndex index, const Job& job, JobState how, Time now);

    // The corrected prediction of a running job that should have ended by now according to `prediction`. It is longer,
    // so that the job ends later than now, but never longer than the walltime.
    // Cost: O(log(running jobs)).
    Duration corrected(JobIndex index, const Job& job, Duration prediction, Time now);

    // Appends the number of jobs predicted to run for less than their walltime, and the number of corrections.
    void append_statistics(std::vector<Statistic>& statistics) const;

 private:
    struct History {
        std::array<Duration, 2> runs;  // of the jobs that ended last, latest first
        std::size_t known = 0;         // number of valid entries in `runs`
    };
    std::map<std::string, History> histories_;        // by user
    std::map<JobIndex, std::size_t> corrections_of_;  // of running jobs: number of corrections so far
    std::uint64_t predicted_ = 0;
    std::uint64_t corrections_ = 0;
};

}  // namespace batfill
