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

// The order `multifactor` of `easy`: what Slurm's priority plugin of this name gives a job for how long it has waited,
// how large it is, and how little its user has had of the machine lately, each from 0 to 1 and weighed. Slurm,
// Multifactor Priority Plugin and Classic Fairshare Algorithm (slurm.schedmd.com); docs/algorithms.md says what is left
// out.
//
// Processor seconds decay with a half-life. They count as they are used, so that running jobs count, too.
class MultifactorPriority {
 public:
    // The parameters factor-weights, max-age and half-life.
    static std::vector<Parameter> parameters();
    // Null if none of the parameters `orders` is multifactor. Throws UsageError if others of these parameters are given
    // then, or if they are out of range.
    static std::unique_ptr<MultifactorPriority> from(const Parameters& parameters,
                                                     const std::vector<std::string>& orders);

    // What happens to jobs; to be called once for each. O(log(users)), O(1) and O(1).
    void submitted(const SchedulerState& state, JobIndex index);
    void started(const SchedulerState& state, JobIndex index);
    void ended(const SchedulerState& state, std::span<const Completion> completions);

    // To be called before priorities of an instant are asked for, and again when jobs were submitted. O(users).
    void prepare(Time now);
    // Of a job that was submitted by then; the larger goes first. O(1).
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
        int processors = 0;     // of the running jobs since then
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
    std::vector<User> users_;   // in the order in which their first jobs came
    std::vector<Known> known_;  // by JobIndex
};

}  // namespace batfill
