#include <utility>

#include <batfill/engine/engine.hpp>

#include "src/engine/engine_core.hpp"

namespace batfill {

Engine::Engine(const std::string& algorithm, const Parameters::Given& given)
    : Engine(find_algorithm(algorithm), given) {}
Engine::Engine(const AlgorithmDescription& description, const Parameters::Given& given)
    : core_(std::make_unique<EngineCore>(description, given)) {}
Engine::Engine(const SchedulerChoice& choice)
    : description_(choice.description),
      core_(std::make_unique<EngineCore>(description_ ? *description_ : find_algorithm(choice.algorithm),
                                         choice.parameters)) {}
Engine::~Engine() = default;

void Engine::begin(Time now, Machine machine, bool acknowledges_jobs, JobNumber first_free) {
    core_->begin(now, std::move(machine), acknowledges_jobs, first_free);
}
void Engine::record_outlived_estimates() {
    core_->record_outlived_estimates();
}
void Engine::arrive(Time now) {
    core_->arrive(now);
}
void Engine::take_in(Event&& event) {
    core_->take_in(std::move(event));
}
std::vector<Decision>& Engine::decide() {
    return core_->decide();
}
const SchedulerState& Engine::state() const {
    return core_->state();
}
bool Engine::knows(JobNumber job) const {
    return core_->numbers().find(job).has_value();
}
bool Engine::is_running(JobNumber job) const {
    return core_->is_running(core_->numbers().find(job));
}
const AlgorithmDescription& Engine::description() const {
    return core_->description();
}
const Algorithm& Engine::algorithm() const {
    return core_->algorithm();
}
bool Engine::gives_guarantees() const {
    return core_->gives_guarantees();
}
bool Engine::needs_run_times() const {
    return core_->needs_run_times();
}
std::vector<Statistic> Engine::statistics() const {
    return core_->statistics();
}
bool Engine::registers_jobs() const {
    return core_->registers_jobs();
}
bool Engine::reuses_profiles() const {
    return core_->failures().requeues() || algorithm().reuses_profiles();
}
const std::vector<GuaranteeBreak>& Engine::broken_guarantees() const {
    return core_->broken_guarantees();
}
Time Engine::guaranteed_at_submission(JobNumber job) const {
    return core_->guaranteed_at_submission(job);
}

}  // namespace batfill
