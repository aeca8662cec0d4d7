#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/planning/planned_timeline.hpp>

#include "src/core/properties.hpp"
#include "src/support/text.hpp"

namespace batfill {

std::vector<bool> PlannedTimeline::planned(const Resources& resources, const std::string& plan_pools) {
    const std::vector<Resources::Pool>& pools = resources.pools();
    std::vector<bool> flags(pools.size(), plan_pools == "all");
    if (plan_pools == "all" || plan_pools == "none") {
        return flags;
    }
    for (const std::string_view name : split(plan_pools, ',')) {
        const auto pool = std::ranges::find(pools, name, &Resources::Pool::name);
        refuse_if(pool == pools.end(), "parameter plan-pools: the machine has no pool ", clear_name(name),
                  ", expected all, none or names of its pools");
        flags[static_cast<std::size_t>(pool - pools.begin())] = true;
    }
    return flags;
}

Parameter PlannedTimeline::plan_pools() {
    return Parameter::text("plan-pools", "all",
                           "pools that are planned: all, none, or names with commas; a start waits for the others");
}

void PlannedTimeline::begin(const Round& round) {
    const Machine& machine = round.state().machine;
    if (!machine.is_plain()) {
        timeline_.emplace(machine, round.now(), planned(machine.resources(), planned_));
    }
}

void PlannedTimeline::begin_round(const SchedulerState& state) {
    if (timeline_) {
        timeline_->begin_round(state);
    }
}

void PlannedTimeline::started(const SchedulerState& state, JobIndex job) {
    if (timeline_) {
        timeline_->started(state, job);
    }
}

void PlannedTimeline::completed(const SchedulerState& state, std::span<const Completion> completions) {
    if (timeline_) {
        for (const Completion& completion : completions) {
            timeline_->ended(state, completion);
        }
    }
}

void PlannedTimeline::machine_changed(const SchedulerState& state) {
    if (timeline_) {
        timeline_->reset(state);
    }
}

bool PlannedTimeline::start_if_it_fits(Round& round, JobIndex job) const {
    if (!timeline_ || round.state().machine.windows().empty()) {
        return round.start_if_possible(job);
    }
    const std::optional<Place> place = place_now(round.state(), job);
    if (place) {
        round.start(job, *place);
    }
    return place.has_value();
}

bool PlannedTimeline::could_start(const SchedulerState& state, JobIndex job) const {
    return timeline_ && !state.machine.windows().empty() ? place_now(state, job).has_value() : state.can_start_now(job);
}

std::optional<Place> PlannedTimeline::place_now(const SchedulerState& state, JobIndex job) const {
    const Request& request = state.job(job).request;
    const Duration length = state.estimate(job);
    if (!timeline_->fits(request, length, state.now)) {
        return std::nullopt;
    }
    Place place = timeline_->choose(request, length, state.now);
    return state.can_start_in(request, place) ? std::optional(std::move(place)) : std::nullopt;
}

bool PlannedTimeline::lacks_only_unplanned(const SchedulerState& state, JobIndex job) const {
    const Request& request = state.job(job).request;
    const Duration length = state.estimate(job);
    return !request.pools().empty() && timeline_->fits(request, length, state.now) &&
           !state.has_of_pools(request, timeline_->choose(request, length, state.now).window);
}

}  // namespace batfill
