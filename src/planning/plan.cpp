#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <queue>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/wait_reason.hpp>
#include <batfill/planning/plan.hpp>

namespace batfill {

namespace {

// Jobs of similar width: each class ranges from a power of two up to the next.
std::size_t width_class(int processors) {
    return static_cast<std::size_t>(AvailabilityProfile::FreeSpans::power_of(processors));
}

// The smallest width of the next class.
int next_class(int processors) {
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(processors))) * 2;
}

constexpr Time long_ago = Time::at(-Duration::infinity());

}  // namespace

constexpr Plan::StartInterval Plan::no_start = {Time::infinity(), long_ago};
constexpr Plan::StartInterval Plan::any_start = {long_ago, Time::infinity()};

void Plan::reset(Time now, int processors) {
    profile_ = AvailabilityProfile(now, processors);
    by_start_.clear();
    slots_.clear();
    free_slots_.clear();
    slot_of_.clear();
    may_move_.clear();
    by_walltime_ = {};
}

void Plan::refuse_form() const {
    throw std::logic_error(timeline_
                               ? "a plan of a machine with pools, named hosts or windows has no profile of processors"
                               : "a plan of a machine that only counts processors has no timeline");
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
    assert(now >= origin());
    if (timeline_) {
        timeline_->advance(now);
    } else {
        profile_.advance(now);
    }
}

void Plan::hold(Time from, Time end, int processors) {
    require_timeline(false);
    profile_.add(from, end, -processors);
}

void Plan::give_back(Time from, Time end, int processors) {
    require_timeline(false);
    profile_.add(from, end, processors);
    allow_starts(from, end, processors);
}

// A start becomes possible only if too few processors were free at some instant of [from, to) and enough are free now.
// Then it lies in the free interval around that instant. A job planned within this interval may begin earlier in it. A
// job planned behind it has to fit into it.
void Plan::allow_starts(Time from, Time to, int processors) {
    from = std::max(from, profile_.origin());
    if (by_start_.empty() || from >= to || slot(by_start_.back()).start <= from) {
        return;
    }
    profile_.free_spans(from, to, processors, free_spans_);
    if (free_spans_.least() > free_spans_.most()) {
        return;
    }
    if (passing_by_start_) {
        collect_starts(to);
    } else {
        allow_starts_in_spans(from, to);
    }
}

// In a pass by planned start: notes the starts in free_spans_ before `to` for jobs that the pass has yet to look at.
void Plan::collect_starts(Time to) {
    const int most = free_spans_.most();
    for (int width = free_spans_.least(); width <= most; width = next_class(width)) {
        const AvailabilityProfile::FreeSpans::Span& span = free_spans_.find(width);
        StartIntervalsOfWidth& intervals = intervals_[width_class(width)];
        intervals.by_walltime.add(span.length(), {span.begin, to});
        intervals.by_start.add(span.end.since_zero(), {span.begin, to});
    }
}

// Elsewhere: opens the starts in free_spans_ for each job that they may help. Jobs planned up to the farthest end of a
// span are found by planned start, those behind it by walltime.
void Plan::allow_starts_in_spans(Time from, Time to) {
    const int least = free_spans_.least();
    const int most = free_spans_.most();
    const auto helps = [&](const Slot& other) { return least <= other.processors && other.processors <= most; };
    const auto allow_in = [&](std::uint32_t number, const AvailabilityProfile::FreeSpans::Span& span) {
        allow(number, {std::max(span.begin, from - slots_[number].walltime), to});
    };
    const Time farthest = free_spans_.find(least).end;
    auto near = std::ranges::partition_point(by_start_, [&](JobIndex job) { return slot(job).start <= from; });
    for (; near != by_start_.end() && slot(*near).start <= farthest; ++near) {
        if (const Slot& other = slot(*near); helps(other)) {
            const AvailabilityProfile::FreeSpans::Span& span = free_spans_.find(other.processors);
            if (other.start <= span.end || other.walltime <= span.length()) {
                allow_in(slot_of_[*near], span);
            }
        }
    }
    if (near == by_start_.end()) {
        return;
    }
    for (int width = least; width <= most; width = next_class(width)) {
        const AvailabilityProfile::FreeSpans::Span& span = free_spans_.find(width);
        const std::vector<ByWalltime>& same_width = by_walltime_[width_class(width)];
        const auto too_long =
            std::upper_bound(same_width.begin(), same_width.end(), ByWalltime{span.length(), no_slot});
        for (auto other = same_width.begin(); other != too_long; ++other) {
            const Slot& short_enough = slots_[other->slot];
            if (short_enough.start > farthest && !short_enough.cancelled && helps(short_enough)) {
                allow_in(other->slot, span);
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

void Plan::allow(std::uint32_t number, const StartInterval& possible) {
    slots_[number].possible.include(possible);
    list(number);
}

void Plan::StartIntervals::add(Duration most, const StartInterval& possible) {
    Step* const begin = steps_.data();
    Step* const end = begin + count_;
    Step* const position = std::find_if(begin, end, [&](const Step& step) { return step.most < most; });
    const auto covers = [](const StartInterval& a, const StartInterval& b) {
        return a.from <= b.from && b.until <= a.until;
    };
    Step added{most, possible};
    if (position != begin) {
        if (covers(std::prev(position)->possible, possible)) {
            return;
        }
        added.possible.include(std::prev(position)->possible);
    }
    Step* const beyond =
        std::find_if(position, end, [&](const Step& step) { return !covers(added.possible, step.possible); });
    std::for_each(beyond, end, [&](Step& step) { step.possible.include(possible); });
    // The steps between `position` and `beyond` add nothing to this one.
    if (beyond == position) {
        std::copy_backward(position, end, end + 1);
        ++count_;
    } else {
        count_ = static_cast<std::size_t>(std::copy(beyond, end, position + 1) - begin);
    }
    *position = added;
    if (count_ > most_steps) {
        --count_;
        steps_[count_ - 1].possible = steps_[count_].possible;
    }
}

std::vector<Plan::ByWalltime>& Plan::same_width(const Slot& slot) {
    return by_walltime_[width_class(slot.processors)];
}

Time Plan::next_start(Time after) const {
    const auto next = std::ranges::find_if(by_start_, [&](JobIndex job) { return slot(job).start > after; });
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

std::vector<JobIndex>::iterator Plan::position_of(JobIndex job) {
    return std::ranges::lower_bound(by_start_, job, [this](JobIndex a, JobIndex b) { return before(a, b); });
}

void Plan::change_place(const Slot& slot, int change) {
    if (slot.start.is_infinite()) {
        return;
    }
    if (timeline_) {
        const Place& place = places_[slot_of_[slot.job]];
        change > 0 ? timeline_->give(*slot.request, place, slot.start, slot.end())
                   : timeline_->take(*slot.request, place, slot.start, slot.end());
        return;
    }
    profile_.add(slot.start, slot.end(), change);
}

Time Plan::earliest(const Entry& entry, Time from) const {
    return timeline_ ? timeline_->earliest(*entry.request, entry.walltime, from)
                     : profile_.earliest(from, entry.walltime, entry.processors);
}

void Plan::insert(Slot& slot, Time from) {
    slot.start = earliest({slot.job, slot.processors, slot.walltime, slot.submit, slot.request}, from);
    slot.possible = no_start;
    if (from > origin()) {
        allow(slot_of_[slot.job], any_start);
    }
    slot.cancelled = false;
    take_place(slot);
    by_start_.insert(position_of(slot.job), slot.job);
}

Time Plan::place(const Entry& entry, Time from) {
    if (entry.job >= slot_of_.size()) {
        slot_of_.resize(std::max<std::size_t>(std::size_t{entry.job} + 1, slot_of_.size() * 2), no_slot);
    }
    if (slot_of_[entry.job] != no_slot) {
        throw BrokenRule(entry.job, "it is placed in the plan, where it has a place already");
    }
    if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
    }
    slot_of_[entry.job] = free_slots_.back();
    free_slots_.pop_back();
    const std::uint32_t number = slot_of_[entry.job];
    Slot& slot = slots_[number];
    // may_move_ may still list the slot, from its previous job.
    slot = {.start = {},
            .possible = no_start,
            .job = entry.job,
            .processors = entry.processors,
            .cancelled = true,
            .listed = slot.listed,
            .walltime = entry.walltime,
            .submit = entry.submit,
            .request = entry.request};
    if (timeline_) {
        places_.resize(slots_.size());
    }
    insert(slot, from);
    const ByWalltime by_walltime{slot.walltime, number};
    same_width(slot).insert(std::lower_bound(same_width(slot).begin(), same_width(slot).end(), by_walltime),
                            by_walltime);
    return slot.start;
}

void Plan::cancel(std::span<const JobIndex> jobs) {
    for (const JobIndex job : jobs) {
        Slot& slot = planned(job);
        slot.cancelled = true;
        slot.possible = no_start;
        change_place(slot, slot.processors);
    }
    std::erase_if(by_start_, [this](JobIndex job) { return slot(job).cancelled; });
}

void Plan::place_again(JobIndex job) {
    insert(cancelled(job), origin());
}

void Plan::look_again_at(JobIndex job) {
    allow(slot_number(job), any_start);
}

std::vector<Plan::PlannedJob> Plan::places() const {
    std::vector<PlannedJob> places;
    places.reserve(by_start_.size());
    for (const JobIndex job : by_start_) {
        places.push_back({job, planned_start(job), timeline_ ? place_held(job) : Place()});
    }
    return places;
}

void Plan::restore(const std::vector<PlannedJob>& places) {
    cancel(std::vector<JobIndex>(by_start_));
    for (const auto& [job, start, place] : places) {
        Slot& slot = cancelled(job);
        slot.start = start;
        if (timeline_) {
            places_[slot_of_[job]] = place;
        }
        allow(slot_of_[job], any_start);
        slot.cancelled = false;
        change_place(slot, -slot.processors);
        by_start_.push_back(job);
    }
}

bool Plan::move_earlier(JobIndex job, Time than) {
    return move_earlier(planned(job), than);
}

bool Plan::move_earlier(Slot& slot, Time than, std::optional<std::size_t> position) {
    than = std::min(than, slot.start);
    const Time first = std::max(origin(), slot.possible.from);
    const Time last = std::min(than, slot.possible.until);
    const Time old_start = slot.start;
    const Time start = first >= last ? Time::infinity()
                       : timeline_   ? start_on_timeline(slot, first, last)
                                     : profile_.earliest(first, slot.walltime, slot.processors, old_start, last);
    if (start.is_infinite()) {
        if (slot.possible.until <= than) {
            slot.possible = no_start;
        } else {
            slot.possible.from = std::max(slot.possible.from, than);
        }
        return false;
    }
    slot.possible = no_start;
    const auto old_position =
        position ? by_start_.begin() + static_cast<std::ptrdiff_t>(*position) : position_of(slot.job);
    slot.start = start;
    const auto to = std::lower_bound(by_start_.begin(), old_position, slot.job,
                                     [this](JobIndex a, JobIndex b) { return before(a, b); });
    std::rotate(to, old_position, old_position + 1);

    if (timeline_) {
        const Place old_place = places_[slot_of_[slot.job]];
        take_place(slot);
        if (!old_start.is_infinite()) {
            allow_starts_beside(*slot.request, old_place, old_start, old_start + slot.walltime);
        }
        return true;
    }
    // Nothing changes where the old and the new place overlap.
    profile_.add(start, std::min(slot.end(), old_start), -slot.processors);
    if (!old_start.is_infinite()) {
        give_back(std::max(slot.end(), old_start), old_start + slot.walltime, slot.processors);
    }
    return true;
}

template <class Use>
void Plan::take_listed(Use use) {
    for (const std::uint32_t number : may_move_) {
        slots_[number].listed = slots_[number].possible.some();
        if (slots_[number].listed) {
            use(number);
        }
    }
    may_move_.clear();
}

std::size_t Plan::move_all_earlier(Time than) {
    std::size_t moves = 0;
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
        const StartIntervalsOfWidth& intervals = intervals_[width_class(slot.processors)];
        intervals.by_walltime.include_in(slot.possible, slot.walltime);
        intervals.by_start.include_in(slot.possible, slot.start.since_zero());
        if (!slot.possible.some()) {
            continue;
        }
        if (move_earlier(slot, than, i)) {
            ++moves;
        } else if (slot.possible.some()) {
            list(number);
        }
    }
    passing_by_start_ = false;
    for (StartIntervalsOfWidth& intervals : intervals_) {
        intervals.by_walltime.clear();
        intervals.by_start.clear();
    }
    return moves;
}

std::size_t Plan::move_to_now_in_order(const std::vector<JobIndex>& order,
                                       const std::function<bool(JobIndex)>& may_start) {
    const Time now = origin();
    const Time than = now + Duration::microseconds(1);
    std::size_t moves = 0;
    if (timeline_) {
        for (std::size_t i = 0; i < order.size();) {
            const bool moved = (!may_start || may_start(order[i])) && move_earlier(order[i], than);
            moves += moved ? 1U : 0U;
            i = moved ? 0 : i + 1;
        }
        return moves;
    }
    profile_.free_from_now(free_now_);
    for (std::size_t i = 0; i < order.size() && free_now_.most() > 0;) {
        const Slot& candidate = planned(order[i]);
        // After its planned start, the job has processors of its own.
        const bool can_move =
            candidate.processors <= free_now_.most() && candidate.start > now &&
            std::min(now + candidate.walltime, candidate.start) <= free_now_.until(candidate.processors);
        if (!can_move || !move_earlier(order[i], than)) {
            ++i;
            continue;
        }
        ++moves;
        std::swap(free_now_, free_before_);
        profile_.free_from_now(free_now_);
        i = free_now_.exceeds(free_before_) ? 0 : i + 1;
    }
    return moves;
}

std::size_t Plan::move_earlier_in_order(const std::vector<JobIndex>& order) {
    if (may_move_.empty()) {
        return 0;
    }
    std::vector<std::size_t> position_of(slots_.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        position_of[slot_number(order[i])] = i;
    }
    std::size_t moves = 0;
    std::vector<std::uint32_t> left_out;  // slots of planned jobs that are not in `order`
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
        moves += move_earlier(job) ? 1U : 0U;
    }
    may_move_.insert(may_move_.end(), left_out.begin(), left_out.end());
    return moves;
}

void Plan::start(JobIndex job) {
    slot_number(job);  // refuses one that is not planned
    forget(job);
}

void Plan::remove(JobIndex job) {
    const Slot removed = planned(job);
    if (timeline_) {
        const Place place = places_[slot_of_[job]];
        change_place(removed, removed.processors);
        forget(job);
        if (!removed.start.is_infinite()) {
            allow_starts_beside(*removed.request, place, removed.start, removed.end());
        }
        return;
    }
    forget(job);
    if (!removed.start.is_infinite()) {
        give_back(removed.start, removed.end(), removed.processors);
    }
}

void Plan::forget(JobIndex job) {
    by_start_.erase(position_of(job));
    std::vector<ByWalltime>& others = same_width(slot(job));
    others.erase(std::lower_bound(others.begin(), others.end(), ByWalltime{slot(job).walltime, slot_of_[job]}));
    slot(job).possible = no_start;
    free_slots_.push_back(slot_of_[job]);
    slot_of_[job] = no_slot;
}

std::string to_string(const Plan& plan, const SchedulerState& state) {
    std::vector<JobIndex> jobs = plan.by_start();
    std::ranges::sort(jobs);
    std::string text;
    for (const JobIndex job : jobs) {
        const Time start = plan.planned_start(job);
        text.append(text.empty() ? "" : "; ").append(state.job(job).description().id).append(" ");
        text += start.is_infinite() ? "none" : instant_text(start);
    }
    return text;
}

}  // namespace batfill
