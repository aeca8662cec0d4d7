#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>

#include "tests/support/plain_prediction.hpp"
#include "tests/support/random.hpp"

namespace batfill::tests {

// Weights of the features q, p, wait, p/q, (wait + p)/p and p*q, for q processors and a walltime of p. The job with the
// larger weighted sum goes first. They are integers, so sums are exact fractions. Only their ratios matter.
using OrderWeights = std::array<int, 6>;

// Every order by its name; `mixed` has weights of its own.
inline const std::map<std::string, OrderWeights>& named_orders() {
    static const std::map<std::string, OrderWeights> orders{
        {"fcfs", {0, 0, 1, 0, 0, 0}},  {"lcfs", {0, 0, -1, 0, 0, 0}}, {"spf", {0, -1, 0, 0, 0, 0}},
        {"lpf", {0, 1, 0, 0, 0, 0}},   {"sqf", {-1, 0, 0, 0, 0, 0}},  {"lqf", {1, 0, 0, 0, 0, 0}},
        {"saf", {0, 0, 0, 0, 0, -1}},  {"laf", {0, 0, 0, 0, 0, 1}},   {"lexp", {0, 0, 0, 0, 1, 0}},
        {"sexp", {0, 0, 0, 0, -1, 0}}, {"lrf", {0, 0, 0, 1, 0, 0}},   {"srf", {0, 0, 0, -1, 0, 0}},
    };
    return orders;
}

// "0.3,-0.1,0.0,0.2,0.0,0.0" in tenths, or whole numbers.
inline std::string text_of(const OrderWeights& weights, bool tenths) {
    std::string text;
    for (const int weight : weights) {
        text += text.empty() ? "" : ",";
        text += weight < 0 ? "-" : "";
        text += (tenths ? "0." : "") + std::to_string(std::abs(weight));
    }
    return text;
}

// From -9 to 9, and not all 0.
inline OrderWeights random_weights(Random& random) {
    OrderWeights weights{};
    while (weights == OrderWeights{}) {
        for (int& weight : weights) {
            weight = random.one_in(3) ? 0 : random.between(-9, 9);
        }
    }
    return weights;
}

// A score without any rounding.
class ExactScore {
 public:
    ExactScore(const OrderWeights& weights, const JobDescription& job, Time now) {
        const Integer q = job.processors;
        const Integer p = job.walltime->count();
        const Integer wait = (now - job.submit).count();
        // In millionths, over the common denominator.
        const std::array<Integer, 6> features{q * million * q * p,      p * q * p,    wait * q * p, p * p,
                                              million * (wait + p) * q, p * q * q * p};
        denominator_ = q * p;
        for (std::size_t i = 0; i < features.size(); ++i) {
            numerator_ += weights[i] * features[i];
        }
        const Integer divisor = greatest_common_divisor(numerator_ < 0 ? -numerator_ : numerator_, denominator_);
        numerator_ /= divisor;
        denominator_ /= divisor;
    }

    friend bool operator==(const ExactScore& a, const ExactScore& b) { return a.minus(b) == 0; }
    friend bool operator>(const ExactScore& a, const ExactScore& b) { return a.minus(b) > 0; }

 private:
    using Integer = Microseconds;  // of 128 bits
    static constexpr Integer million = 1'000'000;

    static Integer greatest_common_divisor(Integer a, Integer b) {
        return b == 0 ? a : greatest_common_divisor(b, a % b);
    }
    // The difference times both denominators.
    Integer minus(const ExactScore& other) const {
        return numerator_ * other.denominator_ - other.numerator_ * denominator_;
    }

    Integer numerator_ = 0;
    Integer denominator_ = 1;
};

// Jobs in the order of their scores.
struct PlainRanking {
    std::vector<JobIndex> jobs;  // the largest score first
    bool in_doubt = false;       // some scores are so close that rounding may make them equal
    int ties = 0;
};

struct PlainScore {
    JobIndex job;
    long double score;
    long double magnitude;  // sum of the terms of the score without their signs
};

// Ranks jobs in the order of submission, which decides between scores that agree except for rounding.
inline PlainRanking ranked(std::vector<PlainScore> scores) {
    std::vector<JobIndex> by_submission;
    std::transform(scores.begin(), scores.end(), std::back_inserter(by_submission),
                   [](const PlainScore& score) { return score.job; });
    std::stable_sort(scores.begin(), scores.end(),
                     [](const PlainScore& a, const PlainScore& b) { return a.score > b.score; });
    PlainRanking ranking;
    std::map<JobIndex, int> rank;
    int last = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        bool is_tie = i > 0 && scores[i - 1].score == scores[i].score;
        if (i > 0 && !is_tie && !std::isinf(scores[i - 1].score)) {
            const long double distance =
                (scores[i - 1].score - scores[i].score) / std::max(scores[i - 1].magnitude, scores[i].magnitude);
            is_tie = distance < 1e-15L;
            ranking.in_doubt |= !is_tie && distance < 1e-9L;
        }
        ranking.ties += is_tie ? 1 : 0;
        rank[scores[i].job] = last += is_tie ? 0 : 1;
    }
    ranking.jobs = by_submission;
    std::stable_sort(ranking.jobs.begin(), ranking.jobs.end(),
                     [&](JobIndex a, JobIndex b) { return rank.at(a) < rank.at(b); });
    return ranking;
}

// The input of a plain order.
struct Queue {
    Time now;
    const std::map<JobIndex, JobDescription>& jobs;
    const std::vector<JobIndex>& waiting;  // in the order that decides between equal scores
    const PlainPrediction& prediction;
};
using PlainOrder = std::function<PlainRanking(const Queue&)>;

// An order of `easy` by exact scores.
inline PlainOrder plain_order(const OrderWeights& weights) {
    return [=](const Queue& queue) {
        PlainRanking ranking{queue.waiting, false, 0};
        std::map<JobIndex, ExactScore> scores;
        for (const JobIndex job : queue.waiting) {
            scores.emplace(job, ExactScore(weights, queue.jobs.at(job), queue.now));
        }
        std::stable_sort(ranking.jobs.begin(), ranking.jobs.end(),
                         [&](JobIndex a, JobIndex b) { return scores.at(a) > scores.at(b); });
        for (std::size_t i = 1; i < ranking.jobs.size(); ++i) {
            ranking.ties += scores.at(ranking.jobs[i - 1]) == scores.at(ranking.jobs[i]) ? 1 : 0;
        }
        return ranking;
    };
}

// The shortest prediction first.
inline PlainOrder plain_predicted_order() {
    return [](const Queue& queue) {
        PlainRanking ranking{queue.waiting, false, 0};
        std::stable_sort(ranking.jobs.begin(), ranking.jobs.end(),
                         [&](JobIndex a, JobIndex b) { return queue.prediction.of(a) < queue.prediction.of(b); });
        return ranking;
    };
}

}  // namespace batfill::tests
