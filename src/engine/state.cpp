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

std::optional<ResourceSet> SchedulerState::lowest_idle(const Request& request) const {
    const bool copies_are_left = std::all_of(request.counters.begin(), request.counters.end(),
                                             [this](CounterIndex counter) { return copies_left[counter] > 0; });
    if (request.processors > idle_count || !copies_are_left) {
        return std::nullopt;
    }
    if (!request.of_one_group) {
        return ResourceSet(idle).take_lowest(request.processors);
    }
    for (const Machine::Group& group : machine.groups()) {
        if (group.size >= request.processors && group.has_all(request.counters)) {
            ResourceSet idle_in_group = idle.intersection(group.processors);
            if (idle_in_group.size() >= request.processors) {
                return idle_in_group.take_lowest(request.processors);
            }
        }
    }
    return std::nullopt;
}

}  // namespace batfill
