#include <algorithm>
#include <cassert>

#include <batfill/algorithm.hpp>
#include <batfill/plan.hpp>

namespace batfill {

namespace {

constexpr Time long_ago = Time::at(-Duration::infinity());
constexpr PlannedJobs::Key first_key{long_ago, long_ago, 0};

PlannedJobs::Key first_key_at(Time start) {
    return {start, long_ago, 0};
}
PlannedJobs::Key behind(const PlannedJobs::Key& key) {
    return {key.start, key.submit, key.job + 1};
}

}  // namespace

void Plan::reset(Time now, int processors) {
    profile_ = AvailabilityProfile(now, processors);
    processors_ = processors;
    jobs_.clear();
    slots_.clear();
    free_slots_.clear();
    slot_of_.clear();
    proofs_.clear();
    if (events_) {
        events_ = Events{.counts = events_->counts, .running = {}, .planned = {}, .in_pass = {}};
    }
}

void Plan::Instants::add(Time instant) {
    if (!instant.is_infinite()) {
        instants_.insert(std::upper_bound(instants_.begin(), instants_.end(), instant), instant);
    }
}

void Plan::Instants::remove(Time instant) {
    const auto place = std::lower_bound(instants_.begin(), instants_.end(), instant);
    if (place != instants_.end() && *place == instant) {
        instants_.erase(place);
    }
}

void Plan::Instants::remove_until(Time instant) {
    instants_.erase(instants_.begin(), std::upper_bound(instants_.begin(), instants_.end(), instant));
}

std::uint64_t Plan::Instants::within(Time after, Time until) const {
    // Few are at or before the present, from which all searches begin.
    const auto first = std::find_if(instants_.begin(), instants_.end(), [&](Time instant) { return instant > after; });
    return static_cast<std::uint64_t>(std::upper_bound(first, instants_.end(), until) - first);
}

const Plan::Slot& Plan::planned(JobIndex job) const {
    if (!contains(job)) {
        throw BrokenRule(job, "it is looked up in the plan, where it is not");
    }
    return slot(job);
}

Plan::Slot& Plan::cancelled(JobIndex job) {
    if (job >= slot_of_.size() || slot_of_[job] == no_slot || !slot(job).cancelled) {
        throw BrokenRule(job, "it is placed in the plan again without having been cancelled");
    }
    return slot(job);
}

void Plan::advance(Time now) {
    assert(now >= profile_.origin());
    profile_.advance(now);
    if (events_) {
        events_->running.remove_until(now);
    }
}

void Plan::hold(Time from, Time end, int processors) {
    profile_.add(from, end, -processors);
    if (events_) {
        events_->running.add(end);
    }
}

void Plan::give_back(Time from, Time end, int processors) {
    return_processors(from, end, processors);
    if (events_) {
        events_->running.remove(end);
    }
}

void Plan::return_processors(Time from, Time end, int processors) {
    profile_.add(from, end, processors);
    from = std::max(from, profile_.origin());
    if (jobs_.empty() || from >= end) {
        return;
    }
    const AvailabilityProfile::Bounds after = profile_.bounds(from, end);
    const int least_before = after.least - processors;
    const PlannedJobs::Return given{from, end, least_before, after.most,
                                    profile_.surroundings(from, end, std::max(least_before + 1, 1))};
    std::erase_if(proofs_, [&](const Proof& proof) {
        return given.may_help_from(proof.processors, proof.walltime, proof.start);
    });
    jobs_.open(given, noted_before_, [this](JobIndex job) { noted_.push_back(job); });
}

Time Plan::next_start(Time after) const {
    Time next = Time::infinity();
    jobs_.for_each_while([&](const PlannedJobs::Entry& entry) {
        next = entry.key.start > after ? entry.key.start : next;
        return entry.key.start <= after;
    });
    return next;
}

std::vector<JobIndex> Plan::due(Time until) const {
    std::vector<JobIndex> jobs;
    jobs_.for_each_while([&](const PlannedJobs::Entry& entry) {
        const bool is_due = entry.key.start <= until;
        if (is_due) {
            jobs.push_back(entry.key.job);
        }
        return is_due;
    });
    return jobs;
}

bool Plan::is_hopeless(const PlannedJobs::Entry& entry) const {
    return std::any_of(proofs_.begin(), proofs_.end(), [&](const Proof& proof) { return proof.is_about(entry); });
}

void Plan::note_proof(const Proof& proof) {
    if (proofs_.size() < proofs_remembered) {
        proofs_.push_back(proof);
    } else {
        last_proof_ = (last_proof_ + 1) % proofs_remembered;
        proofs_[last_proof_] = proof;
    }
}

const PlannedJobs::Entry* Plan::next_open(const PlannedJobs::Key& key, Time than) {
    return jobs_.next_open(key, than, [this](const PlannedJobs::Entry& entry) { return is_hopeless(entry); });
}

std::vector<JobIndex> Plan::movable(Time than) const {
    std::vector<JobIndex> jobs;
    jobs_.for_each_open(than, [&](const PlannedJobs::Entry& entry) { jobs.push_back(entry.key.job); });
    return jobs;
}

void Plan::insert(JobIndex job, const Slot& slot, PlannedJobs::Open open) {
    jobs_.insert({key_of(job, slot), slot.walltime, slot.processors, open});
}

void Plan::change_place(const Slot& slot, int change) {
    if (slot.start.is_infinite()) {
        return;
    }
    profile_.add(slot.start, slot.end(), change);
    if (events_ && change < 0) {
        events_->planned.add(slot.start);
        events_->planned.add(slot.end());
    } else if (events_) {
        events_->planned.remove(slot.start);
        events_->planned.remove(slot.end());
    }
}

Time Plan::place(const Request& request, Time from) {
    if (request.job >= slot_of_.size()) {
        slot_of_.resize(std::max<std::size_t>(std::size_t{request.job} + 1, slot_of_.size() * 2), no_slot);
    }
    if (slot_of_[request.job] != no_slot) {
        throw BrokenRule(request.job, "it is placed in the plan, where it has a place already");
    }
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    slot_of_[request.job] = free_slots_.back();
    free_slots_.pop_back();
    Slot& slot = slots_[slot_of_[request.job]];
    slot = {{}, request.walltime, request.submit, request.processors, true};
    place_again(request.job, from);
    return slot.start;
}

void Plan::cancel(std::span<const JobIndex> jobs) {
    for (const JobIndex job : jobs) {
        Slot& slot = planned(job);
        jobs_.remove(key_of(job, slot));
        slot.cancelled = true;
        change_place(slot, slot.processors);
    }
    proofs_.clear();
}

void Plan::place_again(JobIndex job, Time from) {
    Slot& slot = cancelled(job);
    slot.start = profile_.earliest(from, slot.walltime, slot.processors);
    slot.cancelled = false;
    change_place(slot, -slot.processors);
    insert(job, slot, from <= profile_.origin() ? PlannedJobs::Open::none() : PlannedJobs::Open::all());
}

void Plan::look_again_at(JobIndex job) {
    jobs_.set_open(key_of(job, planned(job)), PlannedJobs::Open::all());
}

std::vector<Plan::Place> Plan::places() const {
    std::vector<Place> places;
    places.reserve(jobs_.size());
    jobs_.for_each_while([&](const PlannedJobs::Entry& entry) {
        places.push_back({entry.key.job, entry.key.start});
        return true;
    });
    return places;
}

void Plan::restore(const std::vector<Place>& places) {
    cancel(by_start());
    for (const auto& [job, start] : places) {
        Slot& slot = cancelled(job);
        slot.start = start;
        slot.cancelled = false;
        change_place(slot, -slot.processors);
        insert(job, slot, PlannedJobs::Open::all());
    }
}

void Plan::begin_pass() {
    if (events_) {
        events_->in_pass = events_->running;
        events_->counts.placed_anew = events_->counts.placed_anew.value_or(0);
    }
}

void Plan::count_events_of_search(const Slot& slot, Time than, Time earlier) {
    const Time now = profile_.origin();
    // A job that is late, because the processors that are free do not lie together, was planned to start before now.
    events_->counts.instants +=
        profile_.steps_between(now, earlier.is_infinite() ? std::max(now, than) : earlier + slot.walltime);

    const Time start = std::min(earlier, slot.start);
    const Time end = start.is_infinite() ? start : start + slot.walltime;
    const auto looked_at = [&](Time event) { return event > now && event <= end ? 1U : 0U; };
    const std::uint64_t own = start.is_infinite() ? 0 : looked_at(slot.start) + looked_at(slot.end());
    events_->counts.starts_and_ends += events_->running.within(now, end) + events_->planned.within(now, end) - own;
    if (events_->counts.placed_anew) {
        *events_->counts.placed_anew += events_->in_pass.within(now, end);
        events_->in_pass.add(start);
        events_->in_pass.add(end);
    }
}

bool Plan::move_earlier(JobIndex job, Time now, Time than) {
    return try_to_move(jobs_.at(key_of(job, planned(job))), now, than);
}

bool Plan::try_to_move(const PlannedJobs::Entry& entry, Time now, Time than) {
    const PlannedJobs::Key key = entry.key;
    const PlannedJobs::Open open = entry.open;
    const Time old_start = key.start;
    Slot& slot = this->slot(key.job);
    // Its earliest start is looked for even if that may be too late for now: it stays its earliest.
    const Time from = std::max(now, open.from);
    const Time before = std::min(old_start, open.until);
    const bool nothing_is_open = from >= before || is_hopeless(entry);
    const bool search = !nothing_is_open && from < than;
    const Time start =
        search ? profile_.earliest(from, slot.walltime, slot.processors, old_start, before) : Time::infinity();
    const bool moves = start < than;
    if (events_) {
        count_events_of_search(slot, std::min(than, old_start), moves ? start : Time::infinity());
    }
    if (search) {
        note_proof({slot.processors, slot.walltime, old_start, std::min(start, old_start)});
    }
    if (!moves) {
        if (nothing_is_open || search) {
            jobs_.set_open(key, start.is_infinite() ? PlannedJobs::Open::none() : PlannedJobs::Open{start, open.until});
        }
        return false;
    }
    jobs_.remove(key);
    slot.start = start;
    insert(key.job, slot, PlannedJobs::Open::none());
    if (events_) {
        for (const Time left : {old_start, old_start + slot.walltime}) {
            events_->planned.remove(left);
        }
        for (const Time taken : {start, slot.end()}) {
            events_->planned.add(taken);
        }
    }
    // Where the old and the new place overlap nothing changes.
    profile_.add(start, std::min(slot.end(), old_start), -slot.processors);
    if (!old_start.is_infinite()) {
        return_processors(std::max(slot.end(), old_start), old_start + slot.walltime, slot.processors);
    }
    return true;
}

std::size_t Plan::move_all_earlier(Time now, Time than) {
    begin_pass();
    std::size_t moves = 0;
    if (events_) {  // which are of every job
        for (const JobIndex job : by_start()) {
            moves += move_earlier(job, now, than) ? 1U : 0U;
        }
        return moves;
    }
    bool all_have_moved = false;  // that are still to be looked at
    const PlannedJobs::Entry* entry = next_open(first_key, than);
    while (entry != nullptr) {
        PlannedJobs::Key key = entry->key;
        if (than.is_infinite()) {
            if (const std::optional<Shift> shift = shift_if_all_is_free(now, key.start)) {
                moves += all_have_moved ? 0 : shift->jobs;
                all_have_moved = true;
                entry = next_open(first_key_at(shift->start), than);
                continue;
            }
        }
        const bool moved = try_to_move(*entry, now, than);
        moves += moved && !all_have_moved ? 1U : 0U;
        entry = next_open(behind(key), than);
    }
    return moves;
}

// The jobs from that start on are the only ones behind the gap. If they were placed again one after the other, each
// would find the places of those before it earlier by the length of the gap, and its own free; an earlier one it would
// find also after the shift.
std::optional<Plan::Shift> Plan::shift_if_all_is_free(Time now, Time start) {
    if (start.is_infinite() || start <= now) {
        return std::nullopt;
    }
    const Time gap = std::max(now, profile_.free_since(start, processors_));
    if (gap >= start) {
        return std::nullopt;
    }
    profile_.cut(gap, start);
    const auto earlier = [&](Time t) { return t < gap ? t : std::max(gap, t - (start - gap)); };
    for (Proof& proof : proofs_) {
        proof.start = earlier(proof.start);
        proof.before = earlier(proof.before);
    }
    const std::size_t jobs =
        jobs_.shift(first_key_at(start), start - gap, [this](JobIndex job, Time to) { slot(job).start = to; });
    return Shift{jobs, gap};
}

void Plan::start(JobIndex job) {
    const Slot started = planned(job);
    forget(job);
    if (events_) {
        events_->planned.remove(started.start);
        events_->planned.remove(started.end());
        events_->running.add(started.end());
    }
}

void Plan::remove(JobIndex job) {
    const Slot removed = planned(job);
    forget(job);
    if (!removed.start.is_infinite()) {
        return_processors(removed.start, removed.end(), removed.processors);
        if (events_) {
            events_->planned.remove(removed.start);
            events_->planned.remove(removed.end());
        }
    }
}

void Plan::forget(JobIndex job) {
    jobs_.remove(key_of(job, slot(job)));
    free_slots_.push_back(slot_of_[job]);
    slot_of_[job] = no_slot;
}

}  // namespace batfill
