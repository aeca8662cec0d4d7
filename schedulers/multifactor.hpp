#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// The order `multifactor` of `easy`, after Slurm's priority plugin of this name. A job's priority is a weighted sum of
// three factors from 0 to 1: how long it has waited, how large it is, and how little its user has used the machine
// lately. docs/algorithms.md lists what is left out.
//
// Used processor seconds decay with a half-life. They count as they are used, so running jobs count, too.
//
// Source: Slurm, Multifactor Priority Plugin and Classic Fairshare Algorithm (slurm.schedmd.com).
class MultifactorPriority {
 public:
    // The parameters factor-weights, max-age and half-life.
    static std::vector<Parameter> parameters();
    // Null if neither `order` nor `backfill-order` is multifactor.
    // Throws: UsageError if one is, and factor-weights, max-age or half-life is out of range.
    static std::unique_ptr<MultifactorPriority> from(const Parameters& parameters);

    // Reports what happens to jobs.
    // Requires: called once for each job and event.
    // Cost: O(log(users)) for submitted(), else O(1) for each job.
    void submitted(const SchedulerState& state, JobIndex index);
    void started(const SchedulerState& state, JobIndex index) { use(state, index, 1); }
    void ended(const SchedulerState& state, std::span<const Completion> completions);

    // Computes the fair-share factors at `now`.
    // Requires: called before anyone asks for priorities of an instant, and again after submissions.
    // Cost: O(users).
    void prepare(Time now);
    // The priority of a job; the larger goes first.
    // Requires: the job was submitted before prepare() was called.
    // Cost: O(1).
    double of(JobIndex job) const;

 private:
    struct Factors {
        double age = 1;
        double size = 1;
        double fair_share = 1;
    };
    struct User {
        double usage = 0;  // in processor seconds, decayed until `as_of`
        Time as_of;
        int processors = 0;     // of the jobs that have run since `as_of`
        double fair_share = 1;  // the factor at the instant of prepare()
    };
    struct Known {
        Time submit;
        double size;  // the factor
        std::size_t user;
    };

    explicit MultifactorPriority(const Parameters& parameters);
    void use(const SchedulerState& state, JobIndex index, int sign);
    double usage_at(const User& user, Time now) const;

    Factors weights_;
    bool terms_may_cancel_ = false;  // some weights are negative, others are not
    double max_age_ = 0;             // in seconds
    double half_life_ = 0;           // in seconds
    Time now_;
    std::map<std::string, std::size_t> users_by_name_;
    std::vector<User> users_;   // in the order of their first jobs
    std::vector<Known> known_;  // by JobIndex
};

}  // namespace batfill
