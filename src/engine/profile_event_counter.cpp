#include "src/engine/profile_event_counter.hpp"

#include <algorithm>

namespace batfill {

void ProfileEventCounter::SortedTimes::add(Time time) {
    if (!time.is_infinite()) {
        times_.insert(std::upper_bound(times_.begin(), times_.end(), time), time);
    }
}

void ProfileEventCounter::SortedTimes::remove(Time time) {
    const auto place = std::lower_bound(times_.begin(), times_.end(), time);
    if (place != times_.end() && *place == time) {
        times_.erase(place);
    }
}

void ProfileEventCounter::SortedTimes::remove_until(Time time) {
    times_.erase(times_.begin(), std::upper_bound(times_.begin(), times_.end(), time));
}

std::uint64_t ProfileEventCounter::SortedTimes::within(Time after, Time until) const {
    // All searches begin at the present, and few times are before that.
    const auto first = std::find_if(times_.begin(), times_.end(), [&](Time time) { return time > after; });
    return static_cast<std::uint64_t>(std::upper_bound(first, times_.end(), until) - first);
}

void ProfileEventCounter::reset() {
    running_ = planned_ = in_pass_ = {};
}

void ProfileEventCounter::planned(Time start, Time end) {
    planned_.add(start);
    planned_.add(end);
}

void ProfileEventCounter::unplanned(Time start, Time end) {
    planned_.remove(start);
    planned_.remove(end);
}

void ProfileEventCounter::pass_begins() {
    in_pass_ = running_;
    counts_.placed_anew = counts_.placed_anew.value_or(0);
}

void ProfileEventCounter::searched(const AvailabilityProfile& profile, const Search& search) {
    const Time now = profile.origin();
    const auto end_of = [&](Time start) { return start.is_infinite() ? start : start + search.walltime; };
    // A job can be late because the free processors are not contiguous. Then it was planned to start before now.
    counts_.instants += profile.steps_between(
        now, search.found.is_infinite() ? std::max(now, search.limit) : search.found + search.walltime);

    const Time start = std::min(search.found, search.planned_start);
    const Time end = end_of(start);
    const auto looked_at = [&](Time event) { return event > now && event <= end ? 1U : 0U; };
    const std::uint64_t own =
        start.is_infinite() ? 0 : looked_at(search.planned_start) + looked_at(end_of(search.planned_start));
    counts_.starts_and_ends += running_.within(now, end) + planned_.within(now, end) - own;
    if (counts_.placed_anew) {
        *counts_.placed_anew += in_pass_.within(now, end);
        in_pass_.add(start);
        in_pass_.add(end);
    }
}

}  // namespace batfill
