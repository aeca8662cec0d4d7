#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine_rounds.hpp"
#include "plain_machine.hpp"
#include "plain_order.hpp"
#include "plain_prediction.hpp"

namespace batfill::tests {

// The input of a plain order.
struct Queue {
    Time now;
    const std::map<JobIndex, JobDescription>& jobs;
    const std::vector<JobIndex>& waiting;  // by submission
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

struct PlainRules {
    Placement placement = Placement::lowest;
    PlainOrder order = plain_order(named_orders().at("fcfs"));
    PlainOrder backfill_order = plain_order(named_orders().at("fcfs"));
    bool keeps_head = false;  // the head stays head until it starts
    bool backfills = true;
    bool predicts = false;
    bool rejects_too_wide = false;  // jobs that do not fit on the available processors
};

// Counts rare events. A comparison in which they never happened shows little.
struct BackfillingCounts {
    int rejected = 0;
    int in_time = 0;         // backfilled jobs that end before the head starts
    int beside = 0;          // jobs that run beside the head
    int elsewhere = 0;       // jobs that start, but on another place than without the head
    int delaying = 0;        // jobs that have places, and would delay the head on each
    int took_copies = 0;     // of these, jobs that would leave the head its processors, but not its licences
    int scattered = 0;       // enough processors are idle for the head, but not where it can run
    int without_copies = 0;  // the head has a place, but lacks licences
    int never = 0;           // the head cannot start however long it waits
    int overdue = 0;         // the head could start by the estimates, but cannot
    int kept_head = 0;       // the head is not the first in the order
    int head_not_first = 0;  // the head was not submitted first
    int ties = 0;
};

// FCFS, EASY backfilling and its relatives: the head has a reservation, and others start if they respect it. Tries
// every place of every job, and checks the whole machine after each.
class PlainBackfilling {
 public:
    PlainBackfilling(PlainMachine machine, PlainRules rules, BackfillingCounts& counts)
        : machine_(std::move(machine)), rules_(std::move(rules)), prediction_(rules_.predicts), counts_(counts) {}

    const PlainPrediction& prediction() const { return prediction_; }
    bool in_doubt() const { return in_doubt_; }
    const std::set<JobIndex>& rejected() const { return rejected_; }
    // After a round: the job that could not start, and when it can by the estimates; none if never.
    std::optional<JobIndex> head() const { return head_; }
    std::optional<Time> head_can_start_at() const { return reserved_ ? std::optional(reserved_->first) : std::nullopt; }

    // Whether the round started jobs that come before the head.
    bool is_head_overtaken() const { return is_head_overtaken_; }

    // The jobs that the round starts, and their places.
    std::map<JobIndex, ResourceSet> round(const Message& message) {
        now_ = message.now;
        started_.clear();
        machine_.take_in(message);
        prediction_.take_in(message);
        machine_.estimate_ends([this](JobIndex job) { return prediction_.end_of(job, now_); });
        for (const auto& [index, job] : message.submitted) {
            if (!machine_.has_room_for(job, rules_.placement)) {
                rejected_.insert(index);
                ++counts_.rejected;
                continue;
            }
            jobs_[index] = job;
            waiting_.push_back(index);
        }
        if (rules_.rejects_too_wide) {
            std::erase_if(waiting_, [this](JobIndex job) {
                return machine_.places(jobs_.at(job), rules_.placement, machine_.by_estimates_at(Time::infinity()))
                           .empty() &&
                       rejected_.insert(job).second;
            });
        }
        std::sort(waiting_.begin(), waiting_.end(), [this](JobIndex a, JobIndex b) {
            return std::pair(jobs_.at(a).submit, a) < std::pair(jobs_.at(b).submit, b);
        });
        const std::vector<JobIndex> backfill_order = in_order(rules_.backfill_order);
        std::vector<JobIndex> order = in_order(rules_.order);
        if (rules_.keeps_head && head_) {
            counts_.kept_head += order.front() != *head_ ? 1 : 0;
            std::erase(order, *head_);
            order.insert(order.begin(), *head_);
        }
        head_.reset();
        reserved_.reset();
        for (const JobIndex job : order) {
            if (!start_on(job, places_now(job))) {
                head_ = job;
                break;
            }
        }
        is_head_overtaken_ = !started_.empty();
        if (head_) {
            reserve();
            for (const JobIndex job : rules_.backfills ? backfill_order : std::vector<JobIndex>()) {
                if (job != *head_ && started_.count(job) == 0) {
                    backfill(job);
                }
            }
        }
        return started_;
    }

 private:
    std::vector<JobIndex> in_order(const PlainOrder& order) {
        const PlainRanking ranking = order({now_, jobs_, waiting_, prediction_});
        in_doubt_ |= ranking.in_doubt;
        counts_.ties += ranking.ties;
        return ranking.jobs;
    }

    std::vector<Place> places_now(JobIndex job) const {
        return machine_.places(jobs_.at(job), rules_.placement, machine_.now());
    }

    // Starts the job on the first of these places. Returns whether there is one.
    bool start_on(JobIndex job, const std::vector<Place>& places) {
        if (!places.empty()) {
            machine_.start(job, jobs_.at(job), places.front(), now_ + prediction_.of(job));
            prediction_.start(job, now_);
            started_[job] = set_of(places.front());
            std::erase(waiting_, job);
        }
        return !places.empty();
    }

    void reserve() {
        const JobDescription& head = jobs_.at(*head_);
        reserved_ = machine_.earliest(head, rules_.placement, now_);
        const PlainMachine::Free free = machine_.now();
        PlainMachine::Free without_licenses = free;
        for (auto& [license, copies] : without_licenses.copies) {
            copies = 1;
        }
        const bool has_processors = static_cast<int>(free.processors.size()) >= head.processors;
        const bool lacks_copies = !machine_.places(head, rules_.placement, without_licenses).empty();
        counts_.without_copies += lacks_copies ? 1 : 0;
        counts_.scattered += has_processors && !lacks_copies ? 1 : 0;
        counts_.never += reserved_ ? 0 : 1;
        counts_.overdue += reserved_ && reserved_->first == now_ ? 1 : 0;
        counts_.head_not_first += *head_ != waiting_.front() ? 1 : 0;
    }

    void backfill(JobIndex job) {
        const bool in_time = !reserved_ || now_ + prediction_.of(job) <= reserved_->first;
        const std::vector<Place> places = places_now(job);
        std::vector<Place> good;
        bool copies_matter = false;
        for (const Place& place : places) {
            PlainMachine with_it = machine_;
            with_it.start(job, jobs_.at(job), place, now_ + prediction_.of(job));
            if (in_time || leaves_reservation(with_it)) {
                good.push_back(place);
            } else {
                copies_matter |= leaves_processors(with_it.by_estimates_at(reserved_->first));
            }
        }
        counts_.in_time += !good.empty() && in_time ? 1 : 0;
        counts_.beside += !good.empty() && !in_time ? 1 : 0;
        counts_.elsewhere += !good.empty() && good.front() != places.front() ? 1 : 0;
        counts_.delaying += !places.empty() && good.empty() ? 1 : 0;
        counts_.took_copies += !places.empty() && good.empty() && copies_matter ? 1 : 0;
        start_on(job, good);
    }

    // Whether the head still has its reserved processors at its time, on this machine.
    bool leaves_reservation(const PlainMachine& machine) const {
        const PlainMachine::Free free = machine.by_estimates_at(reserved_->first);
        return leaves_processors(free) && (rules_.placement != Placement::machine || free.has_copies(jobs_.at(*head_)));
    }
    bool leaves_processors(const PlainMachine::Free& free) const {
        const Place& place = reserved_->second;
        if (rules_.placement == Placement::contiguous) {
            return std::includes(free.processors.begin(), free.processors.end(), place.begin(), place.end());
        }
        const auto usable = std::count_if(free.processors.begin(), free.processors.end(), [&](int processor) {
            return rules_.placement != Placement::machine || machine_.are_of_one_machine(processor, place.front());
        });
        return usable >= static_cast<std::ptrdiff_t>(place.size());
    }

    PlainMachine machine_;
    PlainRules rules_;
    PlainPrediction prediction_;
    BackfillingCounts& counts_;
    Time now_;
    std::map<JobIndex, JobDescription> jobs_;
    std::vector<JobIndex> waiting_;  // by submission
    std::map<JobIndex, ResourceSet> started_;
    std::set<JobIndex> rejected_;
    std::optional<JobIndex> head_;
    std::optional<std::pair<Time, Place>> reserved_;
    bool is_head_overtaken_ = false;
    bool in_doubt_ = false;
};

// Whether the engine runs a round for this message.
inline bool is_round(const Message& message) {
    return !message.ended.empty() || !message.submitted.empty() || !message.machine_changes.empty();
}

// Requires that a round of the engine started exactly these jobs on these places.
inline void require_starts(const Engine& engine, const std::vector<JobIndex>& started,
                           const std::map<JobIndex, ResourceSet>& expected) {
    std::vector<JobIndex> jobs;
    std::transform(expected.begin(), expected.end(), std::back_inserter(jobs),
                   [](const auto& start) { return start.first; });
    REQUIRE(started == jobs);
    for (const auto& [job, allocation] : expected) {
        REQUIRE(engine.state().job(job).allocation == allocation);
    }
}

// Checks that the head of the queue can start no later than when it became head, unless other jobs overtake it.
class HeadPromise {
 public:
    int kept = 0;
    int broken = 0;

    // Call this after a round of a plain form.
    template <typename Plain>
    void watch(const Plain& plain, const Message& message, const std::vector<JobIndex>& started) {
        const Time possible = plain.head_can_start_at().value_or(Time::infinity());
        if (head_ && std::binary_search(started.begin(), started.end(), *head_)) {
            ++(message.now <= promised_ ? kept : broken);
        } else if (head_ && head_ == plain.head() && !plain.is_head_overtaken()) {
            ++(possible <= promised_ ? kept : broken);
            return;
        }
        head_ = plain.head();
        promised_ = possible;
    }

 private:
    std::optional<JobIndex> head_;
    Time promised_;
};

// Requires that a round of the engine equals that of a plain form, unless the plain form is in doubt.
template <typename Plain>
void require_same_round(const Engine& engine, Plain& plain, const Message& message,
                        const std::vector<JobIndex>& started) {
    if (plain.in_doubt()) {
        return;
    }
    const auto expected = is_round(message) ? plain.round(message) : std::map<JobIndex, ResourceSet>();
    if (!plain.in_doubt()) {
        require_starts(engine, started, expected);
    }
}

}  // namespace batfill::tests
