#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>

#include <batfill/algorithm.hpp>
#include <batfill/plan.hpp>

namespace batfill {

namespace {

// Past this many the older half of the returns is remembered as one that covers them: still a proof, only a weaker one.
constexpr std::size_t returns_remembered = 64;

constexpr Time long_ago = Time::at(-Duration::infinity());
constexpr Time nothing_proved = long_ago;

}  // namespace

void Plan::reset(Time now, int processors) {
    profile_ = AvailabilityProfile(now, processors);
    by_start_.clear();
    slots_.clear();
    free_slots_.clear();
    slot_of_.clear();
    returns_.clear();
    returns_forgotten_ = 0;
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
    note_return(from, end, processors);
}

void Plan::note_return(Time from, Time to, int processors) {
    if (by_start_.empty() || from >= to || to <= profile_.origin()) {
        return;
    }
    if (returns_.size() == returns_remembered) {
        constexpr std::size_t older = returns_remembered / 2;
        Return all = returns_.front();
        for (std::size_t i = 1; i < older; ++i) {
            all.from = std::min(all.from, returns_[i].from);
            all.to = std::max(all.to, returns_[i].to);
            all.least_before = std::min(all.least_before, returns_[i].least_before);
            all.most_after = std::max(all.most_after, returns_[i].most_after);
        }
        all.around.reset();
        returns_.erase(returns_.begin(), returns_.begin() + older - 1);
        returns_.front() = all;
        returns_forgotten_ += older - 1;
    }
    from = std::max(from, profile_.origin());
    const AvailabilityProfile::Bounds after = profile_.bounds(from, to);
    returns_.push_back({from, to, after.least - processors, after.most});
}

Time Plan::next_start(Time after) const {
    const auto next =
        std::find_if(by_start_.begin(), by_start_.end(), [&](JobIndex job) { return slot(job).start > after; });
    return next == by_start_.end() ? Time::infinity() : slot(*next).start;
}

bool Plan::Return::may_help(const Slot& slot) const {
    if (slot.processors <= least_before || slot.processors > most_after || slot.start <= from) {
        return false;
    }
    if (!around) {
        return true;
    }
    const AvailabilityProfile::Surroundings::Window& window = around->find(slot.processors);
    return slot.start <= window.end || slot.walltime <= window.length();
}

Time Plan::Return::first_start(const Slot& slot) const {
    const Time touching = from - slot.walltime;
    return around ? std::max(around->find(slot.processors).begin, touching) : touching;
}

Plan::Opened Plan::opened(const Slot& slot) const {
    const std::size_t known = slot.proved > returns_forgotten_ ? slot.proved - returns_forgotten_ : 0;
    Opened opened{Time::infinity(), long_ago};
    for (std::size_t i = known; i < returns_.size(); ++i) {
        if (const Return& given = returns_[i]; given.may_help(slot) && given.to > profile_.origin()) {
            if (!given.around) {
                return {long_ago, Time::infinity()};
            }
            opened.from = std::min(opened.from, given.first_start(slot));
            opened.until = std::max(opened.until, given.to);
        }
    }
    return opened;
}

bool Plan::before(JobIndex a, JobIndex b) const {
    const Slot& x = slot(a);
    const Slot& y = slot(b);
    if (x.start != y.start) {
        return x.start < y.start;
    }
    return x.submit != y.submit ? x.submit < y.submit : a < b;
}

std::vector<JobIndex>::iterator Plan::place_of(JobIndex job) {
    return std::lower_bound(by_start_.begin(), by_start_.end(), job,
                            [this](JobIndex a, JobIndex b) { return before(a, b); });
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

void Plan::find_place(Slot& slot, Time from) {
    slot.start = profile_.earliest(from, slot.walltime, slot.processors);
    slot.impossible_before = from <= profile_.origin() ? slot.start : nothing_proved;
    slot.proved = returns_made();
    slot.cancelled = false;
    change_place(slot, -slot.processors);
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
    slot = {{}, request.walltime, request.submit, nothing_proved, 0, request.processors, true};
    place_again(request.job, from);
    return slot.start;
}

void Plan::cancel(std::span<const JobIndex> jobs) {
    for (const JobIndex job : jobs) {
        Slot& slot = planned(job);
        slot.cancelled = true;
        change_place(slot, slot.processors);
    }
    std::erase_if(by_start_, [this](JobIndex job) { return slot(job).cancelled; });
}

void Plan::place_again(JobIndex job, Time from) {
    find_place(cancelled(job), from);
    by_start_.insert(place_of(job), job);
}

void Plan::look_again_at(JobIndex job) {
    planned(job).impossible_before = nothing_proved;
}

std::vector<Plan::Place> Plan::places() const {
    std::vector<Place> places;
    places.reserve(by_start_.size());
    for (const JobIndex job : by_start_) {
        places.push_back({job, planned_start(job)});
    }
    return places;
}

void Plan::restore(const std::vector<Place>& places) {
    cancel(std::vector<JobIndex>(by_start_));
    for (const auto& [job, start] : places) {
        Slot& slot = cancelled(job);
        slot.start = start;
        slot.impossible_before = nothing_proved;
        slot.cancelled = false;
        change_place(slot, -slot.processors);
        by_start_.push_back(job);
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
    Slot& slot = planned(job);
    than = std::min(than, slot.start);
    const Opened opened = this->opened(slot);
    // Starts from `last` on are as impossible as they were.
    const Time first = std::min(slot.impossible_before, opened.from);
    const Time last = slot.impossible_before < than ? than : std::min(than, opened.until);
    if (std::max(now, first) >= last) {
        slot.proved = returns_made();
        slot.impossible_before = first;
        if (events_) {
            count_events_of_search(slot, than, Time::infinity());
        }
        return false;
    }
    const Time old_start = slot.start;
    const Time start = profile_.earliest(std::max(now, first), slot.walltime, slot.processors, old_start, last);
    if (events_) {
        count_events_of_search(slot, than, start);
    }
    slot.impossible_before = std::min(start, than);
    if (start.is_infinite()) {
        slot.proved = returns_made();
        return false;
    }
    const auto old_place = place_of(job);
    slot.start = start;
    const auto to =
        std::lower_bound(by_start_.begin(), old_place, job, [this](JobIndex a, JobIndex b) { return before(a, b); });
    std::rotate(to, old_place, old_place + 1);

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
    slot.proved = returns_made();
    return true;
}

std::size_t Plan::move_earlier_in_order(const std::vector<JobIndex>& order, Time now, Time than) {
    std::size_t moves = 0;
    if (events_) {  // which are of every attempt, also of those that are known to be in vain
        for (std::size_t i = 0; i < order.size();) {
            const bool moved = move_earlier(order[i], now, than);
            moves += moved ? 1U : 0U;
            i = moved ? 0 : i + 1;
        }
        return moves;
    }
    // All jobs before `next` have been tried, and cannot move but for those that are to be tried again.
    std::size_t next = 0;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> again;
    std::vector<std::uint32_t> position_of;  // by slot
    while (!again.empty() || next < order.size()) {
        std::size_t position = next;
        if (again.empty()) {
            ++next;
        } else {
            position = again.top();
            again.pop();
        }
        const std::size_t returns_before = returns_made();
        if (!move_earlier(order[position], now, than)) {
            continue;
        }
        ++moves;
        if (returns_made() == returns_before) {
            continue;
        }
        if (position_of.empty()) {
            position_of.resize(slots_.size());
            for (std::size_t i = 0; i < order.size(); ++i) {
                position_of[slot_of_[order[i]]] = static_cast<std::uint32_t>(i);
            }
        }
        Return& given = returns_.back();
        given.around = std::make_shared<const AvailabilityProfile::Surroundings>(
            profile_.surroundings(given.from, given.to, std::max(given.least_before + 1, 1)));
        const auto behind = std::partition_point(by_start_.begin(), by_start_.end(),
                                                 [&](JobIndex job) { return slot(job).start <= given.from; });
        for (auto job = behind; job != by_start_.end(); ++job) {
            const std::uint32_t number = slot_of_[*job];
            const Slot& other = slots_[number];
            if (position_of[number] < next && given.may_help(other) && given.first_start(other) < than) {
                again.push(position_of[number]);
            }
        }
    }
    return moves;
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
    by_start_.erase(place_of(job));
    free_slots_.push_back(slot_of_[job]);
    slot_of_[job] = no_slot;
    if (by_start_.empty()) {
        returns_.clear();
        returns_forgotten_ = 0;
    }
}

}  // namespace batfill
