#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <batfill/engine/algorithm.hpp>
#include <batfill/planning/fitting_hosts.hpp>
#include <batfill/planning/timeline.hpp>

#include "schedulers/easy/easy_orders.hpp"

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
          reservations_(reservations),
          tests_(tests) {}

    void decide(EasyOrders& orders) {
        const SchedulerState& state = round_.state();
        const std::vector<JobIndex> order = orders.in_primary_order(state, state.waiting.jobs());
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
        for (const Reserved& one : reserved_) {
            timeline_.give(state.job(one.job).request, one.hosts, one.start, one.start + state.estimate(one.job));
        }
    }

 private:
    enum class Answer { yes, no, passed_over };
    struct Reserved {
        JobIndex job;
        ResourceSet hosts;
        Time start;
    };

    // Whether the round may look at another job. Counts that job as a test if it comes after one that could not start.
    bool may_look() {
        if (one_could_not_start_ && tests_ == 0) {
            return false;
        }
        tests_ -= one_could_not_start_ ? 1 : 0;
        return true;
    }

    Answer start(JobIndex job) {
        const SchedulerState& state = round_.state();
        const Request& request = state.job(job).request;
        const FittingHosts* const hosts = state.hosts.is_on() ? &fitting_.of(state.hosts, job, request) : nullptr;
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
        if (request.needs && !state.has_of_pools(request)) {
            return Answer::passed_over;
        }
        if (hosts != nullptr) {
            round_.start(job, timeline_.choose_now(request, length, *hosts));
        } else {
            round_.start(job);
        }
        return Answer::yes;
    }

    void reserve(JobIndex job) {
        one_could_not_start_ = true;
        if (reservations_ > 0) {
            --reservations_;
            to_reserve_.push_back(job);
        }
    }

    // Nobody looks at reservations before a job could start but for them, and in most rounds no job could.
    void make_reservations() {
        const SchedulerState& state = round_.state();
        for (const JobIndex job : to_reserve_) {
            const Request& request = state.job(job).request;
            const Duration length = state.estimate(job);
            const Time start = timeline_.earliest(state, job, kept_);
            if (!start.is_infinite()) {
                reserved_.push_back({job, timeline_.choose(state, job, start, kept_), start});
                timeline_.take(request, reserved_.back().hosts, start, start + length);
            }
        }
        to_reserve_.clear();
    }

    Round& round_;
    Timeline& timeline_;
    FittingHostsOfJobs& fitting_;
    Timeline::Kept& kept_;
    std::uint64_t reservations_;
    std::uint64_t tests_;
    bool one_could_not_start_ = false;
    std::vector<JobIndex> to_reserve_;  // in this order
    std::vector<Reserved> reserved_;
};

}  // namespace batfill
