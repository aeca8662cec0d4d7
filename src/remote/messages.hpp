#pragma once

#include <optional>
#include <span>
#include <string>

#include <batfill/simulator/simulator.hpp>

#include "protocol/batsim4.hpp"

// Tells a scheduler in Batsim's place what happens in the simulator, and takes its answers. protocol/ has their form.
namespace batfill {

// Writes the first message into `frame`.
// Requires: profiles and jobs of the scenario have their text (see read_workload).
void write_beginning(const Simulator& simulator, std::string& frame);

// Writes any later message except the last.
// Requires: jobs are as they are when the simulator calls SimulatedScheduler::message.
void write_message(const Simulator& simulator, Time now, std::span<const Event> events, std::string& frame);

// Enters the jobs of the simulation into `ids`, which is empty. There they have the simulator's numbers, and so will
// jobs that the scheduler registers.
void number_jobs(const Simulator& simulator, protocol::JobIds& ids);

// Moves a scheduler's answer into `reply`. Returns what the scheduler says if it stops; then `reply` is unusable.
// Requires: `ids` began with number_jobs(), and the answer was read with it.
// Throws: InputError for unknown jobs, and for events that the simulator cannot follow.
std::optional<std::string> take_reply(const Simulator& simulator, protocol::Message& received,
                                      const protocol::JobIds& ids, SchedulerReply& reply);

}  // namespace batfill
