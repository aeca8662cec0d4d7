#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/queues.hpp>
#include <batfill/planning/trial.hpp>

#include "schedulers/easy/easy_orders.hpp"

namespace batfill {

// A round of `easy` with any number of reservations, on any machine. It walks the waiting jobs in the primary order. A
// job that can start does so; the first ones that cannot have reservations. The walk ends with the last reservation, or
// with the first job that cannot start if there are none to give. Then it tries the others in the backfill order. A job
// starts only if it delays no reservation. One that only a pool that is not planned or a limit keeps from starting is
// passed over.
// Requires: `orders` is prepared.
// Cost: sorting the waiting jobs, and a question of the trial for each job that is tried.
class Walk {
 public:
    Walk(Round& round, Trial& trial, EasyOrders& orders, const Queues& queues, std::uint64_t reservations,
         std::uint64_t tests)
        : round_(round),
          trial_(trial),
          orders_(orders),
          several_(queues),
          most_reservations_(reservations),
          most_tests_(tests) {}

    // If there are several queues, the reservations that the queues before it have made are in the way of each.
    void decide() {
        const SchedulerState& state = round_.state();
        if (several_.are_several(state.machine)) {
            for (const std::vector<JobIndex>& queue : several_.of(state)) {
                decide(queue, false);
            }
        } else {
            decide(state.waiting.jobs(), true);
        }
        explain();
    }

 private:
    void decide(std::span<const JobIndex> queue, bool are_all) {
        const SchedulerState& state = round_.state();
        std::uint64_t reservations = most_reservations_;
        tests_ = most_tests_;
        std::vector<JobIndex> in_front;
        one_could_not_start_ = false;
        const std::vector<JobIndex> order = orders_.in_primary_order(state, queue);
        auto next = order.begin();
        for (; next != order.end() && (!trial_.is_full() || round_.explains()) &&
               !(one_could_not_start_ && reservations == 0) && may_look();
             ++next) {
            if (start(*next) != Trial::Answer::no) {
                continue;
            }
            one_could_not_start_ = true;
            in_front.push_back(*next);
            if (reservations > 0) {
                --reservations;
                trial_.reserve(*next);
            }
        }
        std::vector<JobIndex> others;
        if (!trial_.is_full()) {
            const std::span<const JobIndex> behind(next, order.end());
            others = are_all && orders_.starts_by_submission() ? last_of_queue(behind.size()) : by_submission(behind);
        }
        orders_.for_each_in_backfill_order(state, others, [&](JobIndex job) {
            if (trial_.is_full() || !may_look()) {
                return false;
            }
            start(job);
            return true;
        });
        if (round_.explains()) {
            queues_.push_back({order, in_front});
        }
    }

    // Jobs that surely cannot start count as tests, and are explained.
    bool looks_at_all() const { return most_tests_ < std::numeric_limits<std::uint64_t>::max() || round_.explains(); }
    bool may_start(JobIndex job) const {
        const SchedulerState& state = round_.state();
        return looks_at_all() || state.has_of_pools(state.job(job).request);
    }
    int most_for_one_job() const {
        return looks_at_all() ? round_.state().processors : round_.state().most_for_one_job();
    }

    // So many of the last jobs of the queue: those that may start, in the order of the queue.
    std::vector<JobIndex> last_of_queue(std::size_t number) const {
        const SchedulerState& state = round_.state();
        const WaitingQueue& queue = state.waiting;
        const int most = most_for_one_job();
        std::vector<JobIndex> jobs;
        for (std::size_t at = queue.size() - number; at < queue.size(); ++at) {
            if (queue.processors(at) <= most && may_start(queue.job(at))) {
                jobs.push_back(queue.job(at));
            }
        }
        return jobs;
    }

    // Those that may start, in the order of the queue.
    std::vector<JobIndex> by_submission(std::span<const JobIndex> some) const {
        const SchedulerState& state = round_.state();
        const int most = most_for_one_job();
        std::vector<JobIndex> jobs;
        std::ranges::copy_if(some, std::back_inserter(jobs),
                             [&](JobIndex job) { return state.job(job).processors() <= most && may_start(job); });
        std::ranges::sort(jobs, [&](JobIndex a, JobIndex b) { return state.jobs.submitted_before(a, b); });
        return jobs;
    }

    // Whether the round may look at another job. Counts that job as a test if it comes after one that could not start.
    bool may_look() {
        if (one_could_not_start_ && tests_ == 0) {
            return false;
        }
        tests_ -= one_could_not_start_ ? 1 : 0;
        return true;
    }

    Trial::Answer start(JobIndex job) {
        const Trial::Answer answer = trial_.start(job);
        if (round_.explains()) {
            (answer == Trial::Answer::passed_over ? passed_over_ : tried_).push_back(job);
        }
        return answer;
    }

    // What an explanation has to know of a queue, in its order: the jobs that could not start before the backfilling,
    // which have reservations as far as there are any.
    struct Queue {
        std::vector<JobIndex> jobs;
        std::vector<JobIndex> in_front;
    };

    void explain() {
        round_.explain([&](JobIndex job) {
            const auto queue = std::ranges::find_if(queues_, [&](const Queue& one) { return has(one.jobs, job); });
            return queue == queues_.end()      ? Reason()
                   : has(passed_over_, job)    ? Reason{.rule = Reason::Rule::passed_over}
                   : has(queue->in_front, job) ? reason_in_front(job)
                                               : reason_behind(job, *queue);
        });
    }

    Reason reason_behind(JobIndex job, const Queue& queue) {
        using Rule = Reason::Rule;
        const Delay delay = trial_.delay(job);
        const bool would_delay = delay.of != nullptr && has(tried_, job);
        const bool is_beside_head = most_reservations_ == 1 && !queue.in_front.empty() &&
                                    (!would_delay || delay.of->job == queue.in_front.front());
        Reason reason = is_beside_head ? reason_in_front(queue.in_front.front()) : Reason();
        if (is_beside_head) {
            reason.rule = would_delay  ? Rule::would_delay_head
                          : delay.fits ? Rule::not_tried_behind_head
                                       : Rule::behind_head;
            reason.job = round_.name(queue.in_front.front());
        } else {
            reason.rule = would_delay  ? Rule::would_delay_reservation
                          : delay.fits ? Rule::not_tried
                                       : Rule::behind_others;
        }
        if (would_delay) {
            reason.estimate = round_.state().estimate(job);
            reason.shortage = delay.shortage;
        }
        if (would_delay && !is_beside_head) {
            reason.job = round_.name(delay.of->job);
            reason.delayed_start = delay.of->start;
        }
        return reason;
    }

    // Of a job with a reservation, or of the head if no job has one: when and where it is to start.
    Reason reason_in_front(JobIndex job) {
        using Rule = Reason::Rule;
        if (most_reservations_ == 0) {
            return {.rule = Rule::head_without_reservation};
        }
        const std::span<const LaterJob> all = trial_.reserved();
        const auto reserved = std::ranges::find(all, job, &LaterJob::job);
        if (reserved == all.end()) {
            return {.rule = most_reservations_ == 1 ? Rule::head : Rule::without_reservation,
                    .never = trial_.never(job)};
        }
        return {.rule = most_reservations_ == 1 ? Rule::head : Rule::reserved,
                .start = reserved->start,
                .hosts = reserved->place.hosts};
    }

    static bool has(const std::vector<JobIndex>& jobs, JobIndex job) {
        return std::ranges::find(jobs, job) != jobs.end();
    }

    Round& round_;
    Trial& trial_;
    EasyOrders& orders_;
    const Queues& several_;
    std::uint64_t most_reservations_;
    std::uint64_t most_tests_;
    // Of the present queue.
    std::uint64_t tests_ = 0;  // that are left
    bool one_could_not_start_ = false;
    // Only if somebody asks why jobs wait: the queues; jobs that were passed over; and others that were tried.
    std::vector<Queue> queues_;
    std::vector<JobIndex> passed_over_;
    std::vector<JobIndex> tried_;
};

}  // namespace batfill
