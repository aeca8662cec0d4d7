#include "schedulers/slurm/job_queue.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace batfill::slurm {

namespace {

bool is_digit(char one) {
    return one >= '0' && one <= '9';
}

// Takes the digits at the front of a text, without zeros before others.
std::string_view take_number(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) {
        ++end;
    }
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

// As texts, but for the numbers in them: "7_9" before "7_10".
bool is_name_before(std::string_view a, std::string_view b) {
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view first = take_number(a);
            const std::string_view second = take_number(b);
            if (first != second) {
                return std::tuple(first.size(), first) < std::tuple(second.size(), second);
            }
            continue;
        }
        if (a.front() != b.front()) {
            return a.front() < b.front();
        }
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.size() < b.size();
}

}  // namespace

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
    if ((first.reservation == Job::none) != (second.reservation == Job::none)) {
        return second.reservation == Job::none;
    }
    const auto before =
        std::tie(cluster_.partition(b.partition).tier, second.priority, first.submitted, first.id, first.task);
    const auto after =
        std::tie(cluster_.partition(a.partition).tier, first.priority, second.submitted, second.id, second.task);
    return before != after ? before < after : is_name_before(first.name, second.name);
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
    cluster_.forget_ended();
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
    if (job.priority <= 0) {
        return false;
    }
    for (const Dependency& dependency : job.dependencies) {
        const std::optional<Seconds> since = holds_from(dependency);
        if (!since || *since > now) {
            cluster_.note_not_eligible(place, since == never ? WaitsFor::dependency_never : WaitsFor::dependency);
            return false;
        }
    }
    if (job.begin > now) {
        cluster_.note_not_eligible(place, WaitsFor::begin_time);
        return false;
    }
    if (!job.eligible && (job.begin > 0 || !job.dependencies.empty())) {
        cluster_.set_eligible(place, now);
    }
    return true;
}

std::optional<Seconds> JobQueue::eligible_from(JobPlace place) const {
    const Job& job = cluster_.job(place);
    Seconds from = job.begin;
    for (const Dependency& dependency : job.dependencies) {
        const std::optional<Seconds> since = holds_from(dependency);
        if (!since || *since == never) {
            return std::nullopt;
        }
        from = std::max(from, *since);
    }
    return from;
}

std::optional<Seconds> JobQueue::holds_from(const Dependency& dependency) const {
    const JobPlace place = dependency.job;
    const bool is_over = cluster_.state(place) == JobState::ended;
    if (dependency.until == Dependency::Until::started) {
        const std::optional<Seconds> started = cluster_.started(place);
        return started ? std::optional(*started + dependency.delay) : is_over ? std::optional(never) : std::nullopt;
    }
    if (!is_over) {
        return std::nullopt;
    }
    const bool succeeded = cluster_.succeeded(place);
    const bool is_wrong = (dependency.until == Dependency::Until::succeeded && !succeeded) ||
                          (dependency.until == Dependency::Until::failed && succeeded);
    return is_wrong ? never : cluster_.released(place) + dependency.delay;
}

}  // namespace batfill::slurm
