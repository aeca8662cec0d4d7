#include "messages.hpp"

#include <map>
#include <set>
#include <utility>
#include <variant>

#include <batfill/core/error.hpp>

#include "src/formats/job_json.hpp"
#include "src/support/json.hpp"
#include "src/support/overloaded.hpp"

namespace batfill {

namespace {

int return_code_of(const SimulatedJob& job) {
    if (job.state == JobState::completed_killed) {
        return job.profile->type == JobProfile::Type::delay ? -1 : -2;
    }
    return job.state == JobState::completed_walltime_reached ? -1 : job.profile->return_code;
}

protocol::Properties properties_of(const std::map<std::string, std::string>& properties) {
    return {properties.begin(), properties.end()};
}

// All profiles that jobs have, as Batsim announces them: an object of workloads, each an object of profiles by name.
protocol::Json profiles_of(const Scenario& scenario) {
    protocol::Json json = "{";
    for (const Workload& workload : scenario.workloads) {
        std::set<std::string> used;
        for (const WorkloadJob& job : workload.jobs) {
            used.insert(job.description.profile);
        }
        json += json.size() == 1 ? "" : ",";
        append_json_string(workload.name, json);
        json += ":{";
        bool first = true;
        for (const std::string& name : used) {
            json += first ? "" : ",";
            first = false;
            append_json_string(name, json);
            json += ':';
            json += workload.profiles.at(name).source;
        }
        json += '}';
    }
    return json + "}";
}

protocol::SimulationBegins beginning_of(const Scenario& scenario) {
    protocol::SimulationBegins begins;
    begins.config.sched_config = scenario.scheduler_configuration;
    begins.config.forward_unknown_events = scenario.forward_unknown_events;
    begins.config.dynamic_jobs_enabled = scenario.enable_dynamic_jobs;
    begins.config.dynamic_jobs_acknowledged = scenario.acknowledge_dynamic_jobs;
    begins.config.profile_reuse_enabled = scenario.enable_profile_reuse;
    for (std::size_t i = 0; i < scenario.platform.hosts.size(); ++i) {
        const Host& host = scenario.platform.hosts[i];
        protocol::Resource& resource = begins.compute_resources.emplace_back();
        resource.id = static_cast<int>(i);
        resource.name = host.name;
        resource.state = "idle";
        resource.properties = properties_of(host.properties);
        if (!host.properties.contains("role")) {
            resource.properties.emplace_back("role", "");
        }
        resource.zone_properties = properties_of(host.zone_properties);
    }
    for (const Workload& workload : scenario.workloads) {
        begins.workloads.emplace_back(workload.name, workload.path);
    }
    begins.profiles = profiles_of(scenario);
    return begins;
}

// The share of its work that a killed job had done. It would have reached 1 if nothing had ended the job before.
double progress_of(const Simulator& simulator, const SimulatedJob& job) {
    const double whole = job.profile->type == JobProfile::Type::delay
                             ? job.profile->delay.to_seconds()
                             : computing_seconds(simulator.scenario().platform, *job.profile, job.allocation);
    return whole == 0 ? 1 : (job.end - job.start).to_seconds() / whole;
}

protocol::JobKilled kill_report(const Simulator& simulator, const JobsKilled& event) {
    protocol::JobKilled killed;
    killed.progress = "{";
    for (const JobNumber number : event.jobs) {
        const SimulatedJob& job = simulator.jobs()[number];
        killed.job_ids.push_back(job.job->description.id);
        if (job.state != JobState::completed_killed) {
            continue;  // the job had ended before
        }
        killed.progress += killed.progress.size() == 1 ? "" : ",";
        append_json_string(job.job->description.id, killed.progress);
        killed.progress += ":{\"profile_name\":";
        append_json_string(job.job->description.profile, killed.progress);
        killed.progress += ",\"progress\":";
        killed.progress += std::to_string(progress_of(simulator, job));
        killed.progress += '}';
    }
    killed.progress += '}';
    return killed;
}

protocol::Notify machine_notice(MachineChanged& change) {
    return {change.available ? NotificationType::event_machine_available : NotificationType::event_machine_unavailable,
            {},
            std::move(change.processors),
            {}};
}

protocol::Event::Data data_of(const Simulator& simulator, Event& event) {
    using Data = protocol::Event::Data;
    return std::visit(
        Overloaded{
            [&](JobSubmitted& submitted) -> Data {
                return protocol::JobSubmitted{*submitted.description, simulator.jobs()[submitted.job].job->source, {}};
            },
            [&](const JobCompleted& completed) -> Data {
                const SimulatedJob& job = simulator.jobs()[completed.job];
                return protocol::JobCompleted{job.job->description.id, completed.state, return_code_of(job),
                                              job.allocation};
            },
            [&](const JobsKilled& killed) -> Data { return kill_report(simulator, killed); },
            [&](MachineChanged& change) -> Data { return machine_notice(change); },
            [&](ResourceStateChanged& change) -> Data {
                return protocol::ResourceStateChanged{std::move(change.processors), change.pstate};
            },
            [&](const RequestedCall&) -> Data { return protocol::RequestedCall{}; },
            [&](Notification& notification) -> Data {
                return protocol::Notify{
                    notification.type, std::move(notification.other_type), {}, std::move(notification.other_fields)};
            }},
        event.data);
}

// The numbers of jobs by id, including jobs that the same reply registers.
class KnownJobs {
 public:
    explicit KnownJobs(const Simulator& simulator) : simulator_(simulator) {}

    JobNumber operator[](const std::string& id) const {
        if (const auto number = simulator_.find_job(id)) {
            return *number;
        }
        const auto registered = registered_.find(id);
        if (registered == registered_.end()) {
            throw InputError("the scheduler speaks of an unknown job " + in_quotes(id) + whole_id_instead(id));
        }
        return registered->second;
    }
    JobNumber add(const std::string& id) {
        const auto number = static_cast<JobNumber>(simulator_.jobs().size() + registered_.size());
        if (simulator_.find_job(id) || !registered_.emplace(id, number).second) {
            throw InputError("the scheduler registers job " + in_quotes(id) + ", which is there already");
        }
        return number;
    }

 private:
    // The text of an error if only the name of the workload is missing.
    std::string whole_id_instead(const std::string& id) const {
        for (const Workload& workload : simulator_.scenario().workloads) {
            const std::string whole = workload.name + '!' + id;
            if (simulator_.find_job(whole)) {
                return ", expected " + in_quotes(whole) + ": the workload, '!' and the job";
            }
        }
        return "";
    }

    const Simulator& simulator_;
    std::map<std::string, JobNumber> registered_;
};

RegisterJob registration_of(const protocol::RegisterJob& event, KnownJobs& jobs) {
    RegisterJob registration{jobs.add(event.job.id), event.job, {}};
    JsonReader json;
    append_job(json.parse(event.source), event.job.id, registration.source);
    return registration;
}

Decision decision_of(const protocol::ReplyEvent& event, KnownJobs& jobs) {
    if (const auto* execute = std::get_if<protocol::ExecuteJob>(&event.data)) {
        return StartJob{jobs[execute->job_id], execute->allocation};
    }
    if (const auto* reject = std::get_if<protocol::RejectJob>(&event.data)) {
        return RejectJob{jobs[reject->job_id], {}, RejectionCause::other};
    }
    if (const auto* registers = std::get_if<protocol::RegisterProfile>(&event.data)) {
        return RegisterProfile{registers->workload_name, registers->profile_name, registers->profile};
    }
    if (const auto* registers = std::get_if<protocol::RegisterJob>(&event.data)) {
        return registration_of(*registers, jobs);
    }
    if (const auto* kill = std::get_if<protocol::KillJob>(&event.data)) {
        KillJobs decision;
        for (const std::string& id : kill->job_ids) {
            decision.jobs.push_back(jobs[id]);
        }
        return decision;
    }
    if (const auto* call = std::get_if<protocol::CallMeLater>(&event.data)) {
        return CallMeLater{call->when};
    }
    if (const auto* metadata = std::get_if<protocol::SetJobMetadata>(&event.data)) {
        return SetJobMetadata{jobs[metadata->job_id], metadata->metadata};
    }
    if (const auto* sets = std::get_if<protocol::SetResourceState>(&event.data)) {
        return SetResourceState{sets->resources, sets->pstate};
    }
    if (const auto* notify = std::get_if<protocol::Notify>(&event.data);
        notify != nullptr && (notify->type == NotificationType::registration_finished ||
                              notify->type == NotificationType::continue_registration)) {
        return Notification{notify->type, {}, {}};
    }
    throw InputError(
        "the scheduler sends an event that the embedded simulator cannot follow, expected EXECUTE_JOB, "
        "REJECT_JOB, KILL_JOB, CALL_ME_LATER, REGISTER_PROFILE, REGISTER_JOB, SET_JOB_METADATA or SET_RESOURCE_STATE");
}

}  // namespace

protocol::Message beginning_message(const Scenario& scenario) {
    return {Time(), {{Time(), beginning_of(scenario)}}};
}

protocol::Message message_of(const Simulator& simulator, Time now, std::span<Event> events) {
    protocol::Message message{now, {}};
    message.events.reserve(events.size());
    for (Event& event : events) {
        message.events.push_back({event.timestamp, data_of(simulator, event)});
    }
    return message;
}

void take_reply(const Simulator& simulator, const protocol::Reply& received, SchedulerReply& reply) {
    reply.now = received.now;
    KnownJobs jobs(simulator);
    for (const protocol::ReplyEvent& event : received.events) {
        reply.decisions.push_back({event.timestamp, decision_of(event, jobs)});
    }
}

}  // namespace batfill
