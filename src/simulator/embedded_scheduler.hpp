#pragma once

#include <map>
#include <span>

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
    RunLimits run_limits() const override { return engine_.choice().run_limits(); }
    // Without jobs, only an algorithm that switches processors has something to do. A job may wait past every window,
    // each of which causes up to three calls.
    std::size_t most_idle_calls(bool jobs_wait) const override {
        const std::size_t of_windows = 3 * engine_.state().machine.windows().size();
        return jobs_wait || engine_.algorithm().switches_processors() ? 10'000 + of_windows : 1;
    }

    const std::map<RejectionCause, Rejections>& rejections() const { return rejections_; }

 private:
    void decide(Time now, SchedulerReply& reply);

    Engine& engine_;
    const Machine* machine_;
    std::map<RejectionCause, Rejections> rejections_;
};

}  // namespace batfill
