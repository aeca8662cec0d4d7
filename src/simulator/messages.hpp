#pragma once

#include <span>

#include <batfill/simulator/simulator.hpp>

#include "protocol/message.hpp"

// Translates between the simulator and the protocol, in which it speaks as Batsim would.
namespace batfill {

// Makes the first message. The profiles and jobs of the scenario must carry their text (see read_workload).
protocol::Message beginning_message(const Scenario& scenario);

// Makes every later message but the last. The jobs must be as they are when the simulator calls
// SimulatedScheduler::message. What is in `events` is moved out of them.
protocol::Message message_of(const Simulator& simulator, Time now, std::span<Event> events);

// Sets `reply` to what a scheduler answered. Throws InputError for unknown jobs and for events that the simulator
// cannot follow.
void take_reply(const Simulator& simulator, const protocol::Reply& received, SchedulerReply& reply);

}  // namespace batfill
