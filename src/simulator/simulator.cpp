#include <batfill/simulator/simulator.hpp>

#include "simulation.hpp"

namespace batfill {

Simulator::Simulator(const Scenario& scenario) : simulation_(std::make_unique<Simulation>(scenario)) {}
Simulator::Simulator(const Simulator& other) : simulation_(std::make_unique<Simulation>(*other.simulation_)) {}
Simulator::Simulator(Simulator&& other) noexcept = default;
Simulator::~Simulator() = default;

void Simulator::run(SimulatedScheduler& scheduler, const Progress& progress) {
    simulation_->run(*this, scheduler, progress);
}
std::optional<JobNumber> Simulator::find_job(const std::string& id) const {
    return simulation_->find_job(id);
}
const std::string& Simulator::metadata(JobNumber job) const {
    return simulation_->metadata(job);
}
const Scenario& Simulator::scenario() const {
    return simulation_->scenario();
}
const std::vector<SimulatedJob>& Simulator::jobs() const {
    return simulation_->jobs();
}
const std::vector<JobNumber>& Simulator::ended() const {
    return simulation_->ended();
}
MachineTimes Simulator::machine_times() const {
    return simulation_->machine_times();
}
std::size_t Simulator::processor_switches() const {
    return simulation_->processor_switches();
}
std::size_t Simulator::grouped_switches() const {
    return simulation_->grouped_switches();
}
std::size_t Simulator::rounded_run_times() const {
    return simulation_->rounded_run_times();
}
std::size_t Simulator::messages() const {
    return simulation_->messages();
}
Time Simulator::now() const {
    return simulation_->now();
}

}  // namespace batfill
