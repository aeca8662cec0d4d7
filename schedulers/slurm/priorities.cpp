#include "schedulers/slurm/priorities.hpp"

#include <algorithm>
#include <utility>

namespace batfill::slurm {

Priorities::Priorities(const Settings& settings, std::vector<std::int64_t> factors)
    : settings_(settings), factors_(std::move(factors)) {}

std::int64_t Priorities::at_submission(const Cluster& cluster, const Job& job) {
    if (settings_.priority == PriorityType::multifactor) {
        return multifactor(cluster, job, job.submitted);
    }
    if (job.array != Job::none && job.array == last_array_) {
        return next_ + 1 - job.nice;
    }
    last_array_ = job.array;
    return next_-- - job.nice;
}

bool Priorities::compute(Cluster& cluster, const std::vector<QueueEntry>& waiting, Seconds now) const {
    if (!settings_.computes_priorities()) {
        return false;
    }
    for (const QueueEntry& entry : waiting) {
        cluster.set_priority(entry.job, multifactor(cluster, cluster.job(entry.job), now));
    }
    return true;
}

std::int64_t Priorities::multifactor(const Cluster& cluster, const Job& job, Seconds now) const {
    double sum = static_cast<double>(settings_.priority_weight_job_size) * size_factor(cluster, job);
    if (settings_.accounting && job.eligible) {
        const double age = static_cast<double>(now - *job.eligible) / static_cast<double>(settings_.priority_max_age);
        sum += static_cast<double>(settings_.priority_weight_age) * std::clamp(age, 0.0, 1.0);
    }
    if (!factors_.empty()) {
        const auto largest = *std::max_element(factors_.begin(), factors_.end());
        if (largest > 0) {
            const auto own = factors_[static_cast<std::size_t>(job.partitions.front())];
            sum += static_cast<double>(settings_.priority_weight_partition) * static_cast<double>(own) /
                   static_cast<double>(largest);
        }
    }
    return std::max<std::int64_t>(static_cast<std::int64_t>(sum) - job.nice, 1);
}

double Priorities::size_factor(const Cluster& cluster, const Job& job) const {
    double all_cores = 0;
    for (const Node& node : cluster.nodes()) {
        all_cores += node.cores;
    }
    const double nodes = job.nodes / static_cast<double>(cluster.size());
    const double cores = job.tasks / all_cores;
    return settings_.priority_favor_small ? (1 - nodes + 1 - cores) / 2 : (nodes + cores) / 2;
}

}  // namespace batfill::slurm
