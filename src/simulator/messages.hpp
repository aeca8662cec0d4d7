#pragma once

#include <span>

#include <batfill/simulator.hpp>

#include "protocol/message.hpp"

// Between what the simulator says and the protocol: the messages that Batsim would send in its place.
namespace batfill {

// The first message. The profiles and jobs of the scenario must carry their text (see read_workload).
protocol::Message beginning_message(const Scenario& scenario);

// Every later message but the last. The jobs' states must be those of the moment at which the simulator calls
// SimulatedScheduler::message.
protocol::Message message_of(const Simulator& simulator, Time now, std::span<const SimulatedEvent> events);

// Sets `reply` to what a scheduler answered. Throws InputError for unknown jobs and for events that the simulator
// cannot follow.
void take_reply(const Simulator& simulator, const protocol::Reply& received, SchedulerReply& reply);

}  // namespace batfill
