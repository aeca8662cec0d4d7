#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include <boost/container/flat_set.hpp>

#include <batfill/core/time.hpp>
#include <batfill/engine/availability_profile.hpp>

namespace batfill {

// Counts the profile events that plain searches would look at, if the plan remembered no proofs. A plain search begins
// at the present and stops at the end of the job's place. The paper on prioritized compression counts these events
// (section 4.3).
// Cost: O(log planned jobs) for each search, and O(planned and running jobs) for each change of the plan. This is more
// than the searches themselves cost.
class ProfileEventCounter {
 public:
    // Each member counts by another definition of an event and of the profile's content.
    struct Counts {
        std::uint64_t instants = 0;  // instants at which the number of free processors changes
        // Ends of running jobs, and planned starts and ends of all other jobs. Several at one instant count separately.
        std::uint64_t starts_and_ends = 0;
        // As above, for a pass that first removes all planned jobs from the profile and then places them one by one.
        // Empty if there was no pass.
        std::optional<std::uint64_t> placed_anew;
    };
    const Counts& counts() const { return counts_; }

    // ---- What the plan reports

    // It became empty.
    void reset() { running_ = planned_ = in_pass_ = {}; }
    void advanced(Time now) { running_.erase(running_.begin(), running_.upper_bound(now)); }
    // A running job holds processors until `end`, or gave them back before that.
    void held(Time end) { running_.insert(end); }
    void gave_back(Time end) { remove(running_, end); }
    // A planned job has, or no longer has, its processors during [start, end). Infinite starts are not reported.
    void planned(Time start, Time end) { planned_.insert({start, end}); }
    void unplanned(Time start, Time end) {
        remove(planned_, start);
        remove(planned_, end);
    }
    // A pass over all planned jobs begins.
    void pass_begins() {
        in_pass_ = running_;
        counts_.placed_anew = counts_.placed_anew.value_or(0);
    }

    // A search for a start of a planned job before `limit`. `found` is infinite if there is none.
    struct Search {
        Time planned_start;
        Duration walltime;
        Time limit;
        Time found;
    };
    // A search is over. `profile` still has the job at its planned start.
    void searched(const AvailabilityProfile& profile, const Search& search) {
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

 private:
    using Times = boost::container::flat_multiset<Time>;

    // Removes one occurrence, if any.
    static void remove(Times& times, Time time) {
        if (const auto found = times.find(time); found != times.end()) {
            times.erase(found);
        }
    }

    Counts counts_;
    Times running_;  // ends of running jobs
    Times planned_;  // starts and ends of planned jobs
    Times in_pass_;  // ends of running jobs; starts and ends of the jobs that the pass has placed
};

}  // namespace batfill
