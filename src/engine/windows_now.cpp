#include <algorithm>
#include <numeric>

#include <batfill/engine/windows_now.hpp>

#include "src/support/mapped.hpp"

namespace batfill {

namespace {

// Removes the highest `count` processors, or all if there are fewer, and returns them.
ResourceSet take_highest(ResourceSet& processors, int count) {
    const int kept = std::max(processors.size() - count, 0);
    ResourceSet taken = processors;
    processors = taken.take_lowest(kept);
    return taken;
}

}  // namespace

WindowsNow::WindowsNow(const Machine& machine) : machine_(&machine) {
    const std::vector<Window>& windows = machine.windows();
    const auto ordered = [&](Time Window::*instant) {
        std::vector<std::size_t> order(windows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t window) { return windows[window].*instant; });
        return order;
    };
    by_announcement_ = ordered(&Window::announced);
    by_begin_ = ordered(&Window::from);
    by_end_ = ordered(&Window::until);
    for (const Window& window : windows) {
        round_instants_.push_back(window.announced);
        round_instants_.push_back(window.until);
        if (window.begins_a_round()) {
            round_instants_.push_back(window.from);
        }
    }
    std::ranges::sort(round_instants_);
}

Time WindowsNow::next_round(Time after) const {
    const auto next = std::ranges::upper_bound(round_instants_, after);
    return next == round_instants_.end() ? Time::infinity() : *next;
}

bool WindowsNow::begins_a_round_at(Time now) const {
    return std::ranges::binary_search(round_instants_, now);
}

std::vector<std::size_t> WindowsNow::in_span(const std::vector<std::size_t>& order, Time Window::*instant, Time after,
                                             Time until) const {
    const auto instant_of = [&](std::size_t window) { return machine_->windows()[window].*instant; };
    return {std::ranges::upper_bound(order, after, {}, instant_of),
            std::ranges::upper_bound(order, until, {}, instant_of)};
}

ResourceSet WindowsNow::begin(std::size_t number, const ResourceSet& idle) {
    const Window& window = machine_->windows()[number];
    open_.push_back({number, window.hosts, window.processors});
    ResourceSet taken = idle;
    taken.remove(take_of(idle));
    return taken;
}

ResourceSet WindowsNow::end(std::size_t number) {
    const auto open = std::ranges::find(open_, number, &Open::window);
    if (open == open_.end()) {
        return {};
    }
    const ResourceSet taken = open->taken;
    open_.erase(open);
    return take_of(taken);
}

ResourceSet WindowsNow::take_what_lacks(ResourceSet freed) {
    for (Open& open : open_) {
        if (open.lacking > 0) {
            const ResourceSet taken = take_highest(freed, open.lacking);
            open.lacking -= taken.size();
            open.taken.insert(taken);
        }
    }
    find_closed();
    freed.remove(closed_);
    return freed;
}

std::vector<std::size_t> WindowsNow::open() const {
    return mapped(open_, &Open::window);
}

const WindowsNow::Open* WindowsNow::find(std::size_t window) const {
    const auto open = std::ranges::find(open_, window, &Open::window);
    return open == open_.end() ? nullptr : &*open;
}

bool WindowsNow::is_taken_by_another(int host, std::size_t window) const {
    return std::ranges::any_of(open_,
                               [&](const Open& open) { return open.window != window && open.taken.contains(host); });
}

std::optional<std::size_t> WindowsNow::window_of(JobIndex job) const {
    const auto open = std::ranges::find_if(open_, [job](const Open& one) { return one.jobs.contains(job); });
    return open == open_.end() ? std::nullopt : std::optional(open->window);
}

void WindowsNow::enter(std::size_t window, JobIndex job, const ResourceSet& processors,
                       const std::vector<Amount>& pools) {
    Open& open = *std::ranges::find(open_, window, &Open::window);
    open.jobs.insert(job);
    if (machine_->windows()[window].names_processors()) {
        open.used.insert(processors);
    }
    open.inside.resize(machine_->resources().pools().size());
    for (std::size_t pool = 0; pool < pools.size(); ++pool) {
        open.inside[pool] += pools[pool];
    }
}

void WindowsNow::leave(std::size_t window, JobIndex job, const ResourceSet& processors,
                       const std::vector<Amount>& pools) {
    Open& open = *std::ranges::find(open_, window, &Open::window);
    open.jobs.erase(job);
    open.used.remove(processors);
    for (std::size_t pool = 0; pool < pools.size(); ++pool) {
        open.inside[pool] -= pools[pool];
    }
}

ResourceSet WindowsNow::free_inside(std::size_t window) const {
    const Open& open = *find(window);
    ResourceSet free = open.taken;
    free.remove(open.used);
    return free;
}

Amount WindowsNow::left_inside(std::size_t window, std::size_t pool) const {
    const Open& open = *find(window);
    return machine_->windows()[window].pool_amounts[pool] - (open.inside.empty() ? 0 : open.inside[pool]);
}

void WindowsNow::find_closed() {
    closed_ = {};
    for (const Open& open : open_) {
        closed_.insert(open.taken);
    }
}

}  // namespace batfill
