#include <algorithm>

#include <batfill/core/error.hpp>
#include <batfill/core/machine.hpp>

#include "src/simulator/simulation.hpp"

// Puts processors to sleep and wakes them, as Batsim 4.2.1 does with --energy.

namespace batfill {

// The switch ends for all processors when the slowest has finished.
void Simulation::switch_processors(const SetResourceState& decision) {
    const auto refuse = [&](const std::string& why) {
        throw InputError("the scheduler sets the pstate of processors " + decision.processors.to_string() + " to " +
                         std::to_string(decision.pstate) + " at " + results_.now.to_string() + ": " + why);
    };
    const bool wakes = decision.pstate == computing_pstate;
    Duration longest;
    for (const ResourceSet::Interval& interval : decision.processors.intervals()) {
        for (int processor = interval.first; processor <= interval.last; ++processor) {
            const std::string name = "processor " + std::to_string(processor);
            if (!machines_.has(processor)) {
                refuse(name + " does not exist");
            }
            const Machines::State state = machines_.state(processor);
            if (state != (wakes ? Machines::State::sleeping : Machines::State::idle)) {
                refuse(name + " is " + Machines::name_of(state) + ", expected that it is " +
                       (wakes ? "asleep" : "idle"));
            }
            try {
                longest = std::max(longest, time_to_switch(processor, decision.pstate));
            } catch (const InputError& problem) {
                refuse(name + " " + problem.what());
            }
        }
    }
    const Machines::State meanwhile = wakes ? Machines::State::waking : Machines::State::falling_asleep;
    machines_.set_power(decision.processors, meanwhile, results_.now);
    ++pending_;
    ++results_.grouped_switches;
    results_.processor_switches += static_cast<std::size_t>(decision.processors.size());
    switches_.push_back(decision);
    set_timer(results_.now + longest, Kind::switching, switches_.size() - 1);
}

// Throws: InputError, whose text is a predicate, if the processor cannot change to `pstate`.
Duration Simulation::time_to_switch(int processor, int pstate) const {
    const Host& host = scenario_.platform.hosts[static_cast<std::size_t>(processor)];
    const std::optional<SleepPstates> pstates = sleep_pstates_of(host);
    refuse_if<InputError>(!pstates, "cannot sleep, expected a host with a property sleep_pstates");
    if (pstate != computing_pstate && pstate != pstates->sleep) {
        throw InputError("has pstate " + std::to_string(pstates->sleep) +
                         " to sleep in; it can be set to this one or " + std::to_string(computing_pstate));
    }
    refuse_if<InputError>(host.pstate != computing_pstate, "starts in pstate ", host.pstate,
                          ", only those that start in ", computing_pstate, " can be put to sleep here");
    const auto way = static_cast<std::size_t>(pstate == computing_pstate ? pstates->waking : pstates->falling_asleep);
    const std::optional<Duration> time =
        way < host.pstate_speeds.size() ? Duration::from_seconds(1 / host.pstate_speeds[way]) : std::nullopt;
    refuse_if<InputError>(!time, "has no speed in pstate ", way, " that says how long this takes");
    return *time;
}

}  // namespace batfill
