#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>
#include <batfill/engine/parameters.hpp>
#include <batfill/engine/state.hpp>

namespace batfill {

// Rounds a score to about 1e-12 of `magnitude`. The score is a product, or a sum of terms of one sign; `magnitude` is
// its absolute value, or the same for all scores that are compared. Scores that differ only in the last bits of doubles
// become equal, and the order of the rounded ones is strict. Infinite values stay as they are.
inline double rounded_score(double value, double magnitude) {
    // To a multiple of 2^-40 of a power of two near the magnitude: the unit in the last place of a double that is 6144
    // times this power. The power changes at 1 / 1.37. Values near 1 or 1.5, which are frequent scores, have the same
    // power on either side.
    constexpr std::uint64_t exponent_bits = 0x7ff0'0000'0000'0000;
    const auto power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1.37 * magnitude) & exponent_bits);
    const double large = 6144.0 * power;
    return std::isinf(large) ? value : (value + large) - large;
}

// The sum of these terms, rounded by the sum of their magnitudes.
inline double rounded_sum(std::span<const double> terms) {
    double sum = 0;
    double magnitude = 0;
    for (const double term : terms) {
        sum += term;
        magnitude += std::abs(term);
    }
    return rounded_score(sum, magnitude);
}

// Weights of the order `mixed`: of q, p, w, p/q, (w+p)/p and pq (see JobOrder).
using MixedWeights = std::array<double, 6>;
// These features are divided by the scales before they are weighted. A negative scale changes the sign of its feature.
using MixedScales = std::array<double, 6>;

class ExactWeights;

// The score of one waiting job under an index policy, as a function of time. Valid as long as the JobOrder that gave
// it, or a copy of that.
class JobScore {
 public:
    // A number, and how far the exact score may be from it; 0 if this number is what is compared.
    struct Approximation {
        double value = 0;
        double error = 0;
        // Compares a score near `a` with one near `b`. Returns less than 0 if it is less, more than 0 if it is more,
        // and 0 if they are too close to tell.
        static int compare(const Approximation& a, const Approximation& b) {
            const double difference = a.value - b.value;
            if (std::abs(difference) > a.error + b.error) {
                return difference > 0 ? 1 : -1;
            }
            return 0;
        }
    };

    // A score that is 0 at all times.
    JobScore() = default;

    Approximation at(Time now) const;
    // Returns less than 0, 0 or more than 0 as the score of `a` is less than, equal to or more than that of `b`. Exact
    // under orders that are sums of features. The scores of wfp3, unicef and f1 to f4 are not fractions; they count as
    // equal if they agree to about 1e-12.
    // Requires: both scores are of the same order.
    // Cost: O(1). A few microseconds if the scores agree to about 1e-14, much less otherwise.
    static int compare(const JobScore& a, const JobScore& b, Time now);
    // An instant after `now` before which `a` and `b` compare as they do at `now`. It may be earlier than the instant
    // at which they change places. It is `now` plus one microsecond only if the scores are equal, or nearly so, and do
    // not stay so.
    // Cost: O(1).
    static Time same_order_until(const JobScore& a, const JobScore& b, Time now);

 private:
    friend class JobOrder;
    // The sum of some terms, and of their absolute values.
    struct Sum {
        double value = 0;
        double magnitude = 0;
        void add(double term);
        friend bool operator==(const Sum&, const Sum&) = default;
    };
    static JobScore exactly(double value);
    // Whether both are scores of the same request, submitted at the same time.
    static bool are_alike(const JobScore& a, const JobScore& b);
    static int compare_exactly(const JobScore& a, const JobScore& b, Time now);
    Sum sum_at(Time now) const;
    // A bound relative to a magnitude: of the difference between a compared number and the sum in doubles, and between
    // that sum and the exact one.
    double error() const;

    Sum base_;
    Sum slope_;  // added for each second of waiting
    Time submit_;
    Duration walltime_;
    const ExactWeights* exact_ = nullptr;  // null if the score is no sum of features
    int processors_ = 0;
};

// An index policy: the waiting job with the larger score comes first; ties are broken by submission time, then by order
// of arrival (but see JobTable::ordered_by_id()).
//
// Scores of a job that requests q processors, has walltime p and has waited for w (both in seconds):
// - fcfs +w, lcfs -w, spf -p, lpf +p, sqf -q, lqf +q, saf -pq, laf +pq, lexp +(w+p)/p, sexp -(w+p)/p, lrf +p/q,
//   srf -p/q, mixed: weights . (q, p, w, p/q, (w+p)/p, pq). `mixed` divides each feature by its scale, and the weights
//   by the sum of their absolute values. Legrand, Trystram, Zrigui, Adapting batch scheduling to workload
//   characteristics: what can we expect from online learning?, IPDPS 2019, section 4.
// - wfp3 (w/p)^3 q, unicef w/(log2(q) p); jobs of one processor come before all others. Tang, Lan, Desai, Buettner,
//   Fault-aware, utility-based job scheduling on Blue Gene/P systems, CLUSTER 2009.
// - f1 -(log10(p) q + 870 log10(s)), f2 -(sqrt(p) q + 25600 log10(s)), f3 -(p q + 6.86e6 log10(s)), f4 -(p sqrt(q) +
//   5.3e5 log10(s)); s is the submission time in seconds, at least 1. Carastan-Santos, de Camargo, Obtaining dynamic
//   scheduling policies with simulation and machine learning, SC 2017.
// - predicted -(the run time predicted at submission); see RunTimePredictor.
// - field -(a number of the job); jobs without it come last.
// - multifactor: given by the algorithm.
class JobOrder {
 public:
    // The parameters of an algorithm whose user may choose the order. `also` names orders that not every algorithm
    // supports: `predicted`, which requires that the algorithm declares RunTimePredictor::parameters(), `field`, which
    // requires that it declares field(), and `multifactor`, whose scores the algorithm computes.
    static Parameter order(const std::string& name, const std::string& default_value, const std::string& description,
                           const std::vector<std::string>& also = {});
    // They have an effect if one of the parameters `orders` is mixed.
    static Parameter weights(const std::vector<std::string>& orders = {"order"});
    static Parameter scales(const std::vector<std::string>& orders = {"order"});
    // The name of the field that the order `field` reads. It has an effect if one of the parameters `orders` is field.
    static Parameter field(const std::vector<std::string>& orders = {"order"});

    // Reads the parameter `name`, and `weights` and `scales` if its value is "mixed". Without scales, all are 1.
    // Throws: UsageError
    // - if weights are missing or all zero
    // - if the absolute value of a scale is not from 1e-100 to 1e100; these limits keep all scores finite
    // - if the order is `predicted` and nothing is predicted
    JobOrder(const Parameters& parameters, const std::string& name);
    // The order `mixed` with the scales of this one and other weights.
    // Requires: this order is mixed; a weight is not 0.
    JobOrder with_weights(const MixedWeights& weights) const;

    // Whether SchedulerState::waiting has this order.
    bool is_submission_order() const { return policy_.feature == Feature::wait && policy_.sign > 0; }
    bool is_mixed() const { return policy_.feature == Feature::mixed; }
    bool is_multifactor() const { return policy_.feature == Feature::multifactor; }
    // Whether two waiting jobs may change places as time passes.
    bool depends_on_clock() const;

    // 0 under `multifactor`.
    JobScore score(const SchedulerState& state, JobIndex index) const;
    // As above, under an order that every algorithm supports.
    JobScore score(const Job& job) const;
    // JobScore::compare() of two waiting jobs at the present time.
    int compare(const SchedulerState& state, JobIndex a, JobIndex b) const {
        return JobScore::compare(score(state, a), score(state, b), state.now);
    }

 private:
    // `mixed` adds up the first six.
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
        field,
        multifactor
    };
    struct Policy {
        const char* name;
        Feature feature;
        double sign;
    };
    static const std::array<Policy, 22> policies;

    explicit JobOrder(const std::string& policy);
    void add_features(JobScore& score) const;
    // Sets the weights to the given ones.
    void weigh(const MixedWeights& weights);

    Policy policy_;
    std::string field_;  // of the order `field`
    MixedScales scales_{1, 1, 1, 1, 1, 1};
    MixedWeights weights_{};                     // of the unscaled features, in the order of the enumeration
    std::shared_ptr<const ExactWeights> exact_;  // the same weights; null if the score is not a sum of features
};

// The waiting jobs sorted by a JobOrder, kept from round to round.
class OrderedJobs {
 public:
    explicit OrderedJobs(JobOrder order) : order_(std::move(order)) {}

    // Adds a new job; called once for each job.
    // Cost: O(waiting jobs).
    void insert(const SchedulerState& state, JobIndex index);
    // Removes a job that no longer waits.
    // Requires: the job is there.
    // Cost: O(waiting jobs).
    void remove(JobIndex index);

    // All jobs in their present order; valid until the next call of any function.
    // Cost: O(1); if the order depends on the clock, a sort, once for each instant.
    const std::vector<JobIndex>& now(const SchedulerState& state);

 private:
    struct Entry {
        JobScore::Approximation score;  // at `sorted_at_`, or at the job's insertion if that was later
        Time submit;
        JobIndex job;
        JobScore score_of_job;
    };

    // Whether `a` goes before `b`.
    // Requires: the scores are those at the present.
    static bool goes_before(const Entry& a, const Entry& b, const SchedulerState& state);

    JobOrder order_;
    std::optional<Time> sorted_at_;  // the instant of the entries' scores; none: of several instants
    std::vector<Entry> entries_;
    std::vector<JobIndex> jobs_;  // of the entries
};

// Waiting jobs in the order of their scores at one instant, largest first. Most rounds start few jobs or none, so
// nothing stays sorted between rounds: a round ranks only the jobs that it may start, and takes only as many as it
// looks at.
class RankedJobs {
 public:
    void clear() {
        ranked_.clear();
        largest_error_ = 0;
    }

    // Adds a job. Call it in the order of the queue, which decides between equal scores unless they go by id.
    // Cost: O(1).
    void add(JobIndex job, double score) { ranked_.push_back({score, ranked_.size(), job}); }
    void add(JobIndex job, JobScore::Approximation score) {
        add(job, score.value);
        largest_error_ = std::max(largest_error_, score.error);
    }

    std::size_t size() const { return ranked_.size(); }

    // Passes the added jobs to `take`, first to last, until it returns false. `compare`, like JobScore::compare of two
    // jobs, decides where approximations are too close. `by_id` is JobTable::ordered_by_id(): equal scores go by the
    // ids in it.
    // Requires: no job is added during the call, and clear() is called before the next one is added.
    // Cost: O(jobs added), and O(log(jobs added)) for each job taken.
    template <typename Take, typename Compare>
    void for_each_until(Take take, Compare compare, const JobTable* by_id = nullptr) {
        const auto goes_after = [&](const Ranked& a, const Ranked& b) {
            int compared = JobScore::Approximation::compare({a.score, largest_error_}, {b.score, largest_error_});
            if (compared == 0 && largest_error_ > 0) {
                compared = compare(a.job, b.job);
            }
            if (compared != 0) {
                return compared < 0;
            }
            return by_id != nullptr ? by_id->has_first_id(b.job, a.job) : a.position > b.position;
        };
        std::make_heap(ranked_.begin(), ranked_.end(), goes_after);
        for (auto end = ranked_.end(); end != ranked_.begin();) {
            std::pop_heap(ranked_.begin(), end--, goes_after);
            if (!take(end->job)) {
                break;
            }
        }
    }
    // As above, for exact scores: they compare as the numbers that were added.
    template <typename Take>
    void for_each_until(Take take) {
        assert(largest_error_ == 0);
        for_each_until(take, [](JobIndex, JobIndex) { return 0; });
    }

 private:
    struct Ranked {
        double score;
        std::size_t position;  // in the queue
        JobIndex job;
    };

    std::vector<Ranked> ranked_;
    double largest_error_ = 0;
};

}  // namespace batfill
