#include "src/analysis/outages.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>

#include <batfill/core/error.hpp>

namespace batfill::analysis {

std::string Outages::Outage::to_string() const {
    return "from " + from.to_string() + (until.is_infinite() ? " on" : " to " + until.to_string());
}

// At one instant, the event whose list has waited longest for it comes first, as in the simulator.
Outages::Outages(const std::vector<std::vector<ExternalEvent>>& event_lists, int processors) {
    using Next = std::tuple<Time, std::size_t, std::size_t>;  // time, order of waiting, list
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    std::vector<std::size_t> occurred(event_lists.size(), 0);
    std::size_t order = 0;
    for (std::size_t list = 0; list < event_lists.size(); ++list) {
        if (!event_lists[list].empty()) {
            next.push({event_lists[list].front().time, order++, list});
        }
    }
    while (!next.empty()) {
        const auto [time, waited_since, list] = next.top();
        next.pop();
        const std::vector<ExternalEvent>& events = event_lists[list];
        std::size_t& i = occurred[list];
        for (; i < events.size() && events[i].time == time; ++i) {
            change(events[i], processors);
        }
        if (i < events.size()) {
            next.push({events[i].time, order++, list});
        }
    }
}

void Outages::change(const ExternalEvent& event, int processors) {
    if (event.kind == ExternalEvent::Kind::other) {
        return;
    }
    const bool comes_back = event.kind == ExternalEvent::Kind::machine_available;
    const auto refuse = [&](int processor, const std::string& why) {
        throw InputError("event " + event.type + " at " + event.time.to_string() + ": processor " +
                         std::to_string(processor) + why);
    };
    if (event.processors.last() >= processors) {
        refuse(event.processors.last(), " does not exist, the platform's last is " + std::to_string(processors - 1));
    }
    outages_.resize(static_cast<std::size_t>(processors));
    for (const ResourceSet::Interval& interval : event.processors.intervals()) {
        for (int processor = interval.first; processor <= interval.last; ++processor) {
            std::vector<Outage>& outages = outages_[static_cast<std::size_t>(processor)];
            const bool is_gone = !outages.empty() && outages.back().until.is_infinite();
            if (is_gone != comes_back) {
                refuse(processor, comes_back ? " is not unavailable" : " is unavailable already");
            }
            if (comes_back) {
                outages.back().until = event.time;
            } else {
                outages.push_back({event.time, Time::infinity()});
            }
        }
    }
}

std::span<const Outages::Outage> Outages::not_over_at(int processor, Time time) const {
    assert(!empty());
    const std::vector<Outage>& outages = outages_[static_cast<std::size_t>(processor)];
    const auto first = std::upper_bound(outages.begin(), outages.end(), time,
                                        [](Time t, const Outage& outage) { return t < outage.until; });
    return {first, outages.end()};
}

}  // namespace batfill::analysis
