#pragma once

#include <cassert>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <batfill/engine/engine.hpp>
#include <batfill/simulator/simulator.hpp>

namespace batfill {

// The engine as the scheduler of a simulation in the same process, without a protocol.
class EmbeddedScheduler : public SimulatedScheduler {
 public:
    // `machine` is that of the scenario's platform, if the caller already has it and keeps it. If null, begin() makes
    // it.
    explicit EmbeddedScheduler(Engine& engine, const Machine* machine = nullptr) : engine_(engine), machine_(machine) {}

    void begin(const Simulator& simulator, SchedulerReply& reply) override;
    void message(Time now, std::span<Event> events, SchedulerReply& reply) override;
    void end(Time) override {}
    bool registers_jobs() const override { return engine_.registers_jobs(); }

    const std::map<RejectionCause, Rejections>& rejections() const { return rejections_; }

    bool gives_guarantees() const { return engine_.gives_guarantees(); }
    // What a job was guaranteed at its submission, if anything.
    // Requires: the job was submitted.
    std::optional<Time> guaranteed_start(JobNumber number) const {
        assert(number_of_.at(index_of_.at(number)) == number);
        const Time guaranteed = engine_.guaranteed_at_submission(index_of_[number]);
        return guaranteed.is_infinite() ? std::nullopt : std::optional(guaranteed);
    }
    // The guarantees that losses of processors have moved to a later time, in the order in which this happened. `job`
    // is the number in the simulation.
    std::vector<GuaranteeBreak> broken_guarantees() const {
        std::vector<GuaranteeBreak> broken = engine_.broken_guarantees();
        for (GuaranteeBreak& one : broken) {
            one.job = number_of_[one.job];
        }
        return broken;
    }

 private:
    void decide(Time now, SchedulerReply& reply);
    void number_for_engine(Event& event);
    void number_for_simulator(Decision& decision);
    bool acknowledges(const Event& event) const;

    Engine& engine_;
    const Machine* machine_;
    std::vector<JobIndex> index_of_;    // the engine's index of each submitted job of the simulation
    std::vector<JobNumber> number_of_;  // the simulation's number of each job of the engine
    std::map<RejectionCause, Rejections> rejections_;
};

}  // namespace batfill
