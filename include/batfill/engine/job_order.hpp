#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// A score that is a product, or a sum of terms of one sign, rounded to about 1e-12 of `magnitude`, which is its
// absolute value or the same for all scores that are compared: scores that differ only in the last bits of doubles come
// out equal, and the order of the rounded ones is a strict one. Infinite values stay as they are.
double rounded_score(double value, double magnitude);

// Weights of the order `mixed`: of q, p, w, p/q, (w+p)/p and pq (see JobOrder).
using MixedWeights = std::array<double, 6>;
// What these features are divided by before they are weighed. A negative scale turns the sign of its feature.
using MixedScales = std::array<double, 6>;

class ExactWeights;

// The score of one waiting job under an index policy, as a function of time. Valid as long as the JobOrder that gave
// it, or a copy of that.
class JobScore {
 public:
    // A number, and how far the score may be from it; 0 if the number is what is compared.
    struct Approximation {
        double value = 0;
        double error = 0;
        // Less or more than 0 as a score near `a` is less or more than one near `b`; 0 if they are too near to tell.
        static int compare(const Approximation& a, const Approximation& b);
    };

    // A score that is 0 at all times.
    JobScore() = default;

    Approximation at(Time now) const;
    // Less than 0, 0 or more than 0 as the score of `a` is less than that of `b`, equal, or more; both are of one
    // order. Exact under the orders that are sums of features. The scores of wfp3, unicef and f1 to f4, which no
    // fraction gives, are equal if they agree to about 1e-12. O(1); some microseconds if the scores agree to about
    // 1e-14, and much less otherwise.
    static int compare(const JobScore& a, const JobScore& b, Time now);
    // An instant after `now` before which `a` and `b` compare as they do at `now`: one stays the larger, or they stay
    // equal. It may be earlier than when they change places, but is `now` and a microsecond only if their scores are
    // equal, or nearly, and do not stay so. O(1).
    static Time same_order_until(const JobScore& a, const JobScore& b, Time now);

 private:
    friend class JobOrder;
    // The sum of some terms, and the sum of their absolute values.
    struct Sum {
        double value = 0;
        double magnitude = 0;
        void add(double term);
        friend bool operator==(const Sum&, const Sum&) = default;
    };
    static JobScore exactly(double value);
    // Whether they are those of the same request, submitted at the same time.
    static bool are_alike(const JobScore& a, const JobScore& b);
    static int compare_exactly(const JobScore& a, const JobScore& b, Time now);
    Sum sum_at(Time now) const;
    // What part of a magnitude a compared number may be from the sum in doubles, or that sum from the exact one.
    double error() const;

    Sum base_;
    Sum slope_;  // what is added for each second of waiting
    Time submit_;
    Duration walltime_;
    const ExactWeights* exact_ = nullptr;  // null if the score is no sum of features
    int processors_ = 0;
};

// An index policy: the waiting job with the larger score comes first; ties are broken by submission time, then by order
// of arrival.
//
// The scores of a job that asks for q processors, has walltime p and has waited for w (both in seconds) are
//   fcfs +w, lcfs -w, spf -p, lpf +p, sqf -q, lqf +q, saf -pq, laf +pq, lexp +(w+p)/p, sexp -(w+p)/p, lrf +p/q, srf
//   -p/q, mixed: weights . (q, p, w, p/q, (w+p)/p, pq), where each feature is divided by its scale, and the weights by
//   the sum of their absolute values.
// Legrand, Trystram, Zrigui, Adapting batch scheduling to workload characteristics: what can we expect from online
// learning?, IPDPS 2019, section 4.
//   wfp3 (w/p)^3 q, unicef w/(log2(q) p), where jobs of one processor come before all others.
// Tang, Lan, Desai, Buettner, Fault-aware, utility-based job scheduling on Blue Gene/P systems, CLUSTER 2009.
//   f1 -(log10(p) q + 870 log10(s)), f2 -(sqrt(p) q + 25600 log10(s)), f3 -(p q + 6.86e6 log10(s)),
//   f4 -(p sqrt(q) + 5.3e5 log10(s)), where s is the submission time in seconds, at least 1.
// Carastan-Santos, de Camargo, Obtaining dynamic scheduling policies with simulation and machine learning, SC 2017.
//   predicted -(the run time that is predicted when the job is submitted), see RunTimePredictor.
//   multifactor: given by the algorithm.
class JobOrder {
 public:
    // The parameters that an algorithm declares if its user may choose the order. `also` names orders that not every
    // algorithm can have: `predicted`, with which it declares RunTimePredictor::parameter(), too, and `multifactor`,
    // whose scores are its own affair.
    static Parameter order(const std::string& name, const std::string& default_value, const std::string& description,
                           const std::vector<std::string>& also = {});
    static Parameter weights();
    static Parameter scales();

    // Reads the parameter `name`, and `weights` and `scales` if it is "mixed"; without scales, all are 1. Throws
    // UsageError if weights are missing or all zero, if the absolute value of a scale is not from 1e-100 to 1e100,
    // which keeps all scores finite, or if the order is `predicted` and nothing is predicted.
    JobOrder(const Parameters& parameters, const std::string& name);
    // The order `mixed` with the scales of this one, which is mixed, and other weights, of which at least one is not 0.
    JobOrder with_weights(const MixedWeights& weights) const;
    // Throws UsageError if weights or scales are given and none of the orders `names` is mixed.
    static void refuse_unused_weights(const Parameters& parameters, const std::vector<std::string>& names);

    // Whether this is the order in which SchedulerState::waiting has the jobs.
    bool is_submission_order() const;
    bool is_mixed() const;
    bool is_multifactor() const;
    // Whether two waiting jobs may change places as time goes by.
    bool depends_on_clock() const;

    // 0 under `multifactor`.
    JobScore score(const SchedulerState& state, JobIndex index) const;
    // The same under an order that every algorithm can have.
    JobScore score(const Job& job) const;
    // JobScore::compare() of two waiting jobs now.
    int compare(const SchedulerState& state, JobIndex a, JobIndex b) const;

 private:
    // The first six are what `mixed` adds up.
    enum class Feature : std::size_t {
        processors,
        walltime,
        wait,
        ratio,
        expansion,
        area,
        mixed,
        wfp3,
        unicef,
        f1,
        f2,
        f3,
        f4,
        predicted,
        multifactor
    };
    struct Policy {
        const char* name;
        Feature feature;
        double sign;
    };
    static const std::array<Policy, 21> policies;

    explicit JobOrder(const std::string& policy);
    void add_features(JobScore& score) const;
    // Sets the weights, as they are given.
    void weigh(const MixedWeights& weights);

    Policy policy_;
    MixedScales scales_{1, 1, 1, 1, 1, 1};
    MixedWeights weights_{};                     // of the features as they are, in the order of the enumeration
    std::shared_ptr<const ExactWeights> exact_;  // the same; null if the score is no sum of features
};

// The waiting jobs sorted by a JobOrder, kept from round to round.
class OrderedJobs {
 public:
    explicit OrderedJobs(JobOrder order) : order_(std::move(order)) {}

    // Adds a job that has just come; to be called once for each job. O(waiting jobs).
    void insert(const SchedulerState& state, JobIndex index);
    // A job waits no longer. Requires that it is there. O(waiting jobs).
    void remove(JobIndex index);

    // All of them as they are ordered now; valid until the next call of any function. O(1), but if the order depends on
    // the clock, what it takes to sort them, once for each instant.
    const std::vector<JobIndex>& now(const SchedulerState& state);

 private:
    struct Entry {
        JobScore::Approximation score;  // at `sorted_at_`, or later if the job came later
        Time submit;
        JobIndex job;
        JobScore score_of_job;
    };

    // Whether `a` goes before `b`, whose scores are those of `now`.
    static bool goes_before(const Entry& a, const Entry& b, Time now);

    JobOrder order_;
    std::optional<Time> sorted_at_;  // the instant whose scores the entries have; none: of several
    std::vector<Entry> entries_;
    std::vector<JobIndex> jobs_;  // of the entries
};

}  // namespace batfill
