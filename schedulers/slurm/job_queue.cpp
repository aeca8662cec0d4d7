#include "schedulers/slurm/job_queue.hpp"

#include <algorithm>
#include <tuple>

namespace batfill::slurm {

JobQueue::JobQueue(const Settings& settings, Cluster& cluster) : cluster_(cluster) {
    const std::vector<Partition>& partitions = cluster.partitions();
    // Then the list of jobs itself is the queue, whatever their priorities.
    by_submission_ = settings.scheduler == SchedulerType::builtin && settings.priority == PriorityType::basic &&
                     std::all_of(partitions.begin(), partitions.end(),
                                 [&](const Partition& one) { return one.tier == partitions.front().tier; });
}

bool JobQueue::is_before(const QueueEntry& a, const QueueEntry& b) const {
    if (by_submission_) {
        return a.job < b.job;
    }
    const Job& first = cluster_.job(a.job);
    const Job& second = cluster_.job(b.job);
    return std::tie(cluster_.partition(b.partition).tier, second.priority, first.submitted, first.id, first.task) <
           std::tie(cluster_.partition(a.partition).tier, first.priority, second.submitted, second.id, second.task);
}

void JobQueue::add(JobPlace job) {
    for (const int partition : cluster_.job(job).partitions) {
        const QueueEntry entry{job, partition};
        waiting_.insert(std::upper_bound(waiting_.begin(), waiting_.end(), entry,
                                         [&](const QueueEntry& a, const QueueEntry& b) { return is_before(a, b); }),
                        entry);
    }
}

void JobQueue::sort() {
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [&](const QueueEntry& a, const QueueEntry& b) { return is_before(a, b); });
}

const std::vector<QueueEntry>& JobQueue::eligible(Seconds now) {
    std::erase_if(waiting_, [&](const QueueEntry& entry) { return cluster_.state(entry.job) != JobState::waiting; });
    eligible_.clear();
    for (const QueueEntry& entry : waiting_) {
        if (is_eligible(entry.job, now)) {
            eligible_.push_back(entry);
        }
    }
    return eligible_;
}

bool JobQueue::is_eligible(JobPlace place, Seconds now) {
    const Job& job = cluster_.job(place);
    if (job.priority <= 0 || job.begin > now ||
        !std::all_of(job.dependencies.begin(), job.dependencies.end(),
                     [&](const Dependency& one) { return is_met(one); })) {
        return false;
    }
    if (!job.eligible && (job.begin > 0 || !job.dependencies.empty())) {
        cluster_.set_eligible(place, now);
    }
    return true;
}

bool JobQueue::is_met(const Dependency& dependency) const {
    const JobState state = cluster_.state(dependency.job);
    switch (dependency.until) {
        case Dependency::Until::started:
            return state != JobState::waiting;
        case Dependency::Until::ended:
            return state == JobState::ended;
        case Dependency::Until::succeeded:
            return state == JobState::ended && cluster_.succeeded(dependency.job);
        case Dependency::Until::failed:
            return state == JobState::ended && !cluster_.succeeded(dependency.job);
    }
    return false;
}

}  // namespace batfill::slurm
