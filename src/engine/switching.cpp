#include "src/engine/engine_core.hpp"

// How the engine puts processors to sleep and wakes them.

namespace batfill {

// Throws: DecisionError unless this algorithm may switch processors and the switch is `possible`. `what` names it.
void EngineCore::require_switching(const ResourceSet& processors, const char* what, bool possible) const {
    const std::string text = "it " + std::string(what) + " processors " + processors.to_short_string();
    if (!algorithm_->switches_processors()) {
        fail(text + ", expected an algorithm that declares switches_processors()");
    }
    if (!possible) {
        fail(text + ", not all of which can do that now");
    }
}

void EngineCore::set_pstates(const ResourceSet& processors, int pstate) {
    if (!processors.empty()) {
        decisions_.emplace_back(SetResourceState{processors, pstate});
    }
}

void EngineCore::put_to_sleep(const ResourceSet& processors) {
    require_switching(
        processors, "puts to sleep",
        state_.idle.set().contains_all(processors) && state_.machine.can_sleep().contains_all(processors));
    state_.idle.remove(processors);
    state_.falling_asleep.insert(processors);
    for (const Machine::SleepState& state : state_.machine.sleep_states()) {
        set_pstates(processors.intersection(state.processors), state.pstate);
    }
}

void EngineCore::wake(const ResourceSet& processors) {
    require_switching(processors, "wakes",
                      state_.asleep.contains_all(processors) && processors.count_common(state_.unavailable) == 0);
    state_.asleep.remove(processors);
    state_.waking.insert(processors);
    set_pstates(processors, computing_pstate);
}

// Ignores processors whose state nobody asked to change.
void EngineCore::resource_state_changed(const ResourceStateChanged& change) {
    if (change.pstate == computing_pstate) {
        ResourceSet awake = state_.waking.intersection(change.processors);
        state_.waking.remove(awake);
        awake.remove(state_.unavailable);
        state_.idle.insert(awake);
    } else {
        const ResourceSet asleep = state_.falling_asleep.intersection(change.processors);
        state_.falling_asleep.remove(asleep);
        state_.asleep.insert(asleep);
    }
    news_.processors_switched |= algorithm_->switches_processors();
}

}  // namespace batfill
