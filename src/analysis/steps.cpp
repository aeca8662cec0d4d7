#include "src/analysis/steps.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "src/support/interruption.hpp"

namespace batfill::analysis {

namespace {

// The indices of the jobs, ordered by `time_of`.
std::vector<std::uint32_t> order_by(const FinishedJobs& jobs, auto time_of) {
    assert(jobs.size() <= std::numeric_limits<std::uint32_t>::max());
    std::vector<std::uint32_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    if (std::ranges::is_sorted(jobs, {}, time_of)) {
        return order;
    }
    // Sorting the times, instead of looking them up in the jobs, avoids most cache misses.
    std::vector<std::pair<Time, std::uint32_t>> times;
    times.reserve(jobs.size());
    for (const std::uint32_t number : order) {
        times.emplace_back(std::invoke(time_of, jobs[number]), number);
    }
    std::sort(times.begin(), times.end());
    std::transform(times.begin(), times.end(), order.begin(), [](const auto& time) { return time.second; });
    return order;
}

// start + run and `finish` differ only by the rounding of the program that wrote the file.
Time end_of_run(const FinishedJob& job) {
    return job.start + job.run;
}

// The orders in which jobs begin to wait, and start.
struct Beginnings {
    explicit Beginnings(const FinishedJobs& jobs)
        : by_wait(order_by(jobs, waits_from)), by_start(order_by(jobs, &FinishedJob::start)) {}
    std::vector<std::uint32_t> by_wait;
    std::vector<std::uint32_t> by_start;
};

// The state from an instant until the next one.
struct Moment {
    Step step;
    long long in_system = 0;            // jobs that wait or run
    long long requested_in_system = 0;  // processors that these request
};

// Iterates over the jobs in the order of one of their times.
template <class TimeOf>
struct InOrder {
    const FinishedJobs& jobs;
    const std::vector<std::uint32_t>& order;
    TimeOf time_of;
    std::size_t taken = 0;

    // The time of the next job; infinite if there is none.
    Time next() const { return taken < order.size() ? std::invoke(time_of, jobs[order[taken]]) : Time::infinity(); }
    const FinishedJob& take() { return jobs[order[taken++]]; }
};

// Calls `visit` with the state from each instant at which a job begins to wait, starts or ends, in the order of time.
// `end_of` defines a job's end. Keeps only orders of the jobs in memory.
void walk(const FinishedJobs& jobs, const Beginnings& beginnings, auto end_of, auto visit) {
    const std::vector<std::uint32_t> by_end = order_by(jobs, end_of);
    InOrder<decltype(&waits_from)> submitted{jobs, beginnings.by_wait, waits_from};
    InOrder<Time FinishedJob::*> started{jobs, beginnings.by_start, &FinishedJob::start};
    InOrder<decltype(end_of)> ended{jobs, by_end, end_of};
    Moment moment;
    Step& step = moment.step;
    // In a foreign file a job may end before it starts, or start before its submission.
    const auto next = [&] { return std::min({submitted.next(), started.next(), ended.next()}); };
    for (step.at = next(); !step.at.is_infinite(); step.at = next()) {
        look_for_interruption();
        while (submitted.next() == step.at) {
            const FinishedJob& job = submitted.take();
            ++step.waiting;
            step.requested += job.processors;
            ++moment.in_system;
            moment.requested_in_system += job.processors;
        }
        while (started.next() == step.at) {
            const FinishedJob& job = started.take();
            --step.waiting;
            step.requested -= job.processors;
            step.busy += job.allocated;
        }
        while (ended.next() == step.at) {
            const FinishedJob& job = ended.take();
            step.busy -= job.allocated;
            --moment.in_system;
            moment.requested_in_system -= job.processors;
        }
        visit(moment);
    }
}

// The average share in use over time.
class Usage {
 public:
    // From `now` on, `in_use` of `most` are in use. Times with most == 0 do not count.
    void change(Time now, long long in_use, long long most) {
        if (most_ > 0) {
            const Duration length = now - since_;
            time_ = time_ + length;
            seconds_ += static_cast<double>(in_use_) / static_cast<double>(most_) * length.to_seconds();
        }
        since_ = now;
        in_use_ = in_use;
        most_ = most;
    }
    std::optional<double> mean() const {
        return time_ > Duration() ? std::optional(seconds_ / time_.to_seconds()) : std::nullopt;
    }

 private:
    Time since_;
    long long in_use_ = 0;
    long long most_ = 0;
    Duration time_;
    double seconds_ = 0;
};

}  // namespace

std::vector<Step> steps_of(const FinishedJobs& jobs) {
    std::vector<Step> steps;
    Step before;
    walk(jobs, Beginnings(jobs), end_of_run, [&](const Moment& moment) {
        before.at = moment.step.at;
        if (moment.step != before) {
            before = moment.step;
            steps.push_back(before);
        }
    });
    return steps;
}

OverTime measure_over_time(const FinishedJobs& jobs, std::optional<int> processors) {
    assert(!processors || *processors > 0);
    OverTime result;
    if (jobs.empty()) {
        return result;
    }
    const std::optional<Duration> span = span_of(jobs);
    if (span) {
        Duration waits;
        Duration waits_of_processors;
        for (const FinishedJob& job : jobs) {
            waits = waits + wait(job);
            waits_of_processors = waits_of_processors + wait(job) * job.processors;
        }
        result.mean_queue_length = ratio(waits, *span);
        result.mean_queued_processors = ratio(waits_of_processors, *span);
    }
    const Beginnings beginnings(jobs);
    long long most_waiting = 0;
    long long most_requested = 0;
    Duration lost;  // summed over processors
    Step before;
    walk(jobs, beginnings, end_of_run, [&](const Moment& moment) {
        most_waiting = std::max(most_waiting, moment.step.waiting);
        most_requested = std::max(most_requested, moment.step.requested);
        // Foreign schedules may start jobs before their submission, or use more processors than exist. Neither may
        // reduce what other instants lose.
        const long long idle = std::max(0LL, processors.value_or(0) - before.busy);
        lost = lost + (moment.step.at - before.at) * std::min(idle, std::max(0LL, before.requested));
        before = moment.step;
    });
    result.max_queue_length = static_cast<double>(most_waiting);
    result.max_queued_processors = static_cast<double>(most_requested);
    if (!processors) {
        return result;
    }
    if (span) {
        result.lost_capacity = ratio(lost, *span * *processors);
    }
    Usage by_jobs;
    Usage by_requested;
    walk(jobs, beginnings, &FinishedJob::finish, [&](const Moment& moment) {
        const auto limit = [&](long long demanded) { return std::min<long long>(*processors, demanded); };
        by_jobs.change(moment.step.at, moment.step.busy, limit(moment.in_system));
        by_requested.change(moment.step.at, moment.step.busy, limit(moment.requested_in_system));
    });
    result.usage_by_jobs = by_jobs.mean();
    result.usage_by_requested = by_requested.mean();
    return result;
}

}  // namespace batfill::analysis
