#pragma once

#include <cassert>
#include <optional>
#include <vector>

#include <batfill/engine.hpp>
#include <batfill/simulator.hpp>

namespace batfill {

// The engine as the scheduler of a simulation in the same process, with no protocol in between.
class EmbeddedScheduler : public SimulatedScheduler {
 public:
    explicit EmbeddedScheduler(Engine& engine) : engine_(engine) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override;
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override;
    void end(Time) override {}

    bool gives_guarantees() const { return engine_.gives_guarantees(); }
    // The start that the plan promised a job when it was submitted, if it promised one. Requires a job that was
    // submitted.
    std::optional<Time> guaranteed_start(JobNumber number) const {
        assert(number_of_.at(index_of_.at(number)) == number);
        const Time guaranteed = engine_.state().job(index_of_[number]).guaranteed_start;
        return guaranteed.is_infinite() ? std::nullopt : std::optional(guaranteed);
    }

 private:
    void number_for_engine(Event& event);
    void number_for_simulator(Decision& decision) const;

    Engine& engine_;
    std::vector<JobIndex> index_of_;    // the engine's index of each job of the simulation, once it was submitted
    std::vector<JobNumber> number_of_;  // the simulation's number of each job of the engine
};

}  // namespace batfill
