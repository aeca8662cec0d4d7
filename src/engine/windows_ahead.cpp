#include <algorithm>
#include <utility>

#include <batfill/engine/state.hpp>

// Whether a start would run into a window that is announced and still to come.
namespace batfill {

// Those that are announced, and begin before the job would end if it started now; by begin, then line.
std::vector<std::size_t> SchedulerState::windows_ahead(JobIndex job) const {
    std::vector<std::size_t> ahead = windows.beginning(now, now + jobs[job].walltime - Duration::microseconds(1));
    std::erase_if(ahead, [this](std::size_t window) { return machine.windows()[window].announced > now; });
    return ahead;
}

// What is left at this instant of processors that are only counted, or of a pool, for a job that runs in this window or
// outside: beside what runs by the estimates, and what announced windows take then. Where a window takes something that
// it names, jobs inside have their own of it.
Amount SchedulerState::left_at(Time instant, std::optional<std::size_t> pool, std::optional<std::size_t> inside) const {
    const std::vector<Window>& all = machine.windows();
    const auto takes_then = [&](std::optional<std::size_t> one) {
        return one && all[*one].amount_of(pool) > 0 && all[*one].until > instant;
    };
    inside = takes_then(inside) ? inside : std::nullopt;
    Amount left = pool ? machine.resources().pools()[*pool].total : processors - unavailable.size();
    for (const RunningJob& other : running) {
        const std::optional<std::size_t> place = windows.window_of(other.job);
        if (other.end > instant && (!takes_then(place) || place == inside)) {
            left -= pool ? jobs[other.job].request.of_pool(*pool) : other.processors;  // without lost ones
        }
    }
    for (std::size_t other = 0; other < all.size(); ++other) {
        if (all[other].announced <= now && all[other].from <= instant && instant < all[other].until &&
            inside != other) {
            left -= all[other].amount_of(pool);
        }
    }
    return left;
}

std::optional<Shortage> SchedulerState::shortage_ahead(JobIndex job, std::size_t ahead, PoolsAhead which,
                                                       std::optional<std::size_t> inside) const {
    const Request& request = jobs[job].request;
    const Window& window = machine.windows()[ahead];
    const std::size_t pools = which == PoolsAhead::looked_at ? pools_left.size() : 0;
    for (std::size_t column = 0; column <= pools; ++column) {
        const auto pool = column == 0 ? std::nullopt : std::optional(column - 1);
        const Amount needed = pool ? request.of_pool(*pool) : request.processors;
        const bool is_taken = needed > 0 && window.amount_of(pool) > 0;
        if (const Amount left = is_taken ? left_at(window.from, pool, inside) : needed; left < needed) {
            return Shortage{pool ? Shortage::Of::pool : Shortage::Of::processors,
                            pool ? machine.resources().pools()[*pool].name : "", needed, std::max(left, Amount{0}),
                            window.from};
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> SchedulerState::first_window_ahead(JobIndex job, const Place& place,
                                                              PoolsAhead pools) const {
    const std::vector<std::size_t> ahead = windows_ahead(job);
    const auto first = std::ranges::find_if(ahead, [&](std::size_t one) {
        return place.window != one && (place.hosts.count_common(machine.windows()[one].hosts) > 0 ||
                                       shortage_ahead(job, one, pools, place.window));
    });
    return first == ahead.end() ? std::nullopt : std::optional(*first);
}

// In this window of its booking, or outside.
std::optional<Place> SchedulerState::place_in(std::optional<std::size_t> window, JobIndex job, PoolsAhead ahead) const {
    const Request& request = jobs[job].request;
    Place place{{}, window};
    if (!can_start_in(request, place) || window_ahead(job, place, ahead)) {
        return std::nullopt;
    }
    if (!hosts.are_named()) {
        return place;
    }
    ResourceSet closing;
    for (const std::size_t other : windows_ahead(job)) {
        if (window != other) {
            closing.insert(machine.windows()[other].hosts);
        }
    }
    place.hosts =
        window ? hosts_inside(request, *window, closing) : hosts.choose(request, closing).value_or(ResourceSet());
    return place.hosts.size() == request.processors ? std::optional(std::move(place)) : std::nullopt;
}

std::optional<Place> SchedulerState::place_now(JobIndex job, PoolsAhead ahead) const {
    const Request& request = jobs[job].request;
    if (!request.is_booked()) {
        return place_in(std::nullopt, job, ahead);
    }
    for (const std::size_t window : request.windows()) {
        if (std::optional<Place> place = is_during(request, window) ? place_in(window, job, ahead) : std::nullopt) {
            return place;
        }
    }
    return std::nullopt;
}

}  // namespace batfill
