#include "schedulers/slurm/main_scheduler.hpp"

#include <algorithm>

namespace batfill::slurm {

MainScheduler::MainScheduler(const Settings& settings, Cluster& cluster)
    : settings_(settings),
      cluster_(cluster),
      earliest_start_(settings, cluster),
      left_(cluster.size()),
      candidates_(cluster.size()),
      choice_{NodeSet(cluster.size()), {}} {}

const MainScheduler::Outcome& MainScheduler::run(std::span<const QueueEntry> queue, Seconds now, bool is_full) {
    outcome_.started.clear();
    outcome_.has_skipped = false;
    left_ = cluster_.up();
    has_failed_.assign(cluster_.partitions().size(), 0);
    has_failed_inside_.clear();
    tried_.assign(cluster_.partitions().size(), 0);
    int depth = 0;
    int ended_array = Job::none;  // no more tasks of it are tried
    int counted_array = Job::none;
    for (const QueueEntry& entry : queue) {
        const Job& job = cluster_.job(entry.job);
        if (cluster_.state(entry.job) != JobState::waiting || (job.array != Job::none && job.array == ended_array)) {
            continue;
        }
        if (!cluster_.may_run_more(job)) {
            cluster_.note(entry.job, WaitsFor::array_limit);
            continue;
        }
        if (job.array == Job::none || job.array != counted_array) {
            counted_array = job.array;
            if (!is_full && depth++ > settings_.default_queue_depth) {
                break;
            }
        }
        if (is_behind_others(entry)) {
            outcome_.has_skipped = true;
            ended_array = job.array;
            cluster_.note(entry.job, WaitsFor::priority);
            continue;
        }
        const bool is_inside = job.reservation != Job::none;
        const Answer answer = is_inside ? try_inside(entry, now) : try_job(entry, now);
        if (answer == Answer::started) {
            outcome_.started.push_back(entry.job);
            if (static_cast<int>(outcome_.started.size()) == settings_.sched_max_job_start) {
                break;
            }
            continue;
        }
        outcome_.has_skipped = true;
        ended_array = job.array;
        if (answer == Answer::failed && !may_be_passed(job, now)) {
            has_failed(entry) = 1;
            if (!is_inside) {
                left_ -= cluster_.partition(entry.partition).nodes;
            }
        }
    }
    return outcome_;
}

MainScheduler::Answer MainScheduler::try_job(const QueueEntry& entry, Seconds now) {
    const Job& job = cluster_.job(entry.job);
    const Partition& partition = cluster_.partition(entry.partition);
    candidates_ = partition.nodes;
    candidates_ &= left_;
    if (job.suitable) {
        candidates_ &= *job.suitable;
    }
    if (candidates_.count() < job.nodes) {
        cluster_.note(entry.job, WaitsFor::resources);
        return Answer::failed;
    }
    const bool has_licenses = cluster_.has_licenses(job, now);
    if (!has_licenses || !cluster_.is_within_limits(job)) {
        cluster_.note(entry.job, has_licenses ? WaitsFor::limit : WaitsFor::licenses);
        return Answer::skipped;
    }
    const std::optional<bool> has_reserved = avoid_reservations(entry, now, {});
    if (!has_reserved) {
        cluster_.note(entry.job, WaitsFor::maintenance);
        return Answer::skipped;
    }
    if (*has_reserved && candidates_.count() < job.nodes) {
        const bool are_idle =
            candidates_.is_subset_of(cluster_.free().idle()) && !candidates_.intersects(cluster_.completing());
        cluster_.note(entry.job, WaitsFor::reservation);
        return are_idle ? Answer::skipped : Answer::failed;
    }
    candidates_ -= cluster_.completing();
    if (!earliest_start_.choose_now(job, partition, candidates_, choice_)) {
        cluster_.note(entry.job, WaitsFor::resources);
        return Answer::failed;
    }
    cluster_.start(entry, now, choice_);
    return Answer::started;
}

std::optional<bool> MainScheduler::avoid_reservations(const QueueEntry& entry, Seconds now, ReservationPlace inside) {
    const std::vector<Reservation>& reservations = cluster_.reservations();
    bool has_reserved = false;
    for (std::size_t place = 0; place < reservations.size(); ++place) {
        const Reservation& one = reservations[place];
        if (place == inside || !one.licenses.empty() || !one.overlaps(now, now + cluster_.job(entry.job).limit)) {
            continue;
        }
        if (one.closes(cluster_.partition(entry.partition))) {
            return std::nullopt;
        }
        candidates_ -= one.nodes;
        has_reserved = true;
    }
    return has_reserved;
}

MainScheduler::Answer MainScheduler::try_inside(const QueueEntry& entry, Seconds now) {
    const Job& job = cluster_.job(entry.job);
    const Partition& partition = cluster_.partition(entry.partition);
    const std::vector<Reservation>& reservations = cluster_.reservations();
    if (!cluster_.is_within_limits(job)) {
        cluster_.note(entry.job, WaitsFor::limit);
        return Answer::skipped;
    }
    Answer answer = Answer::skipped;
    cluster_.note(entry.job, WaitsFor::own_reservation);
    for (std::size_t place = 0; place < reservations.size(); ++place) {
        const Reservation& one = reservations[place];
        if (!one.is_for(job.reservation) || !one.holds(now, now + job.limit)) {
            continue;
        }
        if (!cluster_.has_licenses(job, now, place)) {
            cluster_.note(entry.job, WaitsFor::licenses);
            continue;
        }
        candidates_ = partition.nodes;
        candidates_ &= one.licenses.empty() ? one.nodes : left_;
        candidates_ &= cluster_.up();
        if (job.suitable) {
            candidates_ &= *job.suitable;
        }
        if (!avoid_reservations(entry, now, place)) {
            cluster_.note(entry.job, WaitsFor::maintenance);
            continue;
        }
        candidates_ -= cluster_.completing();
        if (earliest_start_.choose_now(job, partition, candidates_, choice_)) {
            cluster_.start(entry, now, choice_, place);
            return Answer::started;
        }
        cluster_.note(entry.job, WaitsFor::resources);
        answer = Answer::failed;
    }
    return answer;
}

char& MainScheduler::has_failed(const QueueEntry& entry) {
    const int name = cluster_.job(entry.job).reservation;
    if (name == Job::none) {
        return has_failed_[static_cast<std::size_t>(entry.partition)];
    }
    const auto at = static_cast<std::size_t>(name);
    has_failed_inside_.resize(std::max(has_failed_inside_.size(), at + 1));
    return has_failed_inside_[at];
}

bool MainScheduler::is_behind_others(const QueueEntry& entry) {
    int& tried = tried_[static_cast<std::size_t>(entry.partition)];
    return has_failed(entry) != 0 || (settings_.partition_job_depth > 0 && tried++ >= settings_.partition_job_depth);
}

bool MainScheduler::may_be_passed(const Job& job, Seconds now) const {
    return job.priority < settings_.bf_min_prio_reserve ||
           (job.eligible && now - *job.eligible < settings_.bf_min_age_reserve);
}

}  // namespace batfill::slurm
