#include "src/engine/profile_event_counter.hpp"

#include <algorithm>

namespace batfill {

void ProfileEventCounter::remove(Times& times, Time time) {
    if (const auto found = times.find(time); found != times.end()) {
        times.erase(found);
    }
}

void ProfileEventCounter::unplanned(Time start, Time end) {
    remove(planned_, start);
    remove(planned_, end);
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
    const auto number_in = [&](const Times& times) {
        return static_cast<std::uint64_t>(times.upper_bound(std::max(now, end)) - times.upper_bound(now));
    };
    const auto looked_at = [&](Time event) { return event > now && event <= end ? 1U : 0U; };
    const std::uint64_t own =
        start.is_infinite() ? 0 : looked_at(search.planned_start) + looked_at(end_of(search.planned_start));
    counts_.starts_and_ends += number_in(running_) + number_in(planned_) - own;
    if (counts_.placed_anew) {
        *counts_.placed_anew += number_in(in_pass_);
        if (!start.is_infinite()) {
            in_pass_.insert({start, end});
        }
    }
}

}  // namespace batfill
