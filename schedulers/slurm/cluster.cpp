#include "schedulers/slurm/cluster.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace batfill::slurm {

FreeNodes::FreeNodes(std::span<const Node> nodes)
    : nodes_(nodes),
      idle_(NodeSet::all(static_cast<int>(nodes.size()))),
      with_cores_(idle_.size()),
      held_(nodes.size()) {
    amounts_.resize(nodes.empty() ? 0 : nodes.front().amounts.size());
    for (const Node& node : nodes) {
        if (node.cores > 0) {
            with_cores_.insert(static_cast<int>(cores_.size()));
        }
        cores_.push_back(node.cores);
        for (std::size_t kind = 0; kind < amounts_.size(); ++kind) {
            amounts_[kind].push_back(node.amounts[kind]);
        }
    }
}

void FreeNodes::change(const RunningJob& running, const Job& job, int taken) {
    if (changed_.size() > 8 * nodes_.size()) {
        forgotten_changes_ += changed_.size();
        changed_.clear();
    }
    auto cores = running.cores.begin();
    Taken on_node{end_key::of(running), 0, std::vector<Amount>(amounts_.size())};
    running.nodes.for_each([&](int node) {
        changed_.push_back(node);
        on_node.cores = *cores++;
        for (std::size_t kind = 0; kind < job.amounts.size(); ++kind) {
            on_node.amounts[kind] = job.amounts[kind];
        }
        if (job.all_memory) {
            on_node.amounts.front() = nodes_[static_cast<std::size_t>(node)].amounts.front();
        }
        change_now(node, on_node, taken);
        change_later(held_[static_cast<std::size_t>(node)], node, on_node, taken);
    });
}

void FreeNodes::change_now(int node, const Taken& job, int taken) {
    const auto at = static_cast<std::size_t>(node);
    cores_[at] -= taken * job.cores;
    const auto keep = [&](NodeSet& nodes, bool belongs) { belongs ? nodes.insert(node) : nodes.erase(node); };
    keep(with_cores_, cores_[at] > 0);
    keep(idle_, cores_[at] == nodes_[at].cores);
    for (std::size_t kind = 0; kind < amounts_.size(); ++kind) {
        amounts_[kind][at] -= taken * job.amounts[kind];
    }
}

// Before its end, a job leaves so much less; behind it, nothing changes.
void FreeNodes::change_later(Held& held, int node, const Taken& job, int taken) {
    const auto own = std::lower_bound(held.ends.begin(), held.ends.end(), job.end) - held.ends.begin();
    const auto kinds = static_cast<std::ptrdiff_t>(amounts_.size());
    for (std::ptrdiff_t i = 0; i < own; ++i) {
        held.cores[static_cast<std::size_t>(i)] -= taken * job.cores;
    }
    for (std::ptrdiff_t i = 0; i < own * kinds; ++i) {
        held.amounts[static_cast<std::size_t>(i)] -= taken * job.amounts[static_cast<std::size_t>(i % kinds)];
    }
    const auto amounts = held.amounts.begin() + own * kinds;
    if (taken < 0) {
        held.ends.erase(held.ends.begin() + own);
        held.cores.erase(held.cores.begin() + own);
        held.amounts.erase(amounts, amounts + kinds);
        return;
    }
    const auto at = static_cast<std::size_t>(node);
    const auto before = static_cast<std::size_t>(own) - 1;
    std::vector<Amount> then = job.amounts;
    for (std::size_t kind = 0; kind < then.size(); ++kind) {
        then[kind] += own == 0 ? amounts_[kind][at] : held.amounts[before * then.size() + kind];
    }
    held.cores.insert(held.cores.begin() + own, job.cores + (own == 0 ? cores_[at] : held.cores[before]));
    held.ends.insert(held.ends.begin() + own, job.end);
    held.amounts.insert(amounts, then.begin(), then.end());
}

int FreeNodes::cores(int node, EndKey at) const {
    const Held& held = held_[static_cast<std::size_t>(node)];
    const auto behind = std::upper_bound(held.ends.begin(), held.ends.end(), at) - held.ends.begin();
    return behind == 0 ? cores(node) : held.cores[static_cast<std::size_t>(behind) - 1];
}

EndKey FreeNodes::has_from(int node, int cores, bool whole, const std::vector<Amount>& amounts) const {
    const auto at = static_cast<std::size_t>(node);
    const int least = whole ? std::max(cores, nodes_[at].cores) : cores;
    if (cores_[at] >= least && has(node, amounts)) {
        return end_key::now;
    }
    const Held& held = held_[at];
    auto free = held.amounts.begin();
    for (std::size_t i = 0; i < held.ends.size(); ++i, free += static_cast<std::ptrdiff_t>(amounts_.size())) {
        if (held.cores[i] >= least && std::equal(amounts.begin(), amounts.end(), free, std::less_equal())) {
            return held.ends[i];
        }
    }
    return end_key::never;
}

Cluster::Cluster(std::vector<Node> nodes, std::vector<Partition> partitions, std::vector<int> licenses)
    : nodes_(std::make_shared<const std::vector<Node>>(std::move(nodes))),
      partitions_(std::move(partitions)),
      licenses_(std::move(licenses)),
      all_nodes_(NodeSet::all(size())),
      up_(all_nodes_),
      completing_nodes_(size()),
      free_(*nodes_),
      free_licenses_(licenses_) {
    kinds_.push_back({1, {}});
    number_of_kind_.emplace(kinds_.front(), KindOfJob::any);
}

void Cluster::set_weights(const std::vector<std::int64_t>& weights) {
    const std::set<std::int64_t> different(weights.begin(), weights.end());
    up_to_weights_.clear();
    for (const std::int64_t weight : different) {
        NodeSet& nodes = up_to_weights_.emplace_back(size());
        for (int node = 0; node < size(); ++node) {
            if (weights[static_cast<std::size_t>(node)] <= weight) {
                nodes.insert(node);
            }
        }
    }
    if (different.size() == 1) {
        up_to_weights_.clear();
    }
}

JobPlace Cluster::submit(Job job) {
    if (job.array != Job::none) {
        running_tasks_.resize(std::max(running_tasks_.size(), static_cast<std::size_t>(job.array) + 1));
    }
    const auto [kind, is_new] = number_of_kind_.emplace(KindOfJob::of(job), static_cast<int>(kinds_.size()));
    if (is_new) {
        kinds_.push_back(kind->first);
    }
    job.kind = kind->second;
    jobs_.emplace_back().job = std::make_unique<Job>(std::move(job));
    jobs_.back().cycle = cycle_;
    return jobs_.size() - 1;
}

const RunningJob& Cluster::start(const QueueEntry& entry, Seconds now, const Choice& choice, ReservationPlace inside) {
    KnownJob& started = jobs_[entry.job];
    assert(started.state == JobState::waiting);
    started.state = JobState::running;
    const bool whole = started.job->whole_nodes || partition(entry.partition).whole_nodes;
    RunningJob running{entry.job, now, now + started.job->limit, whole, choice.nodes, choice.cores, inside};
    started.started = now;
    free_.take(running, *started.job);
    ++changes_;
    take_licenses(*started.job, 1);
    count_task(*started.job, 1);
    const auto by_end = [](const RunningJob& a, const RunningJob& b) {
        return std::tie(a.end, a.job) < std::tie(b.end, b.job);
    };
    return *running_.insert(std::upper_bound(running_.begin(), running_.end(), running, by_end), std::move(running));
}

void Cluster::end(JobPlace job, bool succeeded) {
    const auto ended = running_.begin() + (&running(job) - running_.data());
    free_.give_back(*ended, *jobs_[job].job);
    ++changes_;
    take_licenses(*jobs_[job].job, -1);
    count_task(*jobs_[job].job, -1);
    jobs_[job].state = JobState::completing;
    jobs_[job].succeeded = succeeded;
    completing_nodes_ |= ended->nodes;
    completing_.push_back({job, std::move(ended->nodes)});
    running_.erase(ended);
}

void Cluster::release(JobPlace job, int node) {
    for (CompletingJob& completing : completing_) {
        if (completing.job == job) {
            completing.nodes.erase(node);
        }
    }
    find_completing();
}

void Cluster::release(JobPlace job, Seconds now) {
    jobs_[job].released = now;
    for (CompletingJob& completing : completing_) {
        if (completing.job == job) {
            completing.nodes.clear();
        }
    }
    find_completing();
}

void Cluster::find_completing() {
    completing_nodes_.clear();
    std::erase_if(completing_, [&](const CompletingJob& completing) {
        completing_nodes_ |= completing.nodes;
        if (completing.nodes.count() > 0) {
            return false;
        }
        note_ended(completing.job);
        return true;
    });
}

const RunningJob& Cluster::running(JobPlace job) const {
    const KnownJob& known = jobs_[job];
    const auto found =
        std::lower_bound(running_.begin(), running_.end(), end_key::of(*known.started + known.job->limit, job),
                         [](const RunningJob& one, EndKey end) { return end_key::of(one) < end; });
    assert(found != running_.end() && found->job == job);
    return *found;
}

bool Cluster::has_licenses(const Job& job, Seconds now, ReservationPlace inside) const {
    const Seconds until = now + job.limit;
    return std::all_of(job.licenses.begin(), job.licenses.end(), [&](const LicenseCount& wanted) {
        const auto is_reserved = [&](const Reservation& one) {
            return one.overlaps(now, until) && one.count_of(wanted.license) > 0;
        };
        if (std::none_of(reservations_.begin(), reservations_.end(), is_reserved)) {
            return free_licenses_[static_cast<std::size_t>(wanted.license)] >= wanted.count;
        }
        // Fewest are left now, or when a reservation begins.
        return licenses_left(wanted.license, now, now, inside) >= wanted.count &&
               std::all_of(reservations_.begin(), reservations_.end(), [&](const Reservation& one) {
                   return !is_reserved(one) || one.begin <= now ||
                          licenses_left(wanted.license, now, one.begin, inside) >= wanted.count;
               });
    });
}

// What is left of a licence at a moment, as the running jobs end by their limits.
int Cluster::licenses_left(int license, Seconds now, Seconds at, ReservationPlace inside) const {
    int outside = licenses_[static_cast<std::size_t>(license)];
    for (const Reservation& one : reservations_) {
        outside -= one.overlaps(at, at + 1) ? one.count_of(license) : 0;
    }
    const int reserved = inside ? reservations_[*inside].count_of(license) : 0;
    int left_inside = reserved;
    for (const RunningJob& one : running_) {
        const std::vector<LicenseCount>& held = jobs_[one.job].job->licenses;
        const auto found = std::find_if(held.begin(), held.end(),
                                        [&](const LicenseCount& held_one) { return held_one.license == license; });
        if (found == held.end() || (at > now && one.end <= at)) {
            continue;
        }
        const Reservation* const own = one.inside ? &reservations_[*one.inside] : nullptr;
        if (own == nullptr || own->count_of(license) == 0 || !own->overlaps(at, at + 1)) {
            outside -= found->count;
        } else if (one.inside == inside) {
            left_inside -= found->count;
        }
    }
    return reserved > 0 ? std::min(left_inside, outside + left_inside) : outside;
}

void Cluster::count_task(const Job& job, int started) {
    if (job.array != Job::none) {
        running_tasks_[static_cast<std::size_t>(job.array)] += started;
    }
}

void Cluster::take_licenses(const Job& job, int taken) {
    for (const LicenseCount& held : job.licenses) {
        free_licenses_[static_cast<std::size_t>(held.license)] -= taken * held.count;
    }
    for (const LimitShare& held : job.limits) {
        limits_left_[held.limit] -= taken * held.amount;
    }
}

}  // namespace batfill::slurm
