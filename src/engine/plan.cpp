#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <queue>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/plan.hpp>

namespace batfill {

namespace {

// Jobs of about the same width: from a power of two up to the next.
std::size_t width_class(int processors) {
    return static_cast<std::size_t>(AvailabilityProfile::Surroundings::power_of(processors));
}

// The smallest width of the next class.
int next_class(int processors) {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(processors))) * 2;
}

constexpr Time long_ago = Time::at(-Duration::infinity());

}  // namespace

constexpr Plan::Opened Plan::nothing_opened = {Time::infinity(), long_ago};
constexpr Plan::Opened Plan::everything_opened = {long_ago, Time::infinity()};

void Plan::reset(Time now, int processors) {
    profile_ = AvailabilityProfile(now, processors);
    by_start_.clear();
    slots_.clear();
    free_slots_.clear();
    slot_of_.clear();
    may_move_.clear();
    by_walltime_ = {};
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
    // Few instants are at or before the present, where all searches begin.
    const auto first = std::find_if(instants_.begin(), instants_.end(), [&](Time instant) { return instant > after; });
    return static_cast<std::uint64_t>(std::upper_bound(first, instants_.end(), until) - first);
}

void Plan::refuse_unplanned(JobIndex job) {
    throw BrokenRule(job, "it is looked up in the plan, where it is not");
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
    open_starts(from, end, processors);
}

// A start becomes possible only if too few processors were free at some instant of [from, to) and enough are free now.
// Then it lies in the free interval around that instant. A job planned within this interval may begin earlier in it. A
// job planned behind it has to fit into it.
void Plan::open_starts(Time from, Time to, int processors) {
    from = std::max(from, profile_.origin());
    if (by_start_.empty() || from >= to || slot(by_start_.back()).start <= from) {
        return;
    }
    profile_.surroundings(from, to, processors, around_);
    const AvailabilityProfile::Surroundings& around = around_;
    const int least = around.least();
    const int most = around.most();
    if (least > most) {
        return;
    }
    if (passing_by_start_) {
        for (int width = least; width <= most; width = next_class(width)) {
            const AvailabilityProfile::Surroundings::Window& window = around.find(width);
            OpeningsOfWidth& openings = openings_[width_class(width)];
            openings.by_walltime.add(window.length(), {window.begin, to});
            openings.by_start.add(window.end.since_zero(), {window.begin, to});
        }
        return;
    }
    const auto helps = [&](const Slot& other) { return least <= other.processors && other.processors <= most; };
    const auto open_for = [&](std::uint32_t number, const AvailabilityProfile::Surroundings::Window& window) {
        open(number, {std::max(window.begin, from - slots_[number].walltime), to});
    };
    const Time farthest = around.find(least).end;
    auto near =
        std::partition_point(by_start_.begin(), by_start_.end(), [&](JobIndex job) { return slot(job).start <= from; });
    for (; near != by_start_.end() && slot(*near).start <= farthest; ++near) {
        if (const Slot& other = slot(*near); helps(other)) {
            const AvailabilityProfile::Surroundings::Window& window = around.find(other.processors);
            if (other.start <= window.end || other.walltime <= window.length()) {
                open_for(slot_of_[*near], window);
            }
        }
    }
    if (near == by_start_.end()) {
        return;
    }
    for (int width = least; width <= most; width = next_class(width)) {
        const AvailabilityProfile::Surroundings::Window& window = around.find(width);
        const std::vector<Alike>& alike = by_walltime_[width_class(width)];
        const auto too_long = std::upper_bound(alike.begin(), alike.end(), Alike{window.length(), no_slot});
        for (auto other = alike.begin(); other != too_long; ++other) {
            const Slot& short_enough = slots_[other->slot];
            if (short_enough.start > farthest && !short_enough.cancelled && helps(short_enough)) {
                open_for(other->slot, window);
            }
        }
    }
}

void Plan::list(std::uint32_t number) {
    if (!slots_[number].listed) {
        slots_[number].listed = true;
        may_move_.push_back(number);
    }
}

void Plan::open(std::uint32_t number, const Opened& opened) {
    slots_[number].opened.include(opened);
    list(number);
}

void Plan::Openings::add(Duration most, const Opened& opened) {
    Step* const begin = steps_.data();
    Step* const end = begin + count_;
    Step* const place = std::find_if(begin, end, [&](const Step& step) { return step.most < most; });
    const auto covers = [](const Opened& a, const Opened& b) { return a.from <= b.from && b.until <= a.until; };
    Step added{most, opened};
    if (place != begin) {
        if (covers(std::prev(place)->opened, opened)) {
            return;
        }
        added.opened.include(std::prev(place)->opened);
    }
    Step* const beyond = std::find_if(place, end, [&](const Step& step) { return !covers(added.opened, step.opened); });
    std::for_each(beyond, end, [&](Step& step) { step.opened.include(opened); });
    // The steps between `place` and `beyond` add nothing to this one.
    if (beyond == place) {
        std::copy_backward(place, end, end + 1);
        ++count_;
    } else {
        count_ = static_cast<std::size_t>(std::copy(beyond, end, place + 1) - begin);
    }
    *place = added;
    if (count_ > most_steps) {
        --count_;
        steps_[count_ - 1].opened = steps_[count_].opened;
    }
}

std::vector<Plan::Alike>& Plan::alike(const Slot& slot) {
    return by_walltime_[width_class(slot.processors)];
}

Time Plan::next_start(Time after) const {
    const auto next =
        std::find_if(by_start_.begin(), by_start_.end(), [&](JobIndex job) { return slot(job).start > after; });
    return next == by_start_.end() ? Time::infinity() : slot(*next).start;
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
    slot.opened = nothing_opened;
    if (from > profile_.origin()) {
        open(slot_of_[slot.job], everything_opened);
    }
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
    const std::uint32_t number = slot_of_[request.job];
    Slot& slot = slots_[number];
    // may_move_ may still list the slot, from its previous job.
    slot = {.start = {},
            .opened = nothing_opened,
            .job = request.job,
            .processors = request.processors,
            .cancelled = true,
            .listed = slot.listed,
            .walltime = request.walltime,
            .submit = request.submit};
    place_again(request.job, from);
    const Alike entry{slot.walltime, number};
    alike(slot).insert(std::lower_bound(alike(slot).begin(), alike(slot).end(), entry), entry);
    return slot.start;
}

void Plan::cancel(std::span<const JobIndex> jobs) {
    for (const JobIndex job : jobs) {
        Slot& slot = planned(job);
        slot.cancelled = true;
        slot.opened = nothing_opened;
        change_place(slot, slot.processors);
    }
    std::erase_if(by_start_, [this](JobIndex job) { return slot(job).cancelled; });
}

void Plan::place_again(JobIndex job, Time from) {
    find_place(cancelled(job), from);
    by_start_.insert(place_of(job), job);
}

void Plan::look_again_at(JobIndex job) {
    open(slot_number(job), everything_opened);
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
        open(slot_of_[job], everything_opened);
        slot.cancelled = false;
        change_place(slot, -slot.processors);
        by_start_.push_back(job);
    }
}

void Plan::count_events_of_search(const Slot& slot, Time than, Time earlier) {
    const Time now = profile_.origin();
    // A job can be late because the free processors are not contiguous. Then it was planned to start before now.
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
    return move_earlier(planned(job), now, than);
}

bool Plan::move_earlier(Slot& slot, Time now, Time than, std::optional<std::size_t> place) {
    than = std::min(than, slot.start);
    const Time first = std::max(now, slot.opened.from);
    const Time last = std::min(than, slot.opened.until);
    const Time old_start = slot.start;
    const Time start =
        first < last ? profile_.earliest(first, slot.walltime, slot.processors, old_start, last) : Time::infinity();
    if (events_) {
        count_events_of_search(slot, than, start);
    }
    if (start.is_infinite()) {
        if (slot.opened.until <= than) {
            slot.opened = nothing_opened;
        } else {
            slot.opened.from = std::max(slot.opened.from, than);
        }
        return false;
    }
    slot.opened = nothing_opened;
    const auto old_place = place ? by_start_.begin() + static_cast<std::ptrdiff_t>(*place) : place_of(slot.job);
    slot.start = start;
    const auto to = std::lower_bound(by_start_.begin(), old_place, slot.job,
                                     [this](JobIndex a, JobIndex b) { return before(a, b); });
    std::rotate(to, old_place, old_place + 1);

    if (events_) {
        for (const Time left : {old_start, old_start + slot.walltime}) {
            events_->planned.remove(left);
        }
        for (const Time taken : {start, slot.end()}) {
            events_->planned.add(taken);
        }
    }
    // Nothing changes where the old and the new place overlap.
    profile_.add(start, std::min(slot.end(), old_start), -slot.processors);
    if (!old_start.is_infinite()) {
        return_processors(std::max(slot.end(), old_start), old_start + slot.walltime, slot.processors);
    }
    return true;
}

template <class Use>
void Plan::take_listed(Use use) {
    for (const std::uint32_t number : may_move_) {
        slots_[number].listed = slots_[number].opened.some();
        if (slots_[number].listed) {
            use(number);
        }
    }
    may_move_.clear();
}

std::size_t Plan::move_all_earlier(Time now, Time than) {
    std::size_t moves = 0;
    // Events are counted for every attempt, even if it is proved to be in vain.
    if (events_) {
        events_->in_pass = events_->running;
        events_->counts.placed_anew = events_->counts.placed_anew.value_or(0);
        // A job that moves changes places only with jobs before it.
        for (const JobIndex job : by_start_) {
            moves += move_earlier(job, now, than) ? 1U : 0U;
        }
        return moves;
    }
    if (may_move_.empty()) {
        return 0;
    }
    take_listed([&](std::uint32_t number) { slots_[number].listed = false; });
    // A move helps only jobs planned behind the one that moved. So the pass looks at each job once, after all moves
    // that can help it.
    passing_by_start_ = true;
    for (std::size_t i = 0; i < by_start_.size(); ++i) {
        const std::uint32_t number = slot_of_[by_start_[i]];
        Slot& slot = slots_[number];
        const OpeningsOfWidth& openings = openings_[width_class(slot.processors)];
        openings.by_walltime.include_in(slot.opened, slot.walltime);
        openings.by_start.include_in(slot.opened, slot.start.since_zero());
        if (!slot.opened.some()) {
            continue;
        }
        if (move_earlier(slot, now, than, i)) {
            ++moves;
        } else if (slot.opened.some()) {
            list(number);
        }
    }
    passing_by_start_ = false;
    for (OpeningsOfWidth& openings : openings_) {
        openings.by_walltime.clear();
        openings.by_start.clear();
    }
    return moves;
}

std::size_t Plan::try_all_in_order(const std::vector<JobIndex>& order, Time now, Time than) {
    std::size_t moves = 0;
    for (std::size_t i = 0; i < order.size();) {
        const bool moved = move_earlier(order[i], now, than);
        moves += moved ? 1U : 0U;
        i = moved ? 0 : i + 1;
    }
    return moves;
}

std::size_t Plan::move_to_now_in_order(const std::vector<JobIndex>& order, Time now) {
    assert(now == profile_.origin());
    const Time than = now + Duration::microseconds(1);
    if (events_) {
        return try_all_in_order(order, now, than);
    }
    std::size_t moves = 0;
    profile_.free_from_origin(free_now_);
    for (std::size_t i = 0; i < order.size() && free_now_.most() > 0;) {
        const Slot& candidate = planned(order[i]);
        // From its planned start on, the job has its own processors.
        const bool can_move =
            candidate.processors <= free_now_.most() && candidate.start > now &&
            std::min(now + candidate.walltime, candidate.start) <= free_now_.until(candidate.processors);
        if (!can_move || !move_earlier(order[i], now, than)) {
            ++i;
            continue;
        }
        ++moves;
        std::swap(free_now_, free_before_);
        profile_.free_from_origin(free_now_);
        i = free_now_.exceeds(free_before_) ? 0 : i + 1;
    }
    return moves;
}

std::size_t Plan::move_earlier_in_order(const std::vector<JobIndex>& order, Time now) {
    if (events_) {
        return try_all_in_order(order, now, Time::infinity());
    }
    if (may_move_.empty()) {
        return 0;
    }
    std::vector<std::size_t> position_of(slots_.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        position_of[slot_number(order[i])] = i;
    }
    std::size_t moves = 0;
    std::vector<std::uint32_t> left_out;  // slots of planned jobs that `order` does not have
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> positions;
    const auto add_listed = [&] {
        take_listed([&](std::uint32_t number) {
            if (position_of[number] < order.size()) {
                positions.push(position_of[number]);
            } else {
                left_out.push_back(number);
            }
        });
    };
    for (add_listed(); !positions.empty(); add_listed()) {
        const JobIndex job = order[positions.top()];
        positions.pop();
        slot(job).listed = false;
        moves += move_earlier(job, now) ? 1U : 0U;
    }
    may_move_.insert(may_move_.end(), left_out.begin(), left_out.end());
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
    std::vector<Alike>& others = alike(slot(job));
    others.erase(std::lower_bound(others.begin(), others.end(), Alike{slot(job).walltime, slot_of_[job]}));
    slot(job).opened = nothing_opened;
    free_slots_.push_back(slot_of_[job]);
    slot_of_[job] = no_slot;
}

}  // namespace batfill
