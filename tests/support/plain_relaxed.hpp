#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/core/job.hpp>
#include <batfill/core/time.hpp>

#include "tests/support/engine_rounds.hpp"
#include "tests/support/plain_machine.hpp"
#include "tests/support/plain_order.hpp"
#include "tests/support/plain_prediction.hpp"

namespace batfill::tests {

// Relaxed backfilling in its plainest form. Between rounds, it remembers only the jobs and the machine.
class PlainRelaxed {
 public:
    struct Choice {
        int alpha = 1;
        int beta = -1;
        int gamma = 1;
        int r = 10;
        int omega = 10;  // in tenths; negative: infinite
        bool by_walltime = false;
        bool actual = false;
        bool predicts = false;
        Duration period;
        Placement placement = Placement::lowest;
    };

    // Counts rare events. A comparison in which they never happened shows little.
    struct Counts {
        int backfilled = 0;
        int delaying = 0;          // backfilled jobs that end after the top job could have started
        int too_late = 0;          // fit, but would end after the window
        int at_end_of_window = 0;  // end exactly with the window
        int never = 0;             // the top job could not start however long it waited
        int overdue = 0;           // the top job could start by the estimates, but cannot
        int not_yet_waited = 0;    // submitted after the instant of the priorities
        int top_not_first = 0;
        int ties = 0;
        int infinite = 0;  // priorities
    };

    PlainRelaxed(int processors, const Choice& choice, Counts& counts)
        : machine_(processors), choice_(choice), prediction_(choice.predicts), counts_(counts) {}

    const PlainPrediction& prediction() const { return prediction_; }

    bool in_doubt() const { return in_doubt_; }
    std::uint64_t backfilled() const { return backfilled_; }
    // After a round: the job that could not start, and when it can by the estimates; none if never.
    std::optional<JobIndex> head() const { return top_; }
    std::optional<Time> head_can_start_at() const { return top_can_start_at_; }

    // Whether the round started jobs that precede it.
    bool is_head_overtaken() const { return is_head_overtaken_; }

    std::map<JobIndex, ResourceSet> round(const Message& message) {
        now_ = message.now;
        machine_.take_in(message);
        prediction_.take_in(message);
        if (choice_.predicts) {
            machine_.estimate_ends({}, [this](JobIndex job) { return prediction_.end_of(job, now_); });
        }
        for (std::size_t i = 0; i < message.submitted.size(); ++i) {
            const auto& [index, job] = message.submitted[i];
            jobs_[index] = job;
            lengths_[index] = choice_.actual ? std::min(*job.walltime, message.run_times[i]) : *job.walltime;
            waiting_.push_back(index);
        }
        std::sort(waiting_.begin(), waiting_.end(), [&](JobIndex a, JobIndex b) {
            return std::pair(jobs_.at(a).submit, a) < std::pair(jobs_.at(b).submit, b);
        });
        started_.clear();
        top_.reset();
        top_can_start_at_.reset();
        for (const JobIndex job : by_priority()) {
            if (!top_ && !start(job)) {
                top_ = job;
                is_head_overtaken_ = !started_.empty();
                find_window();
            } else if (top_ && job != *top_) {
                backfill(job);
            }
        }
        counts_.top_not_first += top_ && *top_ != waiting_.front() ? 1 : 0;
        return started_;
    }

 private:
    std::vector<JobIndex> by_priority() {
        std::vector<PlainScore> scores;
        for (const JobIndex job : waiting_) {
            const long double priority = priority_of(job);
            counts_.infinite += std::isinf(priority) ? 1 : 0;
            scores.push_back({job, priority, priority});
        }
        const PlainRanking ranking = ranked(scores);
        in_doubt_ |= ranking.in_doubt;
        counts_.ties += ranking.ties;
        return ranking.jobs;
    }

    long double priority_of(JobIndex index) {
        const JobDescription& job = jobs_.at(index);
        Time computed_at = now_;
        if (choice_.period > Duration()) {
            computed_at = Time();
            while (computed_at + choice_.period <= now_) {
                computed_at = computed_at + choice_.period;
            }
        }
        counts_.not_yet_waited += computed_at < job.submit ? 1 : 0;
        const Duration wait = std::max(computed_at - job.submit, Duration());
        const std::map<std::string, int> queues{{"background", -1}, {"challenge", 1}, {"urgent", 2}};
        const auto queue = queues.find(job.queue);
        const long double priority =
            power(hours(wait), choice_.alpha) * power(hours(lengths_.at(index)), choice_.beta) *
            power(job.processors / 32.0L, choice_.gamma) * power(choice_.r, queue == queues.end() ? 0 : queue->second);
        return std::isnan(priority) ? 0 : priority;  // 0 times infinity carries no information
    }

    static long double hours(Duration duration) { return static_cast<long double>(duration.count()) / 3.6e9L; }

    static long double power(long double base, int exponent) {
        long double product = 1;
        for (int i = 0; i < std::abs(exponent); ++i) {
            product *= base;
        }
        return exponent >= 0 ? product : product == 0 ? std::numeric_limits<long double>::infinity() : 1 / product;
    }

    // The window of the top job; none if any fitting job may start.
    void find_window() {
        const auto earliest = machine_.earliest(jobs_.at(*top_), choice_.placement, now_);
        counts_.never += earliest ? 0 : 1;
        latest_end_ = Time::infinity();
        if (earliest) {
            top_can_start_at_ = earliest->first;
            const Duration wait = earliest->first - now_;
            counts_.overdue += wait == Duration() ? 1 : 0;
            const Duration tenths =
                choice_.by_walltime ? wait * 10 + lengths_.at(*top_) * (choice_.omega - 10) : wait * choice_.omega;
            if (choice_.omega >= 0) {
                latest_end_ = now_ + Duration::microseconds(tenths.count() / 10);
            }
        }
    }

    void backfill(JobIndex job) {
        if (choice_.omega == 0) {
            return;
        }
        const Time end = now_ + taken_to_run(job);
        if (end > latest_end_) {
            counts_.too_late += can_start(job) ? 1 : 0;
        } else if (start(job)) {
            ++backfilled_;
            ++counts_.backfilled;
            counts_.at_end_of_window += end == latest_end_ ? 1 : 0;
            counts_.delaying += top_can_start_at_ && end > *top_can_start_at_ ? 1 : 0;
        }
    }

    Duration taken_to_run(JobIndex job) const { return choice_.predicts ? prediction_.of(job) : lengths_.at(job); }

    bool can_start(JobIndex job) const {
        return !machine_.places(jobs_.at(job), choice_.placement, machine_.now()).empty();
    }

    bool start(JobIndex job) {
        const std::vector<Place> places = machine_.places(jobs_.at(job), choice_.placement, machine_.now());
        if (places.empty()) {
            return false;
        }
        machine_.start(job, jobs_.at(job), places.front(), now_ + taken_to_run(job));
        prediction_.start(job, now_);
        started_[job] = set_of(places.front());
        std::erase(waiting_, job);
        return true;
    }

    PlainMachine machine_;
    Choice choice_;
    PlainPrediction prediction_;
    Counts& counts_;
    Time now_;
    std::map<JobIndex, JobDescription> jobs_;
    std::map<JobIndex, Duration> lengths_;  // assumed run times, unless they are predicted
    std::vector<JobIndex> waiting_;         // by submission
    std::map<JobIndex, ResourceSet> started_;
    std::optional<JobIndex> top_;
    std::optional<Time> top_can_start_at_;
    Time latest_end_;
    std::uint64_t backfilled_ = 0;
    bool is_head_overtaken_ = false;
    bool in_doubt_ = false;
};

}  // namespace batfill::tests
