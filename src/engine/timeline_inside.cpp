// The part of a timeline that is about booked jobs.
#include <algorithm>
#include <utility>

#include <batfill/engine/timeline.hpp>

namespace batfill {

const Timeline& Timeline::view(std::size_t window) const {
    constexpr std::size_t most_views = 64;  // a view is as large as the timeline
    if (views_.size() >= most_views && !views_.contains(window)) {
        views_.clear();
    }
    View& view = views_[window];
    if (!view.timeline || view.version != version_) {
        view = {version_, std::make_shared<const Timeline>(make_view(window))};
    }
    return *view.timeline;
}

// On the window's hosts, only other windows are in the way.
Timeline Timeline::make_view(std::size_t number) const {
    Timeline view(*this);
    view.is_view_ = true;
    view.views_.clear();
    view.index_.reset();
    const Window& window = machine_->windows()[number];
    view.counted_.open(window, left_inside_.at(number));
    if (!window.hosts.empty()) {
        view.open_hosts(window);
    }
    return view;
}

void Timeline::open_hosts(const Window& window) {
    std::vector<Amount> taken(machine_->resources().capacities().size() + 1);
    taken.front() = taken_by_window;
    for (int host = 0; host < machine_->processors(); ++host) {
        AmountProfile& profile = hosts_[static_cast<std::size_t>(host)];
        if (window.hosts.contains(host)) {
            profile.add(window.from, window.until, taken, 1);
        } else {
            profile.add(origin_, Time::infinity(), taken, -1);
        }
    }
}

bool Timeline::is_during(std::size_t number, const Request& request, Time at) const {
    const Window& window = machine_->windows()[number];
    return knows_window_[number] && window.from <= at && at + request.length_inside() <= window.until;
}

Time Timeline::earliest_inside(const Request& request, Duration length, Time from, Time before) const {
    Time first = before;
    bool is_found = false;
    for (const std::size_t number : request.windows()) {
        const Window& window = machine_->windows()[number];
        const Time begin = std::max(from, window.from);
        if (begin >= first || !is_during(number, request, begin)) {
            continue;
        }
        const Time last = window.until - request.length_inside();
        const Time start =
            view(number).earliest(request, length, begin, std::min(first, last + Duration::microseconds(1)));
        if (start < first) {
            first = start;
            is_found = true;
        }
    }
    return is_found ? first : Time::infinity();
}

std::optional<std::size_t> Timeline::window_for(const Request& request, Duration length, Time at) const {
    const std::vector<std::size_t>& windows = request.windows();
    const auto first = std::ranges::find_if(windows, [&](std::size_t window) {
        return is_during(window, request, at) && view(window).fits(request, length, at);
    });
    return first == windows.end() ? std::nullopt : std::optional(*first);
}

}  // namespace batfill
