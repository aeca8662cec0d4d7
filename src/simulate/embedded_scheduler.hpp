#pragma once

#include <vector>

#include <batfill/engine.hpp>
#include <batfill/simulator.hpp>

namespace batfill {

// The engine as the scheduler of a simulation in the same process, with no protocol in between.
class EmbeddedScheduler : public SimulatedScheduler {
 public:
    explicit EmbeddedScheduler(Engine& engine) : engine_(engine) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override;
    void message(Time now, std::span<const SimulatedEvent> events, SchedulerReply& reply) override;
    void end(Time) override {}

 private:
    Engine& engine_;
    const Simulator* simulator_ = nullptr;
    std::vector<JobIndex> index_of_;    // of each job of the simulation, once submitted
    std::vector<JobNumber> number_of_;  // and back
};

}  // namespace batfill
