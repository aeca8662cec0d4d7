#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <utility>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/engine/wait_reason.hpp>
#include <batfill/planning/plan.hpp>

namespace batfill {

namespace {

std::size_t class_of(Amount amount) {
    return static_cast<std::size_t>(FreeSpans::power_of(amount));
}

// The smallest amount of the next class.
Amount next_class(Amount amount) {
    return Amount{1} << (FreeSpans::power_of(amount) + 1);
}

constexpr Time long_ago = Time::at(-Duration::infinity());

}  // namespace

constexpr Plan::StartInterval Plan::no_start = {Time::infinity(), long_ago};
constexpr Plan::StartInterval Plan::any_start = {long_ago, Time::infinity()};

void Plan::reset(Timeline timeline) {
    timeline_ = std::move(timeline);
    timeline_->index_hosts();
    places_.clear();
    needs_.clear();
    by_start_.clear();
    slots_.clear();
    free_slots_.clear();
    slot_of_.clear();
    may_move_.clear();
    columns_.assign(timeline_->counted().columns(), {});
}

void Plan::reset(const SchedulerState& state, const std::string& plan_pools) {
    const Machine& machine = state.machine;
    Timeline timeline(
        machine, state.now,
        machine.is_plain() ? std::vector<bool>() : Availability::planned(machine.resources(), plan_pools));
    timeline.reset(state);
    reset(std::move(timeline));
}

// What was proved without a look at a pool is true with it.
void Plan::add_scarce_pools(const SchedulerState& state) {
    for (const std::size_t added : timeline_->add_scarce_pools(state)) {
        columns_.insert(columns_.begin() + static_cast<std::ptrdiff_t>(added), Column());
        for (std::uint32_t number = 0; number < slots_.size(); ++number) {
            const Slot& slot = slots_[number];
            if (slot_of_[slot.job] != number) {
                continue;  // nobody has it
            }
            if (!slot.cancelled && !slot.start.is_infinite()) {
                timeline_->take_of(added, *slot.request, slot.start, slot.end());
            }
            timeline_->counted().each_column([&](std::size_t column, const auto&, const auto& taken) {
                if (column == added) {
                    add_to_class(columns_[column], taken(slot.processors, slot.request), {slot.walltime, number});
                }
            });
        }
    }
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

void Plan::give_back(const Request& request, int processors, const Place& place, Time from, Time end) {
    timeline_->give(request, processors, place, from, end);
    allow_starts(request, processors, place, from, end);
}

void Plan::give_back(const SchedulerState& state, const Completion& completion) {
    give_back(state.job(completion.job).request, completion.processors, completion.place(), state.now,
              completion.expected_end);
}

template <class Use>
void Plan::each_column(Use use) {
    timeline_->counted().each_column([&](std::size_t number, const auto& profile, const auto& taken) {
        use(columns_[number], profile, [&](const Slot& slot) { return taken(slot.processors, slot.request); });
    });
}

// Of a column, a start becomes possible only if too little was free at some instant of [from, to) and enough is free
// now. Then it lies in the free interval around that instant. A job planned within this interval may begin earlier in
// it. A job planned behind it has to fit into it.
void Plan::allow_starts(const Request& given, int processors, const Place& place, Time from, Time to) {
    allow_starts_in_columns(given, processors, from, to);
    if (!timeline_->is_all_counted()) {
        allow_starts_on_hosts(given, std::array{GivenOnHosts{place.hosts, from}}, to);
    }
}

void Plan::allow_starts_in_columns(const Request& given, int processors, Time from, Time to) {
    from = std::max(from, origin());
    if (!by_start_.empty() && from < to && slot(by_start_.back()).start > from) {
        timeline_->counted().each_column([&](std::size_t number, const auto& profile, const auto& taken) {
            const auto amount = taken(processors, &given);
            if (amount <= 0) {
                return;
            }
            Column& column = columns_[number];
            profile.free_spans(from, to, amount, column.widest(), column.free_spans);
            if (column.free_spans.least() > column.free_spans.most()) {
                return;
            }
            if (passing_by_start_) {
                collect_starts(column, to);
            } else {
                allow_starts_in_spans(column, taken, from, to);
            }
        });
    }
}

// In a pass by planned start: notes the starts in free_spans before `to` for jobs that the pass has yet to look at.
void Plan::collect_starts(Column& column, Time to) {
    const FreeSpans& spans = column.free_spans;
    for (Amount amount = spans.least(); amount <= spans.most() && class_of(amount) < column.classes.size();
         amount = next_class(amount)) {
        Column::Class& same = column.classes[class_of(amount)];
        if (same.by_walltime.empty()) {
            continue;
        }
        column.has_intervals = true;
        const FreeSpans::Span& span = spans.find(amount);
        same.for_walltimes.add(span.length(), {span.begin, to});
        same.for_starts.add(span.end.since_zero(), {span.begin, to});
    }
}

// Elsewhere: opens the starts in free_spans for each job that they may help. Jobs planned up to the farthest end of a
// span are found by planned start, those behind it by walltime.
template <class Taken>
void Plan::allow_starts_in_spans(const Column& column, Taken taken, Time from, Time to) {
    const FreeSpans& spans = column.free_spans;
    const Amount least = spans.least();
    const Amount most = spans.most();
    const auto amount_of = [&](const Slot& other) { return taken(other.processors, other.request); };
    const auto helps = [&](Amount amount) { return least <= amount && amount <= most; };
    const auto allow_in = [&](std::uint32_t number, const FreeSpans::Span& span) {
        allow(number, {std::max(span.begin, from - slots_[number].walltime), to});
    };
    const Time farthest = spans.find(least).end;
    auto near = std::ranges::partition_point(by_start_, [&](JobIndex job) { return slot(job).start <= from; });
    for (; near != by_start_.end() && slot(*near).start <= farthest; ++near) {
        const Slot& other = slot(*near);
        if (const Amount amount = amount_of(other); helps(amount)) {
            const FreeSpans::Span& span = spans.find(amount);
            if (other.start <= span.end || other.walltime <= span.length()) {
                allow_in(slot_of_[*near], span);
            }
        }
    }
    if (near == by_start_.end()) {
        return;
    }
    for (Amount amount = least; amount <= most && class_of(amount) < column.classes.size();
         amount = next_class(amount)) {
        const FreeSpans::Span& span = spans.find(amount);
        const std::vector<ByWalltime>& same = column.classes[class_of(amount)].by_walltime;
        const auto too_long = std::upper_bound(same.begin(), same.end(), ByWalltime{span.length(), no_slot});
        for (auto other = same.begin(); other != too_long; ++other) {
            const Slot& short_enough = slots_[other->slot];
            if (short_enough.start > farthest && !short_enough.cancelled && helps(amount_of(short_enough))) {
                allow_in(other->slot, span);
            }
        }
    }
}

// In a pass by planned start: notes what is given back, for the jobs that the pass has yet to look at. Elsewhere: opens
// the starts for each job that they may help.
void Plan::allow_starts_on_hosts(const Request& request, std::span<const GivenOnHosts> given, Time to) {
    const Time from = std::max(given.front().from, origin());
    if (by_start_.empty() || from >= to) {
        return;
    }
    if (!passing_by_start_) {
        forget_given(true);
    }
    given_.push_back({from, to, given_hosts_.hosts().size()});
    for (const GivenOnHosts& part : given) {
        if (part.from < to) {
            timeline_->add_to(given_hosts_, {request, part.hosts, part.from, to});
        }
    }
    if (!passing_by_start_) {
        for (const JobIndex job : by_start_) {
            allow_starts_of(slot_of_[job], 0);
        }
    }
}

void Plan::forget_given(bool is_new) {
    given_.clear();
    given_hosts_.begin(is_new);
}

// A start may have become possible for a job that would run then before it does now: for a booked one, by anything that
// was given back, and for another on one of these hosts.
void Plan::allow_starts_of(std::uint32_t number, std::size_t first) {
    const Slot& slot = slots_[number];
    if (first == given_.size()) {
        return;
    }
    if (slot.booked) {
        for (const Given& given : std::span(given_).subspan(first)) {
            const StartInterval opened{std::max(given.from - slot.walltime, origin()),
                                       std::min(given.until, slot.start)};
            if (opened.some()) {
                allow(number, opened);
            }
        }
    } else if (!given_hosts_.hosts().empty()) {
        const auto [begin, end] = timeline_->opened_starts(
            given_hosts_, given_[first].first_host, {*slot.request, places_[number].hosts, slot.start, slot.end()},
            needs_[number], slot.walltime, {slot.possible.from, slot.possible.until});
        if (begin < end) {
            allow(number, {begin, end});
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
    const Place& place = places_[slot_of_[slot.job]];
    change > 0 ? timeline_->give(*slot.request, place, slot.start, slot.end())
               : timeline_->take(*slot.request, place, slot.start, slot.end());
}

Time Plan::earliest(const Entry& entry, Time from) const {
    return timeline_->earliest(*entry.request, entry.walltime, from);
}

void Plan::take_place(const Slot& slot) {
    if (!timeline_->is_all_counted()) {
        places_[slot_of_[slot.job]] =
            slot.start.is_infinite() ? Place() : timeline_->choose(*slot.request, slot.walltime, slot.start);
    }
    change_place(slot, -1);
}

void Plan::insert(Slot& slot, Time from) {
    slot.start = timeline_->earliest(*slot.request, slot.walltime, from);
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
            .processors = entry.request->processors,
            .cancelled = true,
            .listed = slot.listed,
            .booked = entry.request->is_booked(),
            .walltime = entry.walltime,
            .submit = entry.submit,
            .request = entry.request};
    places_.resize(slots_.size());
    if (timeline_->has_named_hosts()) {
        needs_.resize(slots_.size());
        needs_[number] = timeline_->need_of_host(*entry.request, entry.walltime);
    }
    insert(slot, from);
    each_column([&](Column& column, const auto&, const auto& taken) {
        add_to_class(column, taken(slot), {slot.walltime, number});
    });
    return slot.start;
}

void Plan::add_to_class(Column& column, Amount amount, const ByWalltime& added) {
    if (amount > 0) {
        if (class_of(amount) >= column.classes.size()) {
            column.classes.resize(class_of(amount) + 1);
        }
        std::vector<ByWalltime>& same = column.classes[class_of(amount)].by_walltime;
        same.insert(std::lower_bound(same.begin(), same.end(), added), added);
    }
}

void Plan::cancel(std::span<const JobIndex> jobs) {
    for (const JobIndex job : jobs) {
        Slot& slot = planned(job);
        slot.cancelled = true;
        slot.possible = no_start;
        change_place(slot, 1);
    }
    std::erase_if(by_start_, [this](JobIndex job) { return slot(job).cancelled; });
}

void Plan::place_again(JobIndex job) {
    insert(cancelled(job), origin());
}

void Plan::look_again_at(JobIndex job) {
    allow(slot_number(job), any_start);
}

void Plan::look_again_at_all() {
    std::ranges::for_each(by_start_, [this](JobIndex job) { look_again_at(job); });
}

std::vector<Plan::PlannedJob> Plan::places() const {
    std::vector<PlannedJob> places;
    places.reserve(by_start_.size());
    for (const JobIndex job : by_start_) {
        places.push_back({job, planned_start(job), place_held(job)});
    }
    return places;
}

void Plan::restore(const std::vector<PlannedJob>& places) {
    cancel(std::vector<JobIndex>(by_start_));
    for (const auto& [job, start, place] : places) {
        Slot& slot = cancelled(job);
        slot.start = start;
        places_[slot_of_[job]] = place;
        allow(slot_of_[job], any_start);
        slot.cancelled = false;
        change_place(slot, -1);
        by_start_.push_back(job);
    }
}

void Plan::make_room() {
    const std::vector<PlannedJob> before = places();
    cancel(std::vector<JobIndex>(by_start_));
    std::vector<JobIndex> others;
    for (const auto& [job, start, place] : before) {
        Slot& slot = cancelled(job);
        if (start.is_infinite() || !timeline_->fits_on(*slot.request, place, slot.walltime, start)) {
            others.push_back(job);
            continue;
        }
        slot.cancelled = false;
        change_place(slot, -1);
        by_start_.push_back(job);
    }
    std::ranges::for_each(others, [this](JobIndex job) { place_again(job); });
    look_again_at_all();
}

bool Plan::move_earlier(JobIndex job, Time than) {
    return move_earlier(planned(job), than);
}

bool Plan::move_earlier(Slot& slot, Time than, std::optional<std::size_t> position) {
    than = std::min(than, slot.start);
    const Time first = std::max(origin(), slot.possible.from);
    const Time last = std::min(than, slot.possible.until);
    const Time old_start = slot.start;
    Place& place = places_[slot_of_[slot.job]];
    const Timeline::Planned planned{*slot.request, place, old_start, slot.walltime};
    const Time start = first >= last ? Time::infinity() : timeline_->earliest_without(planned, first, last);
    if (start.is_infinite()) {
        // Starts that are not before the planned one mean nothing.
        slot.possible.from = std::max(slot.possible.from, than);
        if (slot.possible.from >= std::min(slot.possible.until, slot.start)) {
            slot.possible = no_start;
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

    const Place old_place = timeline_->is_all_counted() ? Place() : place;
    const Time freed = timeline_->move_earlier(planned, start);
    if (!old_start.is_infinite()) {
        const Time old_end = old_start + slot.walltime;
        allow_starts_in_columns(*slot.request, slot.processors, freed, old_end);
        if (!timeline_->is_all_counted()) {
            ResourceSet left = old_place.hosts;
            left.remove(place.hosts);
            const ResourceSet kept = old_place.hosts.intersection(place.hosts);
            allow_starts_on_hosts(*slot.request, std::array{GivenOnHosts{left, old_start}, GivenOnHosts{kept, freed}},
                                  old_end);
        }
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
    if (!timeline_->is_all_counted()) {
        forget_given(false);
    }
    std::vector<std::pair<std::uint32_t, std::size_t>> seen;  // slots, and how many of given_ they know
    for (std::size_t i = 0; i < by_start_.size(); ++i) {
        const std::uint32_t number = slot_of_[by_start_[i]];
        Slot& slot = slots_[number];
        each_column([&](const Column& column, const auto&, const auto& taken) {
            if (const Amount amount = column.has_intervals ? taken(slot) : 0; amount > 0) {
                const Column::Class& same = column.classes[class_of(amount)];
                same.for_walltimes.include_in(slot.possible, slot.walltime);
                same.for_starts.include_in(slot.possible, slot.start.since_zero());
            }
        });
        if (!timeline_->is_all_counted()) {
            slot.listed = true;  // not in may_move_: its turn is now
            allow_starts_of(number, 0);
            slot.listed = false;
            seen.emplace_back(number, given_.size());
        }
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
    // Who is helped by a move of a job behind it waits for the next pass.
    for (const auto& [number, first] : seen) {
        allow_starts_of(number, first);
    }
    for (Column& column : columns_) {
        for (Column::Class& same : column.classes) {
            same.for_walltimes.clear();
            same.for_starts.clear();
        }
        column.has_intervals = false;
    }
    return moves;
}

bool Plan::look_from_now_on() {
    bool frees_more = false;
    each_column([&](Column& column, const auto& profile, const auto&) {
        std::swap(column.free_now, column.free_before);
        profile.free_from_now(column.free_now);
        frees_more |= column.free_now.exceeds(column.free_before);
    });
    return frees_more;
}

// After its planned start, the job has its own.
bool Plan::fits_from_now_on(const Slot& slot) {
    const Time until = std::min(origin() + slot.walltime, slot.start);
    bool fits = true;
    each_column([&](const Column& column, const auto&, const auto& taken) {
        const Amount amount = taken(slot);
        fits &= amount <= 0 || (amount <= column.free_now.most() && until <= column.free_now.until(amount));
    });
    return fits;
}

std::size_t Plan::move_to_now_in_order(const std::vector<JobIndex>& order,
                                       const std::function<bool(JobIndex)>& may_start) {
    const Time now = origin();
    const bool is_all_counted = timeline_->is_all_counted();
    std::size_t moves = 0;
    if (is_all_counted) {
        look_from_now_on();
    }
    for (std::size_t i = 0; i < order.size();) {
        if (is_all_counted && columns_.front().free_now.most() <= 0) {
            break;  // no processor is free
        }
        const Slot& candidate = planned(order[i]);
        const bool may_move = !is_all_counted || (candidate.start > now && fits_from_now_on(candidate));
        if (!may_move || !may_start(order[i]) || !move_earlier(order[i], now + Duration::microseconds(1))) {
            ++i;
            continue;
        }
        ++moves;
        i = !is_all_counted || look_from_now_on() ? 0 : i + 1;
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

Place Plan::start(JobIndex job) {
    Place place = std::move(places_[slot_number(job)]);
    forget(job);
    return place;
}

void Plan::remove(JobIndex job) {
    const Slot removed = planned(job);
    const Place place = place_held(job);
    change_place(removed, 1);
    forget(job);
    if (!removed.start.is_infinite()) {
        allow_starts(*removed.request, removed.processors, place, removed.start, removed.end());
    }
}

void Plan::forget(JobIndex job) {
    by_start_.erase(position_of(job));
    each_column([&](Column& column, const auto&, const auto& taken) {
        if (const Amount amount = taken(slot(job)); amount > 0) {
            std::vector<ByWalltime>& same = column.classes[class_of(amount)].by_walltime;
            same.erase(std::lower_bound(same.begin(), same.end(), ByWalltime{slot(job).walltime, slot_of_[job]}));
        }
    });
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
