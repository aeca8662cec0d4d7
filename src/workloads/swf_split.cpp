#include <algorithm>
#include <cassert>
#include <utility>

#include <batfill/core/error.hpp>
#include <batfill/workloads/swf_conversion.hpp>

namespace batfill {

std::size_t SwfSplit::period_of(Duration instant) const {
    assert(instant >= begin);
    return static_cast<std::size_t>((instant - begin).count() / period.count()) + 1;
}

Duration SwfSplit::begin_of(std::size_t number) const {
    return begin + Duration::microseconds(period.count() * (number - 1));
}

void SwfSplit::count_from_first_job(const SwfLog& log) {
    Duration first = Duration::infinity();
    for (const SwfJob& job : log.jobs) {
        if (job.submit >= begin) {
            first = std::min(first, job.submit);
        }
    }
    if (first < Duration::infinity()) {
        begin = begin_of(period_of(first));
    }
}

std::vector<SwfPeriod> split_into_periods(const Workload& workload, const SwfSplit& split,
                                          const std::optional<LoadScaling>& scaled) {
    std::vector<SwfPeriod> periods;
    for (const WorkloadJob& job : workload.jobs) {
        const std::size_t number = split.period_of(job.description.submit.since_zero());
        if (periods.empty() || periods.back().number != number) {
            SwfPeriod& next = periods.emplace_back();
            next.number = number;
            next.workload = workload.without_jobs();
        }
        Workload& of_period = periods.back().workload;
        WorkloadJob& moved = of_period.jobs.emplace_back(job);
        const Duration since_begin = moved.description.submit.since_zero() - split.begin_of(number);
        moved.description.submit = Time::at(scaled ? scaled->scaled(since_begin) : since_begin);
        of_period.profiles.insert(*workload.profiles.find(job.description.profile));
    }
    return periods;
}

}  // namespace batfill
