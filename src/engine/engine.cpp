#include <utility>

#include <batfill/engine/engine.hpp>

#include "src/engine/engine_core.hpp"

namespace batfill {

Engine::Engine(const SchedulerChoice& choice) : core_(std::make_unique<EngineCore>(choice)) {}
Engine::Engine(const std::string& algorithm, const Parameters::Given& given)
    : Engine(SchedulerChoice(algorithm, given)) {}
Engine::Engine(const AlgorithmDescription& description, const Parameters::Given& given)
    : Engine(SchedulerChoice(std::make_shared<const AlgorithmDescription>(description), given)) {}
Engine::Engine(std::unique_ptr<EngineCore> core) : core_(std::move(core)) {}
Engine::~Engine() = default;

void Engine::begin(Time now, Machine machine, bool acknowledges_jobs, JobNumber first_free) {
    core_->begin(now, std::move(machine), acknowledges_jobs, first_free);
}
void Engine::requeue_for_windows() {
    core_->requeue_for_windows();
}
void Engine::follow_dependencies(FindJob find) {
    core_->follow_dependencies(std::move(find));
}
std::optional<Time> Engine::eligible_since(JobNumber job) const {
    return core_->eligible_since(job);
}
void Engine::record_outlived_estimates() {
    core_->record_outlived_estimates();
}
void Engine::explain(const std::vector<std::string>& ids, const std::string& prefix) {
    core_->explain(ids, prefix);
}
const std::vector<WaitReason>& Engine::wait_reasons() const {
    return core_->wait_reasons();
}
void Engine::record_state(Time from) {
    core_->record_state(from);
}
const std::string& Engine::recorded_state() const {
    return core_->recorded_state();
}
std::unique_ptr<Engine> Engine::copy() const {
    std::unique_ptr<EngineCore> core = core_->copy();
    return core ? std::unique_ptr<Engine>(new Engine(std::move(core))) : nullptr;
}
std::optional<Time> Engine::start_in_plan(Time now, const JobDescription& job) const {
    return core_->start_in_plan(now, job);
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
void Engine::order_ties_by_id() {
    core_->order_ties_by_id();
}
bool Engine::is_waiting(JobNumber job) const {
    return core_->is_waiting(core_->numbers().find(job));
}
bool Engine::is_running(JobNumber job) const {
    return core_->is_running(core_->numbers().find(job));
}
const SchedulerChoice& Engine::choice() const {
    return core_->choice();
}
const Algorithm& Engine::algorithm() const {
    return core_->algorithm();
}
std::vector<Statistic> Engine::statistics() const {
    return core_->statistics();
}
bool Engine::registers_jobs() const {
    return core_->registers_jobs();
}
bool Engine::reuses_profiles() const {
    return core_->requeues() || algorithm().reuses_profiles();
}
const std::vector<GuaranteeBreak>& Engine::broken_guarantees() const {
    return core_->broken_guarantees();
}
Time Engine::guaranteed_at_submission(JobNumber job) const {
    return core_->guaranteed_at_submission(job);
}

}  // namespace batfill
