#include "embedded_scheduler.hpp"

namespace batfill {

void EmbeddedScheduler::begin(const Simulator& simulator, SchedulerReply& reply) {
    simulator_ = &simulator;
    index_of_.resize(simulator.jobs().size());
    number_of_.reserve(simulator.jobs().size());
    engine_.begin(Time(), Machine(simulator.scenario().platform.hosts));
    reply.now = Time();
}

void EmbeddedScheduler::message(Time now, std::span<const SimulatedEvent> events, SchedulerReply& reply) {
    engine_.arrive(now);
    for (const SimulatedEvent& event : events) {
        switch (event.kind) {
            case SimulatedEvent::Kind::submitted:
                index_of_[event.job] = engine_.submitted(simulator_->jobs()[event.job].job->description);
                number_of_.push_back(event.job);
                break;
            case SimulatedEvent::Kind::completed:
                engine_.completed(index_of_[event.job]);
                break;
            case SimulatedEvent::Kind::notify:
                if (event.event != nullptr && event.event->kind != ExternalEvent::Kind::other) {
                    engine_.machine_changed(event.event->processors,
                                            event.event->kind == ExternalEvent::Kind::machine_available);
                }
                break;
            case SimulatedEvent::Kind::killed:
            case SimulatedEvent::Kind::call:
                break;
        }
    }
    for (const Decision& decision : engine_.decide()) {
        SchedulerAction& action = reply.actions.emplace_back();
        action.timestamp = now;
        switch (decision.kind) {
            case Decision::Kind::start:
                action.kind = SchedulerAction::Kind::start;
                action.job = number_of_[decision.job];
                action.allocation = engine_.state().job(decision.job).allocation;
                break;
            case Decision::Kind::reject:
                action.kind = SchedulerAction::Kind::reject;
                action.job = number_of_[decision.job];
                break;
            case Decision::Kind::kill:
                action.kind = SchedulerAction::Kind::kill;
                action.jobs = {number_of_[decision.job]};
                break;
            case Decision::Kind::call:
                action.kind = SchedulerAction::Kind::call;
                action.call = decision.call;
                break;
        }
    }
}

}  // namespace batfill
