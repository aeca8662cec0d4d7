#pragma once

#include <span>

#include <batfill/simulator/simulator.hpp>

#include "protocol/message.hpp"

// Translates between the simulator and the protocol, in the role of Batsim.
namespace batfill {

// Makes the first message.
// Requires: profiles and jobs of the scenario have their text (see read_workload).
protocol::Message beginning_message(const Scenario& scenario);

// Makes every later message except the last. Moves out of `events`.
// Requires: jobs are as they are when the simulator calls SimulatedScheduler::message.
protocol::Message message_of(const Simulator& simulator, Time now, std::span<Event> events);

// Sets `reply` to a scheduler's answer.
// Throws: InputError for unknown jobs, and for events that the simulator cannot follow.
void take_reply(const Simulator& simulator, const protocol::Reply& received, SchedulerReply& reply);

}  // namespace batfill
