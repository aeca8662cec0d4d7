#include <algorithm>

#include <batfill/state.hpp>

namespace batfill {

std::size_t WaitingQueue::next_fitting(std::size_t from, int processors) const {
    const auto found = std::find_if(processors_.begin() + static_cast<std::ptrdiff_t>(from), processors_.end(),
                                    [=](int needed) { return needed <= processors; });
    return static_cast<std::size_t>(found - processors_.begin());
}

std::size_t WaitingQueue::place(JobIndex index, const std::deque<Job>& jobs) const {
    const auto before = [&](JobIndex a, JobIndex b) {
        return jobs[a].submit() != jobs[b].submit() ? jobs[a].submit() < jobs[b].submit() : a < b;
    };
    if (jobs_.empty() || before(jobs_.back(), index)) {
        return jobs_.size();
    }
    return static_cast<std::size_t>(std::lower_bound(jobs_.begin(), jobs_.end(), index, before) - jobs_.begin());
}

void WaitingQueue::insert(JobIndex index, const std::deque<Job>& jobs) {
    const auto at = static_cast<std::ptrdiff_t>(place(index, jobs));
    jobs_.insert(jobs_.begin() + at, index);
    processors_.insert(processors_.begin() + at, jobs[index].processors());
    walltimes_.insert(walltimes_.begin() + at, jobs[index].walltime);
}

void WaitingQueue::remove(JobIndex index, const std::deque<Job>& jobs) {
    const auto at = static_cast<std::ptrdiff_t>(place(index, jobs));
    jobs_.erase(jobs_.begin() + at);
    processors_.erase(processors_.begin() + at);
    walltimes_.erase(walltimes_.begin() + at);
}

}  // namespace batfill
