// The part of a plan that knows the state, and machines with pools or named hosts.
#include <algorithm>
#include <utility>

#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>
#include <batfill/planning/plan.hpp>

namespace batfill {

void Plan::reset(Timeline timeline) {
    reset(timeline.origin(), 0);
    places_.clear();
    timeline_ = std::move(timeline);
}

void Plan::reset(const SchedulerState& state, const std::string& plan_pools) {
    if (!state.machine.is_plain()) {
        Timeline timeline(state.machine, state.now, Availability::planned(state.machine.resources(), plan_pools));
        timeline.reset(state);
        reset(std::move(timeline));
        return;
    }
    int processors = state.idle.count();
    for (const RunningJob& running : state.running) {
        processors += running.processors;
    }
    reset(state.now, processors);
    for (const RunningJob& running : state.running) {
        hold(state.now, running.end, running.processors);
    }
}

void Plan::give_back(const SchedulerState& state, const Completion& completion) {
    if (!timeline_) {
        give_back(state.now, completion.expected_end, completion.processors);
        return;
    }
    timeline_->ended(state, completion);
    allow_starts_beside(state.job(completion.job).request, completion.place(), state.now, completion.expected_end);
}

// Somebody has given back what it took of these hosts during [from, to). A start may have become possible for each job
// that would run then before it does now. It runs on one of these hosts, unless it lacked a pool.
void Plan::allow_starts_beside(const Request& given, const Place& place, Time from, Time to) {
    from = std::max(from, origin());
    if (from >= to) {
        return;
    }
    const bool needs_host = timeline_->has_named_hosts() && !timeline_->takes_of_pools(given) && !place.window;
    for (const JobIndex job : by_start_) {
        const std::uint32_t number = slot_of_[job];
        const Slot& slot = slots_[number];
        StartInterval opened{std::max(from - slot.walltime, origin()), std::min(to, slot.start)};
        if (opened.some() && needs_host && !slot.request->is_booked()) {
            const auto [begin, end] = timeline_->opened_starts(
                {given, place.hosts, from, to}, {*slot.request, places_[number].hosts, slot.start, slot.end()},
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
    const Time start = timeline_->earliest(*slot.request, slot.walltime, first, last);
    if (start.is_infinite()) {
        change_place(slot, -slot.processors);
    }
    return start;
}

void Plan::take_place(const Slot& slot) {
    if (timeline_) {
        places_[slot_of_[slot.job]] =
            slot.start.is_infinite() ? Place() : timeline_->choose(*slot.request, slot.walltime, slot.start);
    }
    change_place(slot, -slot.processors);
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
        change_place(slot, -slot.processors);
        by_start_.push_back(job);
    }
    std::ranges::for_each(others, [this](JobIndex job) { place_again(job); });
    std::ranges::for_each(by_start_, [this](JobIndex job) { look_again_at(job); });
}

}  // namespace batfill
