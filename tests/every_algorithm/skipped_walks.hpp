#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <batfill/engine/availability.hpp>
#include <batfill/engine/timeline.hpp>
#include <batfill/planning/plan_algorithm.hpp>

#include "tests/every_algorithm/drawn_algorithms.hpp"
#include "tests/every_algorithm/machine_by_hand.hpp"

namespace batfill::tests {

// Algorithms pass over jobs that cannot start, or start earlier, by what is known of them. This makes the walks that
// they leave out, after each round, with a timeline that is made anew and has no index.
class SkippedWalks {
 public:
    explicit SkippedWalks(const DrawnAlgorithm& drawn) : name_(drawn.name) {
        for (const auto& [key, value] : drawn.parameters) {
            planned_pools_ = key == "plan-pools" ? value : planned_pools_;
            reservations_ = key == "reservations" ? std::stoi(value) : reservations_;
        }
        reservations_ = name_ == "relaxed" ? 0 : reservations_;
    }

    // How many walks have been made: those of planned jobs that the plan would not have looked at, those of the others,
    // and those of waiting jobs that a round has not started.
    std::size_t left_out = 0;
    std::size_t not_left_out = 0;
    std::size_t not_started = 0;
    std::vector<std::string> found;  // what is wrong

    void look_at(const Algorithm& algorithm, const SchedulerState& state, const std::vector<JobIndex>& started) {
        if (!state.running.empty() && state.running.front().end <= state.now) {
            return;  // an end is due: only the next round knows what is free
        }
        if (const auto* const planning = dynamic_cast<const PlanAlgorithm*>(&algorithm)) {
            look_at_plan(planning->plan(), state);
        } else {
            look_at_queue(state, started);
        }
    }

 private:
    std::vector<bool> planned(const SchedulerState& state) const {
        return Availability::planned(state.machine.resources(), planned_pools_);
    }
    void claim(bool holds, const std::string& text, const SchedulerState& state, JobIndex job) {
        if (!holds) {
            found.push_back(text + ": job " + state.job(job).description().id + " at " + state.now.to_string());
        }
    }

    // No planned job could start earlier, but where the plan will look. And a search with what the plan keeps of the
    // hosts finds what a search of all finds.
    void look_at_plan(const Plan& plan, const SchedulerState& state) {
        Timeline anew(state.machine, state.now, planned(state));
        anew.reset(state);
        std::vector<Plan::PlannedJob> places = plan.places();
        for (const auto& [job, start, place] : places) {
            if (!start.is_infinite()) {
                anew.take(*plan.entry(job).request, place, start, start + plan.entry(job).walltime);
            }
        }
        Timeline kept = plan.timeline();
        for (auto& [job, start, place] : places) {
            const Plan::Entry entry = plan.entry(job);
            const Timeline::Planned itself{*entry.request, place, start, entry.walltime};
            const Plan::StartInterval possible = plan.possible_starts(job);
            const auto is_proved = [&](Time at) { return at < possible.from || possible.until <= at; };
            ++(possible.some() ? not_left_out : left_out);
            const Time first = anew.earliest_without(itself, state.now, start);
            const Time behind =
                is_proved(first) ? first : anew.earliest_without(itself, std::max(possible.until, state.now), start);
            claim(behind.is_infinite(), "a planned job could start earlier", state, job);
            claim(kept.earliest_without(itself, state.now, start) == first, "an earlier start is another one", state,
                  job);
            claim(kept.earliest(*entry.request, entry.walltime, state.now) ==
                      anew.earliest(*entry.request, entry.walltime, state.now),
                  "a new job would have another start", state, job);
        }
    }

    // The round has started the jobs that its definition says: all waiting jobs are tried, by submission. With relaxed,
    // those that it started go first, in its order: then no other job can start.
    void look_at_queue(const SchedulerState& state, const std::vector<JobIndex>& started) {
        SchedulerState before = state;
        std::erase_if(before.running,
                      [&](const RunningJob& running) { return std::ranges::count(started, running.job) > 0; });
        const std::vector<bool> all(state.machine.resources().pools().size(), true);
        MachineByHand now(before, all);
        if (now.processors_at(state.now, std::nullopt) < 0) {
            return;  // windows want more than there is: only the engine knows who has what
        }
        Timeline later(state.machine, state.now, planned(state));
        later.reset(before);
        std::vector<JobIndex> jobs = started;
        jobs.insert(jobs.end(), state.waiting.jobs().begin(), state.waiting.jobs().end());
        if (name_ != "relaxed") {
            std::ranges::sort(jobs, [&](JobIndex a, JobIndex b) { return state.jobs.submitted_before(a, b); });
        }
        // Jobs of the same reservation are a queue of their own.
        std::map<std::string, std::vector<JobIndex>> queues;
        for (const JobIndex job : jobs) {
            const bool is_booked = state.job(job).request.is_booked();
            queues[is_booked ? *state.job(job).description().needs->booking : ""].push_back(job);
        }
        for (const auto& [booking, queue] : queues) {
            look_at_queue(state, queue, later, now);
        }
    }

    void look_at_queue(const SchedulerState& state, const std::vector<JobIndex>& queue, Timeline& later,
                       MachineByHand& now) {
        int reservations = reservations_;
        bool is_blocked = false;
        for (const JobIndex job : queue) {
            const Request& request = state.job(job).request;
            const Duration length = state.estimate(job);
            std::optional<Place> place;
            bool is_passed_over = false;
            if (!is_blocked && later.fits(request, length, state.now)) {
                place = later.choose(request, length, state.now);
                is_passed_over = !now.fits_in(request, Duration::microseconds(1), state.now, place->window);
            }
            const bool has_started = state.job(job).state == JobState::running;
            const bool is_to_start = place && !is_passed_over;
            claim(has_started == is_to_start, has_started ? "it has started" : "it has not started", state, job);
            not_started += has_started ? 0 : 1;
            if (has_started) {
                const Place taken{state.job(job).allocation, state.windows.window_of(job)};
                claim(!is_to_start || place->hosts.empty() || place->hosts == taken.hosts, "it is on other hosts",
                      state, job);
                now.add({job, state.now, state.now + length, taken.hosts, taken.window});
                later.take(request, taken, state.now, state.now + length);
            } else if (name_ == "fcfs") {
                is_blocked = true;
            } else if (!is_passed_over && reservations > 0) {
                --reservations;
                if (const Time start = later.earliest(request, length, state.now); !start.is_infinite()) {
                    later.take(request, later.choose(request, length, start), start, start + length);
                }
            }
        }
    }

    std::string name_;
    std::string planned_pools_ = "all";
    int reservations_ = 1;
};

}  // namespace batfill::tests
