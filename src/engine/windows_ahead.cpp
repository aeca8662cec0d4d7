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

namespace {

// What runs at this instant by the estimates, and what announced windows take then, beside a job that runs in this
// window or outside. Where a window takes something that it `names`, jobs inside have their own of it.
Amount taken_at(const SchedulerState& state, Time instant, std::optional<std::size_t> window, const auto& names,
                const auto& of_running, const auto& of_window) {
    const std::vector<Window>& all = state.machine.windows();
    const auto takes_then = [&](std::optional<std::size_t> one) {
        return one && names(all[*one]) && all[*one].until > instant;
    };
    const std::size_t own = takes_then(window) ? *window : all.size();  // none: past the last
    Amount taken = 0;
    for (const RunningJob& other : state.running) {
        const std::optional<std::size_t> place = state.windows.window_of(other.job);
        if (other.end > instant && (!takes_then(place) || *place == own)) {
            taken += of_running(other);
        }
    }
    for (std::size_t other = 0; other < all.size(); ++other) {
        if (all[other].announced <= state.now && all[other].from <= instant && instant < all[other].until &&
            own != other) {
            taken += of_window(all[other]);
        }
    }
    return taken;
}

}  // namespace

// Whether at this instant, when a window begins, too few processors are left if the job runs then, too. Hosts are only
// counted.
bool SchedulerState::is_overfull(Time instant, JobIndex job, std::optional<std::size_t> window) const {
    // What is lost and in use counts once.
    const auto of_running = [&](const RunningJob& other) {
        return other.processors - jobs[other.job].allocation.count_common(unavailable);
    };
    return jobs[job].processors() + unavailable.size() +
               taken_at(
                   *this, instant, window, [](const Window& one) { return one.names_processors(); }, of_running,
                   [](const Window& one) { return one.processors; }) >
           processors;
}

// The same of a pool.
bool SchedulerState::is_overfull(std::size_t pool, Time instant, JobIndex job,
                                 std::optional<std::size_t> window) const {
    return jobs[job].request.of_pool(pool) +
               taken_at(
                   *this, instant, window, [&](const Window& one) { return one.names_pool(pool); },
                   [&](const RunningJob& other) { return jobs[other.job].request.of_pool(pool); },
                   [&](const Window& one) { return one.names_pool(pool) ? one.pool_amounts[pool] : 0; }) >
           machine.resources().pools()[pool].total;
}

bool SchedulerState::leaves_pools(JobIndex job, std::optional<std::size_t> window) const {
    const std::vector<Amount>& pools = jobs[job].request.pools();
    return pools.empty() || std::ranges::none_of(windows_ahead(job), [&](std::size_t ahead) {
               for (std::size_t pool = 0; ahead != window && pool < pools.size(); ++pool) {
                   if (pools[pool] > 0 && machine.windows()[ahead].names_pool(pool) &&
                       is_overfull(pool, machine.windows()[ahead].from, job, window)) {
                       return true;
                   }
               }
               return false;
           });
}

std::optional<std::size_t> SchedulerState::window_ahead(JobIndex job, const Place& place) const {
    for (const std::size_t ahead : windows_ahead(job)) {
        const Window& window = machine.windows()[ahead];
        if (place.window != ahead &&
            (hosts.is_on() ? place.hosts.count_common(window.hosts) > 0
                           : window.processors > 0 && is_overfull(window.from, job, place.window))) {
            return ahead;
        }
    }
    return std::nullopt;
}

// In this window of its booking, or outside.
std::optional<Place> SchedulerState::place_in(std::optional<std::size_t> window, JobIndex job, PoolsAhead ahead) const {
    const Request& request = jobs[job].request;
    Place place{{}, window};
    if (!has_of_pools(request, window) || (ahead == PoolsAhead::looked_at && !leaves_pools(job, window))) {
        return std::nullopt;
    }
    if (!hosts.is_on()) {
        const bool fits = window ? has_processors_in(request, place) : can_start(request);
        return fits && !window_ahead(job, place) ? std::optional(place) : std::nullopt;
    }
    ResourceSet closing;
    for (const std::size_t other : windows_ahead(job)) {
        if (window != other) {
            closing.insert(machine.windows()[other].hosts);
        }
    }
    if (!window) {
        std::optional<ResourceSet> chosen = hosts.choose(request, closing);
        return chosen ? std::optional(Place{std::move(*chosen), window}) : std::nullopt;
    }
    place.hosts = hosts_inside(request, *window, closing);
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
