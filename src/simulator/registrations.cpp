#include <algorithm>
#include <string>
#include <utility>

#include <batfill/core/error.hpp>

#include "src/formats/job_id.hpp"
#include "src/formats/profile_index.hpp"
#include "src/simulator/simulation.hpp"
#include "src/support/json.hpp"
#include "src/support/place_in_errors.hpp"

// Jobs and profiles that the scheduler registers.
namespace batfill {

// `what` names what is registered.
// Throws: InputError unless something can be registered now.
void Simulation::require_registration(const std::string& what) const {
    refuse_if<InputError>(!dynamic_jobs_, what, ": expected a simulation with --enable-dynamic-jobs");
    refuse_if<InputError>(registration_finished_, what, ": the scheduler said registration_finished before");
}

void Simulation::register_profile(RegisterProfile& decision) {
    const std::string what = "the scheduler registers profile " + in_quotes(decision.name) + " of workload " +
                             in_quotes(decision.workload) + " at " + results_.now.to_string();
    require_registration(what);
    const Workload* const workload = find_workload(decision.workload);
    auto& profiles = registered_profiles_[decision.workload];
    if ((workload != nullptr && workload->profiles.contains(decision.name)) || profiles.contains(decision.name)) {
        throw InputError(what + ": the workload already has it");
    }
    with_place_in_errors(what, [&] { profiles.emplace(decision.name, parse_profile(decision.source)); });
}

// The workload of the scenario with this name, or null.
const Workload* Simulation::find_workload(std::string_view name) const {
    const auto found = std::ranges::find(scenario_.workloads, name, &Workload::name);
    return found != scenario_.workloads.end() ? &*found : nullptr;
}

// The profile of a job that is registered.
// Throws: InputError if there is none.
const JobProfile& Simulation::profile_to_register(const JobDescription& job) const {
    const std::string_view name = JobIdParts(job.id).workload;
    const Workload* const workload = find_workload(name);
    const auto registered = registered_profiles_.find(std::string(name));
    const std::map<std::string, JobProfile>* const known[] = {
        workload != nullptr ? &workload->profiles : nullptr,
        registered != registered_profiles_.end() ? &registered->second : nullptr};
    refuse_if<InputError>(known[0] == nullptr && known[1] == nullptr, "there is no such workload");
    for (const auto* profiles : known) {
        if (profiles != nullptr && profiles->contains(job.profile)) {
            return profiles->at(job.profile);
        }
    }
    throw InputError("there is no profile " + in_quotes(job.profile) + " in its workload");
}

void Simulation::register_job(RegisterJob& decision) {
    const std::string& id = decision.description.id;
    const std::string what = "the scheduler registers job " + shown(id) + " at " + results_.now.to_string();
    require_registration(what);
    refuse_if<InputError>(find_job(id).has_value(), what, ": a job of this id exists already");
    const auto number = static_cast<JobNumber>(results_.jobs.size());
    if (decision.job != number) {
        throw InputError(what + ": it has number " + std::to_string(static_cast<std::size_t>(decision.job)) +
                         ", expected " + std::to_string(results_.jobs.size()));
    }
    const JobProfile* const profile =
        with_place_in_errors(what, [&] { return &profile_to_register(decision.description); });
    refuse_if<InputError>(!profile_reuse_ && removed_profiles_.contains(profile), what,
                          ": a job with its profile has ended, expected a simulation with --enable-profile-reuse");
    require_simulable(*profile, "", decision.description);
    const WorkloadJob& job =
        registered_.emplace_back(WorkloadJob{std::move(decision.description), std::move(decision.source)});
    by_id_.emplace(job.description.id, number);
    SimulatedJob& simulated = results_.jobs.emplace_back();
    simulated.job = &job;
    simulated.profile = profile;
    const Workload* const workload = find_workload(JobIdParts(job.description.id).workload);
    simulated.may_outlive_walltime = workload != nullptr && workload->believes_walltimes;
    simulated.state = JobState::submitted;
    ++in_queue_;
    if (scenario_.acknowledge_dynamic_jobs) {
        tell(JobSubmitted{number, job.description, known_run_time(*profile), simulated.may_outlive_walltime});
    }
}

}  // namespace batfill
