#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Predicts how long jobs run, to replace their users' estimates, and corrects predictions that prove too short. A
// prediction is
// - the mean run time of the user's last two ended jobs (Tsafrir, Etsion, Feitelson, Backfilling using system-generated
//   predictions rather than user runtime estimates, IEEE Transactions on Parallel and Distributed Systems 18(6), 2007)
// - a field of the job
// - its run time
// docs/algorithms.md has the sources of the corrections, and our decisions where these leave something open.
//
// An algorithm that declares parameters() can be set to use predictions. The engine then keeps them in
// SchedulerState::predictions, and uses them for the ends in SchedulerState::running. Walltimes do not change, nor does
// the time at which jobs are killed.
class RunTimePredictor {
 public:
    // The parameters `prediction`, `prediction-field`, `correction` and `expired`.
    static std::vector<Parameter> parameters();
    // Whether an algorithm with these parameters shall use predictions.
    // Requires: it declares parameters().
    static bool is_asked_for(const Parameters& parameters) { return parameters.choice("prediction") != "none"; }
    // A predictor; null if the algorithm does not declare parameters(), or if no predictions are requested.
    // Throws: UsageError if they do not go together.
    static std::unique_ptr<RunTimePredictor> from(const std::vector<Parameter>& declared, const Parameters& parameters);

    explicit RunTimePredictor(const Parameters& parameters);

    // Whether predictions are run times, which only a simulator knows (SchedulerState::run_times).
    bool needs_run_times() const { return source_ == Source::clairvoyant; }
    // Whether a prediction is corrected when it expires, before the events of that instant. Otherwise it is corrected
    // in the first round from then on, after the completions of the message.
    bool corrects_at_expiry() const { return correction_ != Correction::cumulative; }

    // The predicted run time of a new job. It is the walltime if the job has no prediction.
    // Cost: O(log(users)), or O(size of the job's fields).
    Duration predict(const SchedulerState& state, JobIndex index);

    // Notes that a job starts now, by its prediction; called once for each job, in the order of their starts.
    // Cost: O(log(running jobs)).
    void started(JobIndex index, Duration prediction) { running_.emplace(index, Running{++starts_, prediction}); }

    // Notes that a job has ended now; called once for each job. Ignores a job that was killed before its walltime.
    // Cost: O(log(users) + log(running jobs)).
    void ended(JobIndex index, const Job& job, JobState how, Time now);

    // Corrects the predictions by which running jobs should have ended before `least_end`, until the job ends no
    // earlier, or no further correction is possible. Cost: O(log(running jobs)) for each of them.
    void correct(SchedulerState& state, Time least_end);
    // If expiries start rounds: whether a prediction was corrected since the last call, and when the next prediction of
    // a running job expires, as find_next_expiry() has found. Otherwise false, and infinite.
    bool take_expired() { return std::exchange(a_prediction_expired_, false) && expiries_start_rounds_; }
    Time next_expiry() const { return next_expiry_; }
    Time find_next_expiry(const SchedulerState& state);

    // Appends the number of jobs predicted to run for less than their walltime, and the number of corrections.
    void append_statistics(std::vector<Statistic>& statistics) const {
        statistics.push_back({"jobs_predicted", predicted_});
        statistics.push_back({"predictions_corrected", corrections_});
    }

 private:
    // In the order of the choices in parameters().
    enum class Source { none, last_two, last_two_seconds, clairvoyant, field };
    enum class Correction { cumulative, from_first, doubling, walltime };

    struct History {
        std::array<Duration, 2> runs;  // of the jobs that ended last, latest first
        std::size_t known = 0;         // number of valid entries in `runs`
    };
    struct Running {
        std::uint64_t number;  // of its start
        Duration first_prediction;
        std::size_t corrections = 0;  // so far
    };
    // A job that has ended, but does not count for its user yet.
    struct Ended {
        Time at;
        std::uint64_t start_number;
        std::string user;
        Duration run;
    };

    bool may_correct(const Job& job, Duration prediction) const {
        return !needs_run_times() && prediction < job.walltime;
    }
    Duration last_two(const Job& job) const;
    Duration field_of(const Job& job) const;
    Duration correct_once(Running& running, const Job& job, Duration estimate, Time least_end) const;
    void learn(const std::string& user, Duration run);
    void learn_before(Time now);

    Source source_;
    std::string field_;
    Correction correction_;
    bool expiries_start_rounds_;
    std::map<std::string, History> histories_;  // by user
    std::map<JobIndex, Running> running_;
    std::vector<Ended> ended_now_;  // only with last-two-seconds: of the latest instant
    bool a_prediction_expired_ = false;
    Time next_expiry_ = Time::infinity();
    std::uint64_t starts_ = 0;
    std::uint64_t predicted_ = 0;
    std::uint64_t corrections_ = 0;
};

}  // namespace batfill
