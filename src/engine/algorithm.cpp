#include <utility>

#include <batfill/engine/algorithm.hpp>

#include "src/engine/engine_core.hpp"

// What an algorithm may ask for in a round: the engine does it.
namespace batfill {

Round::Round(EngineCore& core) : core_(core), explains_(core.explains()) {}

const SchedulerState& Round::state() const {
    return core_.state();
}

void Round::start(JobIndex job) {
    core_.start(job, nullptr);
}
void Round::start(JobIndex job, const Place& place) {
    core_.start(job, place.hosts.empty() ? nullptr : &place.hosts, place.window);
}
void Round::start(JobIndex job, const Place& place, std::vector<Amount> by_host) {
    core_.start(job, &place.hosts, place.window, std::move(by_host));
}
void Round::start(JobIndex job, const ResourceSet& allocation) {
    core_.start(job, &allocation);
}
bool Round::start_if_possible(JobIndex job) {
    return core_.start_if_possible(job);
}
void Round::kill(JobIndex job) {
    core_.kill(job);
}
void Round::reject(JobIndex job, std::string reason) {
    core_.reject_waiting(job, std::move(reason));
}
void Round::note_eligible(JobIndex job, Time since) {
    core_.note_eligible(job, since);
}
void Round::promise(JobIndex job, Time time) {
    core_.promise(job, time);
}

void Round::end_promise(JobIndex job) {
    core_.end_promise(job);
}
void Round::put_to_sleep(const ResourceSet& processors) {
    core_.put_to_sleep(processors);
}
void Round::wake(const ResourceSet& processors) {
    core_.wake(processors);
}
void Round::explain_all(const std::function<Reason(JobIndex)>& reason) {
    for (const JobIndex job : explained()) {
        Reason said = state().job(job).state == JobState::submitted ? reason(job) : Reason();
        if (said.rule != Reason::Rule::none) {
            because(job, std::move(said));
        }
    }
}

std::span<const JobIndex> Round::explained() const {
    return core_.explained();
}
void Round::because(JobIndex job, Reason reason) {
    core_.because(job, std::move(reason));
}
std::string Round::name(JobIndex job) const {
    return core_.name(job);
}
void Round::set_metadata(JobIndex job, std::string metadata) {
    core_.set_metadata(job, std::move(metadata));
}

void Round::register_profile(std::string workload, std::string name, std::string source) {
    core_.register_profile({std::move(workload), std::move(name), std::move(source)});
}
JobIndex Round::register_job(JobDescription description) {
    return core_.register_job(std::move(description));
}

}  // namespace batfill
