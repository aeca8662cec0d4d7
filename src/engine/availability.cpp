#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <batfill/core/error.hpp>
#include <batfill/engine/algorithm.hpp>
#include <batfill/engine/availability.hpp>

#include "src/core/properties.hpp"
#include "src/support/text.hpp"

namespace batfill {

std::vector<bool> Availability::planned(const Resources& resources, const std::string& plan_pools) {
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

Parameter Availability::plan_pools() {
    return Parameter::text("plan-pools", "all",
                           "pools that are planned: all, none, or names with commas; a start waits for the others");
}

void Availability::ended(const SchedulerState& state, std::span<const Completion> completions) {
    for (const Completion& completion : completions) {
        timeline_.ended(state, completion);
    }
}

const FittingHosts* Availability::hosts_now(const SchedulerState& state, JobIndex job) {
    const Request& request = state.job(job).request;
    return state.hosts.are_named() && !request.is_booked() ? &fitting_.of(state.hosts, job, request) : nullptr;
}

bool Availability::has_hosts_now(const SchedulerState& state, JobIndex job) {
    const Request& request = state.job(job).request;
    if (request.is_booked()) {
        return true;
    }
    return request.processors <= (state.hosts.are_named() ? hosts_now(state, job)->count : state.idle.count());
}

std::optional<Place> Availability::place_now(const SchedulerState& state, JobIndex job) {
    const Request& request = state.job(job).request;
    const Duration length = state.estimate(job);
    if (const FittingHosts* const hosts = hosts_now(state, job)) {
        return timeline_.fits_now(request, length, *hosts)
                   ? std::optional(timeline_.choose_now(request, length, *hosts))
                   : std::nullopt;
    }
    return timeline_.fits(request, length, state.now) ? std::optional(timeline_.choose(request, length, state.now))
                                                      : std::nullopt;
}

bool Availability::could_start(const SchedulerState& state, JobIndex job) const {
    const Request& request = state.job(job).request;
    return state.can_start(request) && timeline_.fits(request, state.estimate(job), state.now);
}

std::optional<Place> Availability::place_beside_windows(const SchedulerState& state, JobIndex job) {
    std::optional<Place> place = place_now(state, job);
    return place && state.can_start_in(state.job(job).request, *place) ? std::move(place) : std::nullopt;
}

bool Availability::lacks_only_unplanned(const SchedulerState& state, JobIndex job) const {
    const Request& request = state.job(job).request;
    if (!request.details || (!request.is_booked() && state.has_of_pools(request))) {
        return false;
    }
    const Duration length = state.estimate(job);
    return timeline_.fits(request, length, state.now) &&
           !state.has_of_pools(request, timeline_.choose(request, length, state.now).window);
}

Reason::Never Availability::never(const SchedulerState& state, JobIndex job) {
    return state.machine.is_plain()             ? Reason::Never::too_few_processors
           : state.job(job).request.is_booked() ? Reason::Never::no_room_inside
                                                : Reason::Never::too_little;
}

}  // namespace batfill
