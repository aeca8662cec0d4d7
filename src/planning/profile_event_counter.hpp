#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <batfill/core/time.hpp>
#include <batfill/planning/availability_profile.hpp>
#include <batfill/planning/plan.hpp>
#include <batfill/planning/plan_algorithm.hpp>

namespace batfill {

// Counts the profile events that plain compressions would look at, in which nobody remembers proofs. A plain search
// begins at the present and stops at the end of the job's place. The paper on prioritized compression counts these
// events (section 4.3). The counter looks at the plan from outside, and compresses a copy of it.
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

    // Counts a compression of the plan that tries these jobs in this order, as PlanAlgorithm::count_compression() has
    // it. `ends` are the expected ends of the running jobs.
    // Cost: for n planned and running jobs, O(n) for each attempt, and what the search and the move cost.
    void count(const Plan& plan, const std::vector<Time>& ends, std::span<const JobIndex> jobs, Time than,
               PlanAlgorithm::Scan scan, std::optional<JobIndex> until = {}) {
        AvailabilityProfile profile(plan.profile().origin(), 0);
        int before = 0;
        for (const auto& [time, processors] : plan.profile().steps()) {
            profile.add(time, Time::infinity(), processors - std::exchange(before, processors));
        }
        std::vector<Planned> planned;
        for (const auto& [job, start] : plan.places()) {
            planned.push_back({plan.request(job), start});
        }
        const bool is_pass = scan == PlanAlgorithm::Scan::pass;
        if (is_pass) {
            counts_.placed_anew = counts_.placed_anew.value_or(0);
        }
        for (std::size_t i = 0; i < jobs.size() && jobs[i] != until;) {
            Planned& tried = *std::ranges::find(planned, jobs[i], [](const Planned& one) { return one.job.job; });
            const Time now = profile.origin();
            const Time limit = std::min(than, tried.start);
            const Time found = now < limit
                                   ? profile.earliest(now, tried.job.walltime, tried.job.processors, tried.start, limit)
                                   : Time::infinity();
            Planned place{tried.job, std::min(found, tried.start), is_pass};
            // A job can be late because the free processors are not contiguous. Then its start is before now.
            counts_.instants += profile.steps_between(now, found.is_infinite() ? std::max(now, limit) : place.end());
            count_starts_and_ends(ends, planned, tried, now, place.end());
            const bool moves = !found.is_infinite();
            if (moves) {
                profile.add(tried.start, tried.end(), tried.job.processors);
                profile.add(place.start, place.end(), -place.job.processors);
            }
            tried = place;
            i = moves && scan == PlanAlgorithm::Scan::from_the_first ? 0 : i + 1;
        }
    }

 private:
    struct Planned {
        Plan::Request job;
        Time start;
        bool has_passed = false;
        Time end() const { return start.is_infinite() ? start : start + job.walltime; }
    };

    // Counts the events from `now` to `end` that a search for the place of `tried` looks at.
    void count_starts_and_ends(const std::vector<Time>& ends, const std::vector<Planned>& planned, const Planned& tried,
                               Time now, Time end) {
        const auto looked_at = [&](Time event) { return event > now && event <= end ? 1U : 0U; };
        std::uint64_t of_all = 0;
        for (const Time of_running : ends) {
            of_all += looked_at(of_running);
        }
        std::uint64_t anew = of_all;
        for (const Planned& other : planned) {
            if (&other != &tried && !other.start.is_infinite()) {
                const unsigned events = looked_at(other.start) + looked_at(other.end());
                of_all += events;
                anew += other.has_passed ? events : 0;
            }
        }
        counts_.starts_and_ends += of_all;
        if (counts_.placed_anew) {
            *counts_.placed_anew += anew;
        }
    }

    Counts counts_;
};

}  // namespace batfill
