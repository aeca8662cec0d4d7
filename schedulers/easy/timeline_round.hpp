#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/booking_queues.hpp>
#include <batfill/planning/fitting_hosts.hpp>
#include <batfill/planning/planned_timeline.hpp>
#include <batfill/planning/timeline.hpp>

#include "schedulers/easy/easy_orders.hpp"
#include "schedulers/easy/several_reservations.hpp"

namespace batfill {

// A round of `easy` on a machine with pools or named hosts. It walks the waiting jobs in the primary order. A job that
// can start does so; the first ones that cannot have reservations. Then it tries the others in the backfill order,
// beside the reservations. A job that only a pool that is not planned keeps from starting is passed over.
// `timeline` has what runs, and is left as it was but for the started jobs, which Easy::started() puts there.
// Requires: `orders` is prepared.
class TimelineRound {
 public:
    TimelineRound(Round& round, Timeline& timeline, FittingHostsOfJobs& fitting, Timeline::Kept& kept,
                  std::uint64_t reservations, std::uint64_t tests)
        : round_(round),
          timeline_(timeline),
          fitting_(fitting),
          kept_(kept),
          most_reservations_(reservations),
          most_tests_(tests) {}

    // The jobs of each reservation of the machine are a queue of their own. The reservations that the queues before it
    // have made are in its way.
    void decide(EasyOrders& orders) {
        const SchedulerState& state = round_.state();
        if (state.machine.has_bookings()) {
            for (const std::vector<JobIndex>& queue : booking_queues(state)) {
                decide(orders, queue);
                make_reservations();
            }
        } else {
            decide(orders, state.waiting.jobs());
        }
        explain();
        for (const LaterJob& one : reserved_) {
            timeline_.give(state.job(one.job).request, one.place, one.start, one.end);
        }
    }

 private:
    enum class Answer { yes, no, passed_over };

    void decide(EasyOrders& orders, std::span<const JobIndex> queue) {
        const SchedulerState& state = round_.state();
        reservations_ = most_reservations_;
        tests_ = most_tests_;
        one_could_not_start_ = false;
        const std::vector<JobIndex> order = orders.in_primary_order(state, queue);
        if (round_.explains()) {
            queues_.push_back({order});
        }
        auto next = order.begin();
        for (; next != order.end() && !(one_could_not_start_ && reservations_ == 0) && may_look(); ++next) {
            if (start(*next) == Answer::no) {
                reserve(*next);
            }
        }
        std::vector<JobIndex> others(next, order.end());
        const auto by_submission = [&](JobIndex a, JobIndex b) { return state.jobs.submitted_before(a, b); };
        if (!std::ranges::is_sorted(others, by_submission)) {
            std::ranges::sort(others, by_submission);
        }
        orders.for_each_in_backfill_order(state, others, [&](JobIndex job) {
            if (!may_look()) {
                return false;
            }
            start(job);
            return true;
        });
        if (round_.explains()) {
            make_reservations();
        }
    }

    // Whether the round may look at another job. Counts that job as a test if it comes after one that could not start.
    bool may_look() {
        if (one_could_not_start_ && tests_ == 0) {
            return false;
        }
        tests_ -= one_could_not_start_ ? 1 : 0;
        return true;
    }

    Answer start(JobIndex job) {
        const Answer answer = try_to_start(job);
        if (round_.explains()) {
            (answer == Answer::passed_over ? passed_over_ : tried_).push_back(job);
        }
        return answer;
    }
    Answer try_to_start(JobIndex job) {
        const SchedulerState& state = round_.state();
        const Request& request = state.job(job).request;
        const bool is_inside = !request.needs_or_none().windows.empty();
        const FittingHosts* const hosts =
            state.hosts.is_on() && !is_inside ? &fitting_.of(state.hosts, job, request) : nullptr;
        if (hosts != nullptr && hosts->count < request.processors) {
            return Answer::no;
        }
        make_reservations();
        const Duration length = state.estimate(job);
        const bool fits =
            hosts != nullptr ? timeline_.fits_now(request, length, *hosts) : timeline_.fits(request, length, state.now);
        if (!fits) {
            return Answer::no;
        }
        if (hosts == nullptr && !is_inside) {
            if (!state.has_of_pools(request)) {
                return Answer::passed_over;
            }
            round_.start(job);
            return Answer::yes;
        }
        const Place place = hosts != nullptr ? timeline_.choose_now(request, length, *hosts)
                                             : timeline_.choose(request, length, state.now);
        if (!state.has_of_pools(request, place.window)) {
            return Answer::passed_over;
        }
        round_.start(job, place);
        return Answer::yes;
    }

    void reserve(JobIndex job) {
        one_could_not_start_ = true;
        if (round_.explains()) {
            queues_.back().in_front.push_back(job);
        }
        if (reservations_ > 0) {
            --reservations_;
            to_reserve_.push_back(job);
        }
    }

    // Nobody looks at reservations before a job could start but for them, and in most rounds no job could.
    void make_reservations() {
        const SchedulerState& state = round_.state();
        for (const JobIndex job : to_reserve_) {
            const Time start = timeline_.earliest(state, job, kept_);
            if (!start.is_infinite()) {
                reserved_.push_back(
                    {job, start, start + state.estimate(job), timeline_.choose(state, job, start, kept_)});
                timeline_.take(state.job(job).request, reserved_.back().place, start, reserved_.back().end);
            }
        }
        to_reserve_.clear();
    }

    // What an explanation has to know of a queue, in its order: the jobs that could not start before the backfilling,
    // which have reservations as far as there are any.
    struct Queue {
        std::vector<JobIndex> jobs;
        std::vector<JobIndex> in_front = {};
    };

    void explain() const {
        round_.explain([&](JobIndex job) {
            const auto queue = std::ranges::find_if(queues_, [&](const Queue& one) { return has(one.jobs, job); });
            return queue == queues_.end()      ? Reason()
                   : has(passed_over_, job)    ? Reason{.rule = Reason::Rule::passed_over}
                   : has(queue->in_front, job) ? reason_in_front(job)
                                               : reason_behind(job, *queue);
        });
    }

    Reason reason_behind(JobIndex job, const Queue& queue) const {
        using Rule = Reason::Rule;
        const SchedulerState& state = round_.state();
        const Delay delay = state.has_of_pools(state.job(job).request)
                                ? find_delay(state, job, state.estimate(job), reserved_, timeline_)
                                : Delay();
        Reason reason = reason_beside(round_, job, delay, has(tried_, job));
        const bool would_delay = reason.rule == Rule::would_delay_reservation;
        if (most_reservations_ != 1 || queue.in_front.empty() ||
            (would_delay && delay.of->job != queue.in_front.front())) {
            return reason;
        }
        Reason beside_head = reason_in_front(queue.in_front.front());
        beside_head.rule = would_delay  ? Rule::would_delay_head
                           : delay.fits ? Rule::not_tried_behind_head
                                        : Rule::behind_head;
        beside_head.job = round_.name(queue.in_front.front());
        beside_head.estimate = reason.estimate;
        beside_head.shortage = reason.shortage;
        return beside_head;
    }

    // Of a job with a reservation, or of the head if no job has one: when and where it is to start.
    Reason reason_in_front(JobIndex job) const {
        using Rule = Reason::Rule;
        if (most_reservations_ == 0) {
            return {.rule = Rule::head_without_reservation};
        }
        const auto reserved = std::ranges::find(reserved_, job, &LaterJob::job);
        if (reserved == reserved_.end()) {
            return {.rule = most_reservations_ == 1 ? Rule::head : Rule::without_reservation,
                    .never = PlannedTimeline::never(round_.state().job(job).request)};
        }
        return {.rule = most_reservations_ == 1 ? Rule::head : Rule::reserved,
                .start = reserved->start,
                .hosts = reserved->place.hosts};
    }

    static bool has(const std::vector<JobIndex>& jobs, JobIndex job) {
        return std::ranges::find(jobs, job) != jobs.end();
    }

    Round& round_;
    Timeline& timeline_;
    FittingHostsOfJobs& fitting_;
    Timeline::Kept& kept_;
    std::uint64_t most_reservations_;
    std::uint64_t most_tests_;
    // Of the present queue.
    std::uint64_t reservations_ = 0;  // that are left
    std::uint64_t tests_ = 0;
    bool one_could_not_start_ = false;
    std::vector<JobIndex> to_reserve_;  // in this order
    std::vector<LaterJob> reserved_;
    // Only if somebody asks why jobs wait: the queues; jobs that were passed over; and others that were tried.
    std::vector<Queue> queues_;
    std::vector<JobIndex> passed_over_;
    std::vector<JobIndex> tried_;
};

}  // namespace batfill
