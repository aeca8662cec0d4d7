#include "schedulers/slurm/backfill.hpp"

#include <algorithm>
#include <tuple>

namespace batfill::slurm {

int& Backfill::Counts::operator[](std::size_t key) {
    if (key >= counts_.size()) {
        counts_.resize(key + 1);
    }
    return counts_[key];
}

Backfill::Backfill(const Settings& settings, Cluster& cluster)
    : settings_(settings),
      cluster_(cluster),
      is_26_11_(settings.version == Version::v26_11),
      earliest_start_(settings, cluster),
      no_nodes_(cluster.size()),
      candidates_(cluster.size()),
      choice_{NodeSet(cluster.size()), {}},
      choice_for_start_(choice_) {}

const CycleOutcome& Backfill::run(std::span<const QueueEntry> queue, Seconds now) {
    begin(now);
    for (const QueueEntry& entry : queue) {
        if (outcome_.tested >= settings_.bf_max_job_test || (is_26_11_ && space_.end() < now_) ||
            try_job(entry) == Then::end_cycle) {
            break;
        }
    }
    outcome_.planned = {planned_.data(), planned_count_};
    return outcome_;
}

void Backfill::begin(Seconds now) {
    now_ = now;
    outcome_.started.clear();
    outcome_.tested = 0;
    outcome_.tries = 0;
    outcome_.is_change = false;
    planned_count_ = 0;
    plans_ = 0;
    tried_of_user_.clear();
    tried_of_partition_.clear();
    tried_of_user_in_partition_.clear();
    planned_of_array_.clear();
    space_.begin(settings_.floor(now), settings_.floor(now + settings_.bf_window), cluster_.up(),
                 settings_.bf_licenses ? std::span<const int>(cluster_.licenses()) : std::span<const int>(),
                 settings_.version);
    if (settings_.reserves_running_jobs()) {
        std::vector<const RunningJob*> in_order;
        for (const RunningJob& running : cluster_.running()) {
            in_order.push_back(&running);
        }
        std::sort(in_order.begin(), in_order.end(),
                  [](const RunningJob* a, const RunningJob* b) { return a->job < b->job; });
        for (const RunningJob* running : in_order) {
            enter(*running);
        }
    }
}

void Backfill::enter(const RunningJob& running) {
    const Job& job = cluster_.job(running.job);
    const bool takes_nodes = running.whole_nodes && settings_.select == Select::cons_tres;
    if ((!takes_nodes && job.licenses.empty()) || space_.records() >= settings_.node_space_size()) {
        return;
    }
    space_.reserve(0, is_26_11_ ? settings_.ceil(running.end) : settings_.floor(running.end), settings_.bf_resolution,
                   takes_nodes ? running.nodes : no_nodes_, table_licenses(job));
}

// Licences are in the table only with bf_licenses.
std::span<const LicenseCount> Backfill::table_licenses(const Job& job) const {
    return settings_.bf_licenses ? std::span<const LicenseCount>(job.licenses) : std::span<const LicenseCount>();
}

bool Backfill::may_only_start_now(const Job& job) const {
    return job.priority < settings_.bf_min_prio_reserve ||
           (job.eligible && now_ - *job.eligible < settings_.bf_min_age_reserve) || has_all_plans();
}

bool Backfill::has_plan(JobPlace job) const {
    const auto end = planned_.begin() + static_cast<std::ptrdiff_t>(planned_count_);
    return std::any_of(planned_.begin(), end,
                       [&](const PlannedStart& one) { return one.job == job && one.is_planned; });
}

bool Backfill::has_all_plans() const {
    return settings_.bf_job_part_count_reserve > 0 && plans_ >= settings_.bf_job_part_count_reserve;
}

bool Backfill::may_plan_task(const Job& job) {
    if (job.array == Job::none) {
        return true;
    }
    const int planned = planned_of_array_[static_cast<std::size_t>(job.array)];
    return planned < settings_.bf_max_job_array_resv && cluster_.running_tasks(job.array) + planned < job.array_limit;
}

bool Backfill::is_within_limits(const QueueEntry& entry) {
    const auto user = static_cast<std::size_t>(cluster_.job(entry.job).user);
    const auto partition = static_cast<std::size_t>(entry.partition);
    struct Count {
        int limit;
        int& tried;
    };
    const Count counts[] = {
        {settings_.bf_max_job_user_part, tried_of_user_in_partition_[user * cluster_.partitions().size() + partition]},
        {settings_.bf_max_job_part, tried_of_partition_[partition]},
        {settings_.bf_max_job_user, tried_of_user_[user]}};
    for (const Count& count : counts) {
        if (count.limit > 0 && count.tried >= count.limit) {
            return false;
        }
    }
    for (const Count& count : counts) {
        ++count.tried;
    }
    return true;
}

InCycle Backfill::held_by(const QueueEntry& entry) {
    const Job& job = cluster_.job(entry.job);
    if (!may_plan_task(job)) {
        return InCycle::array_tasks;
    }
    if (!is_within_limits(entry)) {
        return InCycle::enough_jobs;
    }
    if (!settings_.bf_licenses && !has_licenses_now(job)) {
        return InCycle::licenses;
    }
    return cluster_.is_within_limits(job) ? InCycle::nothing : InCycle::limit;
}

// A plan in one partition counts more than what is found in others.
void Backfill::note(JobPlace job, InCycle found) {
    if (cluster_.in_cycle(job) != InCycle::planned) {
        cluster_.note_in_cycle(job, found);
    }
}

Backfill::Then Backfill::try_job(const QueueEntry& entry) {
    if (cluster_.state(entry.job) != JobState::waiting) {
        return Then::next_job;  // it has started in another partition
    }
    const Job& job = cluster_.job(entry.job);
    const bool now_only = may_only_start_now(job) || (settings_.bf_one_resv_per_job && has_plan(entry.job));
    if (const InCycle held = held_by(entry); held != InCycle::nothing) {
        note(entry.job, held);
        return Then::next_job;
    }
    note(entry.job, job.reservation == Job::none ? InCycle::no_nodes : InCycle::own_reservation);
    Attempt attempt{entry, job, cluster_.partition(entry.partition), table_licenses(job), now_only, now_, now_};
    while (attempt.later) {
        attempt.at = *attempt.later;
        attempt.later.reset();
        if (const std::optional<Seconds> start = find_start(attempt)) {
            if (const std::optional<Then> then = settle(attempt, *start)) {
                return *then;
            }
        }
    }
    return Then::next_job;
}

// Of a job that asks for reservations, those inside one count, if it may run in one now.
bool Backfill::has_licenses_now(const Job& job) const {
    bool is_inside = false;
    for (std::size_t place = 0; job.reservation != Job::none && place < cluster_.reservations().size(); ++place) {
        const Reservation& one = cluster_.reservations()[place];
        if (one.is_for(job.reservation) && one.holds(now_, now_ + job.limit)) {
            is_inside = true;
            if (cluster_.has_licenses(job, now_, place)) {
                return true;
            }
        }
    }
    return !is_inside && cluster_.has_licenses(job, now_);
}

void Backfill::set_candidates(const Attempt& attempt) {
    candidates_ = attempt.partition.nodes;
    if (attempt.job.suitable) {
        candidates_ &= *attempt.job.suitable;
    }
    if (attempt.inside && cluster_.reservations()[*attempt.inside].licenses.empty()) {
        candidates_ &= cluster_.reservations()[*attempt.inside].nodes;
    }
}

bool Backfill::find_candidates(Attempt& attempt) {
    const Job& job = attempt.job;
    ++outcome_.tries;
    if (is_26_11_ && space_.end() < attempt.at) {
        return false;
    }
    set_candidates(attempt);
    const std::optional<Seconds> reserved_until = avoid_reservations(attempt);
    const bool has_licenses =
        space_.scan(attempt.at, attempt.at + job.limit, attempt.licenses, candidates_, attempt.later);
    if (reserved_until && (!attempt.later || *reserved_until < *attempt.later)) {
        attempt.later = reserved_until;
    }
    if (has_licenses && candidates_.count() >= job.nodes) {
        count(attempt);
        return true;
    }
    put_off(attempt);
    return false;
}

bool Backfill::find_candidates_at_once(Attempt& attempt) {
    const Job& job = attempt.job;
    for (;; attempt.at = *attempt.later) {
        ++outcome_.tries;
        if (is_26_11_ && space_.end() < attempt.at) {
            attempt.later.reset();
            return false;
        }
        const Seconds until = attempt.at + job.limit;
        attempt.later = space_.next_gain(attempt.first_segment, attempt.at, until);
        const NodeSet* usable = nullptr;
        if (may_be_in_vain(attempt)) {
            usable = &earliest_start_.usable_at(job, attempt.partition, *attempt.later);
            // Otherwise it matters also whether the table leaves enough nodes, usable or not.
            if (attempt.is_counted && outcome_.is_change) {
                candidates_ = *usable;
                if (!space_.has_free(attempt.first_segment, attempt.at, until, job.nodes, candidates_)) {
                    continue;
                }
            }
        }
        set_candidates(attempt);
        if (!space_.has_free(attempt.first_segment, attempt.at, until, job.nodes, candidates_)) {
            put_off(attempt);
            if (!attempt.later) {
                return false;
            }
            continue;
        }
        count(attempt);
        if (usable == nullptr || candidates_.count_common(*usable) >= job.nodes) {
            return true;
        }
    }
}

void Backfill::count(Attempt& attempt) {
    outcome_.tested += attempt.is_counted ? 0 : 1;
    attempt.is_counted = true;
}

void Backfill::put_off(Attempt& attempt) {
    if (attempt.now_only) {
        attempt.later.reset();
    }
    outcome_.is_change |= attempt.later.has_value();
}

bool Backfill::may_be_in_vain(const Attempt& attempt) const {
    // In 26.11, a later start that conflicts decides about the next try; only select/linear finds one.
    return attempt.later && !attempt.now_only && !(is_26_11_ && settings_.select == Select::linear);
}

std::optional<Seconds> Backfill::find_start(Attempt& attempt) {
    std::optional<Seconds> found;
    if (attempt.job.reservation != Job::none) {
        found = find_start_inside(attempt);
    } else {
        const bool is_plain = attempt.licenses.empty() && cluster_.reservations().empty();
        if (!(is_plain ? find_candidates_at_once(attempt) : find_candidates(attempt))) {
            return std::nullopt;
        }
        found = find_start_among_candidates(attempt);
    }
    if (!found) {
        if (attempt.now_only) {
            attempt.later.reset();
        }
        return std::nullopt;
    }
    const Seconds start = *found;
    if (is_26_11_ && start > now_ && conflicts(attempt, start)) {
        attempt.later = start == attempt.at ? start + settings_.bf_resolution : start;
        return std::nullopt;
    }
    return settings_.bf_topopt_enable && is_26_11_ && !attempt.now_only ? find_slot(attempt, start) : start;
}

std::optional<Seconds> Backfill::find_start_among_candidates(const Attempt& attempt) {
    const std::optional<Seconds> found = earliest_start_.find(
        {attempt.job, attempt.partition, candidates_, attempt.at, attempt.later, attempt.now_only, attempt.inside},
        now_, choice_);
    if (!found) {
        return std::nullopt;
    }
    const Seconds start = std::max(*found, attempt.at);
    return start <= now_ && choice_.nodes.intersects(cluster_.completing()) ? now_ + 1 : start;
}

std::optional<Seconds> Backfill::find_start_inside(Attempt& attempt) {
    const std::vector<Reservation>& reservations = cluster_.reservations();
    const Seconds limit = attempt.job.limit;
    std::optional<Seconds> later;
    const auto note_later = [&](Seconds at, const Reservation& reservation) {
        if (at + limit <= reservation.last_inside && (!later || at < *later)) {
            later = at;
        }
    };
    std::optional<Seconds> first;
    NodeSet candidates_of_first(cluster_.size());
    Choice choice_of_first = choice_;
    for (std::size_t place = 0; place < reservations.size(); ++place) {
        const Reservation& reservation = reservations[place];
        if (!reservation.is_for(attempt.job.reservation)) {
            continue;
        }
        if (reservation.first_inside > attempt.at) {
            note_later(reservation.first_inside, reservation);
            continue;
        }
        Attempt inside = attempt;
        inside.inside = place;
        const bool has_enough = reservation.holds(inside.at, inside.at + limit) && find_candidates(inside);
        attempt.is_counted = inside.is_counted;
        if (inside.at > attempt.at) {
            note_later(inside.at, reservation);
            continue;
        }
        if (inside.later && *inside.later > attempt.at) {
            note_later(*inside.later, reservation);
        }
        const std::optional<Seconds> start = has_enough ? find_start_among_candidates(inside) : std::nullopt;
        if (start && *start + limit <= reservation.last_inside && (!first || *start < *first)) {
            first = start;
            attempt.inside = place;
            candidates_of_first = candidates_;
            choice_of_first = choice_;
        }
    }
    attempt.later = later;
    if (first) {
        candidates_ = candidates_of_first;
        choice_ = choice_of_first;
    }
    return first;
}

std::optional<Seconds> Backfill::avoid_reservations(Attempt& attempt) {
    const std::vector<Reservation>& reservations = cluster_.reservations();
    const auto is_in_the_way = [&](const Reservation& one) {
        const bool is_own = attempt.inside && &one == &reservations[*attempt.inside];
        return !is_own && one.licenses.empty() && one.overlaps(attempt.at, attempt.at + attempt.job.limit);
    };
    for (int moves = 0; moves < 10; ++moves) {
        const auto closing = std::find_if(reservations.begin(), reservations.end(), [&](const Reservation& one) {
            return one.closes(attempt.partition) && is_in_the_way(one);
        });
        if (closing == reservations.end()) {
            break;
        }
        attempt.at = closing->end;
        attempt.is_moved = true;
    }
    std::optional<Seconds> first_end;
    for (const Reservation& reservation : reservations) {
        if (is_in_the_way(reservation)) {
            candidates_ -= reservation.nodes;
            const Seconds end = settings_.ceil(reservation.end) + 1;
            first_end = first_end ? std::min(*first_end, end) : end;
        }
    }
    return first_end;
}

std::optional<Seconds> Backfill::find_slot(Attempt& attempt, Seconds start) {
    if (attempt.slots < settings_.bf_topopt_iterations && space_.covers(start)) {
        if (++attempt.slots == 1) {
            first_slot_start_ = start;
            first_slot_nodes_ = choice_.nodes;
        }
    }
    if (attempt.later && attempt.slots < settings_.bf_topopt_iterations) {
        return std::nullopt;
    }
    if (attempt.slots == 0) {
        return start;
    }
    choice_.nodes = first_slot_nodes_;
    return first_slot_start_;
}

std::optional<Backfill::Then> Backfill::settle(Attempt& attempt, Seconds start) {
    if (start <= now_ && start_now(attempt)) {
        const auto starts = static_cast<int>(outcome_.started.size());
        return starts == settings_.bf_max_job_start ? Then::end_cycle : Then::next_job;
    }
    if (start > now_ && attempt.now_only) {
        note(attempt.entry.job, InCycle::start_only);
        note(attempt, start, false);
        return Then::next_job;
    }
    if (attempt.later && start > *attempt.later) {
        return std::nullopt;
    }
    if (start > now_ + settings_.bf_window) {
        note(attempt.entry.job, InCycle::too_late);
        note(attempt, start, false);
        return Then::next_job;
    }
    if (!is_26_11_ && start > now_ && conflicts(attempt, start)) {
        attempt.later = start;
        // From the same moment, Slurm would try again until the time for a cycle is over.
        return start == attempt.at ? std::optional(Then::end_cycle) : std::nullopt;
    }
    if (has_all_plans()) {
        note(attempt.entry.job, InCycle::start_only);
        note(attempt, start, false);
        return Then::next_job;
    }
    ++plans_;
    outcome_.is_change |= choice_.nodes.intersects(cluster_.free().with_cores());
    if (attempt.job.array != Job::none) {
        ++planned_of_array_[static_cast<std::size_t>(attempt.job.array)];
    }
    const bool is_full = space_.records() >= settings_.node_space_size();
    note(attempt, start, !is_full || !is_26_11_);
    note(attempt.entry.job, is_full ? InCycle::no_room : attempt.is_moved ? InCycle::maintenance : InCycle::planned);
    if (is_full) {
        return Then::end_cycle;
    }
    space_.reserve(settings_.floor(start), planned_end(attempt.job, start), settings_.bf_resolution, choice_.nodes,
                   attempt.licenses);
    return Then::next_job;
}

Seconds Backfill::planned_end(const Job& job, Seconds start) const {
    return is_26_11_ ? settings_.floor(start + job.limit + settings_.bf_resolution - 1)
                     : std::max(settings_.floor(start + job.limit), settings_.floor(start) + settings_.bf_resolution);
}

bool Backfill::conflicts(const Attempt& attempt, Seconds start) const {
    return space_.conflicts(settings_.floor(start), planned_end(attempt.job, start), choice_.nodes, attempt.licenses);
}

bool Backfill::start_now(const Attempt& attempt) {
    candidates_ -= cluster_.completing();
    const bool looks_at_licenses = is_26_11_ || !settings_.bf_licenses;
    if ((looks_at_licenses && !cluster_.has_licenses(attempt.job, now_, attempt.inside)) ||
        !earliest_start_.choose_now(attempt.job, attempt.partition, candidates_, choice_for_start_)) {
        return false;
    }
    enter(cluster_.start(attempt.entry, now_, choice_for_start_, attempt.inside));
    outcome_.started.push_back(attempt.entry.job);
    return true;
}

void Backfill::note(const Attempt& attempt, Seconds start, bool is_planned) {
    if (planned_count_ == planned_.size()) {
        planned_.emplace_back();
    }
    PlannedStart& planned = planned_[planned_count_++];
    planned.job = attempt.entry.job;
    planned.start = start;
    planned.is_planned = is_planned;
    if (is_planned) {
        planned.nodes = choice_.nodes;
    }
}

}  // namespace batfill::slurm
