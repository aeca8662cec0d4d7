// The part of a plan that is about machines with pools or named hosts.
#include <algorithm>
#include <utility>

#include <batfill/planning/plan.hpp>

namespace batfill {

void Plan::reset(Timeline timeline) {
    reset(timeline.origin(), 0);
    held_.clear();
    timeline_ = std::move(timeline);
}

void Plan::give_back(const SchedulerState& state, const Completion& completion) {
    timeline_->ended(state, completion);
    allow_starts_beside(state.job(completion.job).request, completion.hosts, state.now, completion.expected_end);
}

// Somebody has given back what it took of these hosts during [from, to). A start may have become possible for each job
// that would run then before it does now. It runs on one of these hosts, unless it lacked a pool.
void Plan::allow_starts_beside(const batfill::Request& given, const ResourceSet& hosts, Time from, Time to) {
    from = std::max(from, origin());
    if (from >= to) {
        return;
    }
    const bool needs_host = timeline_->has_named_hosts() && !timeline_->takes_of_pools(given);
    for (const JobIndex job : by_start_) {
        const std::uint32_t number = slot_of_[job];
        const Slot& slot = slots_[number];
        const Held& held = held_[number];
        StartInterval opened{std::max(from - slot.walltime, origin()), std::min(to, slot.start)};
        if (opened.some() && needs_host) {
            const auto [begin, end] =
                timeline_->opened_starts({given, hosts, from, to}, {*held.demand, held.hosts, slot.start, slot.end()},
                                         slot.walltime, opened.from, opened.until);
            opened = {begin, end};
        }
        if (opened.some()) {
            allow(number, opened);
        }
    }
}

// The first start in [first, last) as if the job itself were not in the plan; infinite, and the job keeps its place, if
// there is none. Else its place is free afterwards.
Time Plan::start_on_timeline(const Slot& slot, Time first, Time last) {
    change_place(slot, slot.processors);
    const Time start = timeline_->earliest(*held_[slot_of_[slot.job]].demand, slot.walltime, first, last);
    if (start.is_infinite()) {
        change_place(slot, -slot.processors);
    }
    return start;
}

void Plan::take_place(const Slot& slot) {
    if (timeline_) {
        Held& held = held_[slot_of_[slot.job]];
        held.hosts =
            slot.start.is_infinite() ? ResourceSet() : timeline_->choose(*held.demand, slot.walltime, slot.start);
    }
    change_place(slot, -slot.processors);
}

}  // namespace batfill
