#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <boost/container/flat_set.hpp>

#include <batfill/core/time.hpp>
#include <batfill/engine/availability_profile.hpp>
#include <batfill/planning/plan.hpp>
#include <batfill/planning/plan_algorithm.hpp>

#include "src/support/mapped.hpp"

namespace batfill {

// Counts the profile events that plain compressions would look at, in which nobody remembers proofs. A plain search
// begins at the present and stops at the end of the job's place. The paper on prioritized compression counts these
// events (section 4.3). The counter looks at the plan from outside, and compresses a copy of it.
class ProfileEventCounter {
 public:
    using Times = boost::container::flat_multiset<Time>;
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
    // it. On each machine, an event changes the number of processors, or of hosts, that jobs and windows leave free.
    // Cost: O(n log n) for n planned and running jobs; for each attempt a search, and O(n) if the job moves.
    void count(const Plan& plan, const SchedulerState& state, std::span<const JobIndex> jobs, Time than,
               PlanAlgorithm::Scan scan, std::optional<JobIndex> until = {}) {
        Copy copy(plan, state);
        const bool is_pass = scan == PlanAlgorithm::Scan::pass;
        if (is_pass) {
            counts_.placed_anew = counts_.placed_anew.value_or(0);
        }
        for (std::size_t i = 0; i < jobs.size() && jobs[i] != until;) {
            const bool moved = search(copy, plan.entry(jobs[i]), than, is_pass);
            i = moved && scan == PlanAlgorithm::Scan::from_the_first ? 0 : i + 1;
        }
    }

 private:
    struct Copy {
        Copy(const Plan& plan, const SchedulerState& state)
            : now(state.now), profile(now, 0), timeline(plan.timeline()) {
            const std::vector<Time> ends = mapped(state.running, &RunningJob::end);  // sorted
            running = in_pass = Times(boost::container::ordered_range, ends.begin(), ends.end());
            take_all(plan, state);
            std::vector<Time> times;
            for (auto& [job, start, place] : plan.places()) {
                starts.emplace(job, start);
                places.emplace(job, std::move(place));
                if (!start.is_infinite()) {
                    times.insert(times.end(), {start, start + plan.entry(job).walltime});
                }
            }
            std::ranges::sort(times);
            planned = Times(boost::container::ordered_range, times.begin(), times.end());
        }

        // The profile has what jobs and windows take.
        void take_all(const Plan& plan, const SchedulerState& state) {
            for (const RunningJob& job : state.running) {
                profile.add(now, std::max(job.end, now), -job.processors);
            }
            for (const JobIndex job : plan.by_start()) {
                if (const Time start = plan.planned_start(job); !start.is_infinite()) {
                    const Plan::Entry entry = plan.entry(job);
                    profile.add(start, start + entry.walltime, -entry.request->processors);
                }
            }
            for (const Window& window : state.machine.windows()) {
                if (window.announced <= now && window.until > now) {
                    profile.add(std::max(window.from, now), window.until,
                                -(window.hosts.empty() ? window.processors : window.hosts.size()));
                }
            }
        }

        Time now;
        AvailabilityProfile profile;
        Timeline timeline;
        std::map<JobIndex, Place> places;
        std::map<JobIndex, Time> starts;  // of the planned jobs
        Times running;                    // ends of running jobs
        Times planned;                    // starts and ends of planned jobs
        Times in_pass;                    // ends of running jobs; starts and ends of the jobs that the pass has placed
    };

    // Searches for a start before `than` and the planned one, counts, and moves the job. Returns whether it moved.
    bool search(Copy& copy, const Plan::Entry& job, Time than, bool is_pass) {
        const Time now = copy.now;
        const Time old_start = copy.starts.at(job.job);
        const auto end_of = [&](Time start) { return start.is_infinite() ? start : start + job.walltime; };
        const Time latest = std::min(than, old_start);
        Place& place = copy.places.at(job.job);
        const Timeline::Planned planned{*job.request, place, old_start, job.walltime};
        const Time found = now >= latest ? Time::infinity() : copy.timeline.earliest_without(planned, now, latest);
        // A job can be late because the free processors are not contiguous. Then it was planned to start before now.
        counts_.instants +=
            copy.profile.steps_between(now, found.is_infinite() ? std::max(now, latest) : end_of(found));
        const Time start = std::min(found, old_start);
        const Time end = end_of(start);
        const auto number_in = [&](const Times& times) {
            return static_cast<std::uint64_t>(times.upper_bound(std::max(now, end)) - times.upper_bound(now));
        };
        const auto looked_at = [&](Time event) { return event > now && event <= end ? 1U : 0U; };
        const std::uint64_t own = start.is_infinite() ? 0 : looked_at(old_start) + looked_at(end_of(old_start));
        counts_.starts_and_ends += number_in(copy.running) + number_in(copy.planned) - own;
        if (is_pass) {
            *counts_.placed_anew += number_in(copy.in_pass);
            if (!start.is_infinite()) {
                copy.in_pass.insert({start, end});
            }
        }
        if (found.is_infinite()) {
            return false;
        }
        copy.timeline.move_earlier(planned, found);
        const int processors = job.request->processors;
        if (!old_start.is_infinite()) {
            copy.profile.add(old_start, end_of(old_start), processors);
            copy.planned.erase(copy.planned.find(old_start));
            copy.planned.erase(copy.planned.find(end_of(old_start)));
        }
        copy.profile.add(found, end, -processors);
        copy.planned.insert({found, end});
        copy.starts[job.job] = found;
        return true;
    }

    Counts counts_;
};

}  // namespace batfill
