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

// Whether at this instant, when a window begins, too few processors are left if the job runs then, too: beside what
// runs by the estimates, and what announced windows take. A job in a window that takes processors has its own of those
// of the window. Hosts are only counted.
bool SchedulerState::is_overfull(Time instant, JobIndex job, std::optional<std::size_t> window) const {
    // The windows of which jobs that run then have processors.
    const auto takes_then = [&](std::optional<std::size_t> one) {
        return one && machine.windows()[*one].names_processors() && machine.windows()[*one].until > instant;
    };
    const std::vector<Window>& all = machine.windows();
    const std::size_t own = takes_then(window) ? *window : all.size();  // none: past the last
    int taken = jobs[job].processors() + unavailable.size();
    for (const RunningJob& other : running) {
        const std::optional<std::size_t> place = windows.window_of(other.job);
        if (other.end > instant && (!takes_then(place) || *place == own)) {
            // What is lost and in use counts once.
            taken += other.processors - jobs[other.job].allocation.count_common(unavailable);
        }
    }
    for (std::size_t other = 0; other < all.size(); ++other) {
        if (all[other].announced <= now && all[other].from <= instant && instant < all[other].until && own != other) {
            taken += all[other].processors;
        }
    }
    return taken > processors;
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
std::optional<Place> SchedulerState::place_in(std::optional<std::size_t> window, JobIndex job) const {
    const Request& request = jobs[job].request;
    Place place{{}, window};
    if (!has_of_pools(request, window)) {
        return std::nullopt;
    }
    if (!hosts.is_on()) {
        const bool fits = window ? has_processors_in(request, place) : can_start(request);
        return fits && !window_ahead(job, place) ? std::optional(place) : std::nullopt;
    }
    ResourceSet closing;
    for (const std::size_t ahead : windows_ahead(job)) {
        if (window != ahead) {
            closing.insert(machine.windows()[ahead].hosts);
        }
    }
    if (!window) {
        std::optional<ResourceSet> chosen = hosts.choose(request, closing);
        return chosen ? std::optional(Place{std::move(*chosen), window}) : std::nullopt;
    }
    place.hosts = hosts_inside(request, *window, closing);
    return place.hosts.size() == request.processors ? std::optional(std::move(place)) : std::nullopt;
}

std::optional<Place> SchedulerState::place_now(JobIndex job) const {
    const Request& request = jobs[job].request;
    if (request.needs_or_none().windows.empty()) {
        return place_in(std::nullopt, job);
    }
    for (const std::size_t window : request.needs->windows) {
        if (std::optional<Place> place = is_during(request, window) ? place_in(window, job) : std::nullopt) {
            return place;
        }
    }
    return std::nullopt;
}

}  // namespace batfill
