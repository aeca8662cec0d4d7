#include "src/report/figures.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

#include "src/support/interruption.hpp"
#include "src/support/mapped.hpp"

namespace batfill::report {

namespace {

// Calls add_step(STEP, LENGTH) for each state in a period of periods_of(), and end(FROM, UNTIL) behind those of each.
template <class AnyStep>
void walk_periods(const std::vector<AnyStep>& steps, Time from, Time until, std::size_t count, auto add_step,
                  auto end) {
    assert(count > 0);
    std::size_t next = 0;  // the first step that is still to come
    AnyStep now;
    Time at = from;
    for (std::size_t i = 1; i <= count && from < until; ++i) {
        const Time begin = at;
        const Time last = from + Duration::microseconds((until - from).count() * static_cast<Microseconds>(i) /
                                                        static_cast<Microseconds>(count));
        while (at < last) {
            for (; next < steps.size() && steps[next].at <= at; ++next) {
                now = steps[next];
            }
            const Time until_next = next < steps.size() ? std::min(steps[next].at, last) : last;
            add_step(now, until_next - at);
            at = until_next;
        }
        if (begin < last) {
            end(begin, last);
        }
    }
}

}  // namespace

TimeSpan span_of(const FinishedJobs& jobs) {
    if (jobs.empty()) {
        return {};
    }
    TimeSpan span{Time::infinity(), jobs.front().finish};
    for (const FinishedJob& job : jobs) {
        span.first = std::min({span.first, job.submit, job.start});
        span.last = std::max({span.last, job.finish, job.start + job.run});
    }
    return span;
}

std::vector<double> means_of(const std::vector<analysis::UseStep>& steps, Time from, Time until, std::size_t count) {
    std::vector<double> means;
    double sum = 0;
    walk_periods(
        steps, from, until, count,
        [&](const analysis::UseStep& step, Duration length) { sum += step.taken * length.to_seconds(); },
        [&](Time begin, Time end) { means.push_back(std::exchange(sum, 0) / (end - begin).to_seconds()); });
    return means;
}

std::vector<Period> periods_of(const std::vector<Step>& steps, Time from, Time until, std::size_t count) {
    std::vector<Period> periods;
    Duration busy;
    Duration waiting;
    long long most = 0;
    const auto add_step = [&](const Step& step, Duration length) {
        busy = busy + length * step.busy;
        waiting = waiting + length * step.waiting;
        most = std::max(most, step.waiting);
    };
    walk_periods(steps, from, until, count, add_step, [&](Time begin, Time end) {
        periods.push_back({begin, end, analysis::ratio(std::exchange(busy, {}), end - begin),
                           analysis::ratio(std::exchange(waiting, {}), end - begin), std::exchange(most, 0)});
    });
    return periods;
}

std::vector<DistributionPoint> distribution_of(std::vector<double> values, std::size_t max_points) {
    assert(max_points >= 2);
    std::sort(values.begin(), values.end());
    std::vector<DistributionPoint> all;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i + 1 == values.size() || values[i + 1] != values[i]) {
            all.push_back({values[i], static_cast<double>(i + 1) / static_cast<double>(values.size())});
        }
    }
    if (all.size() <= max_points) {
        return all;
    }
    // Divides the ranks into equal parts and keeps the first point of each part.
    std::vector<DistributionPoint> kept{all.front()};
    const auto parts = static_cast<double>(max_points - 2);
    double reached = 0;
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
        const double part = std::floor(all[i].share * parts);
        if (part > reached) {
            reached = part;
            kept.push_back(all[i]);
        }
    }
    kept.push_back(all.back());
    return kept;
}

std::optional<double> quantile(const std::vector<double>& values, double share) {
    if (values.empty()) {
        return std::nullopt;
    }
    const double rank = std::ceil(share * static_cast<double>(values.size()));
    return values[std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, values.size()) - 1];
}

JobClass class_of(const FinishedJob& job, const analysis::LongestRuns& longest) {
    return {analysis::width_class(job.processors), analysis::length_class(longest.of(job))};
}

JobClasses classes_of(const FinishedJobs& jobs, const analysis::LongestRuns& longest) {
    JobClasses classes;
    for (const FinishedJob& job : jobs) {
        look_for_interruption();
        classes[class_of(job, longest)].push_back(job);
    }
    return classes;
}

std::vector<GroupSummary> groups_of(const FinishedJobs& jobs, Duration tau,
                                    const std::function<std::string(const FinishedJob&)>& name_of,
                                    const analysis::WaitsForLimits* for_limits) {
    std::map<std::string, FinishedJobs> groups;
    for (const FinishedJob& job : jobs) {
        look_for_interruption();
        groups[name_of(job)].push_back(job);
    }
    std::vector<GroupSummary> summaries = mapped(groups, [=](const auto& group) {
        return GroupSummary{group.first, analysis::measure_group(group.second, tau, for_limits)};
    });
    std::sort(summaries.begin(), summaries.end(), [](const GroupSummary& a, const GroupSummary& b) {
        return std::tie(b.metrics.processor_seconds, a.name) < std::tie(a.metrics.processor_seconds, b.name);
    });
    return summaries;
}

}  // namespace batfill::report
