#include "messages.hpp"

#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include <batfill/core/error.hpp>

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

// Writes the profiles of all jobs as Batsim announces them: an object of workloads, each an object of profiles by name.
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

// The share of its work that a killed job had done. It would have reached 1 if nothing had ended the job before.
double progress_of(const Simulator& simulator, const SimulatedJob& job) {
    const double whole = job.profile->type == JobProfile::Type::delay
                             ? job.profile->delay.to_seconds()
                             : computing_seconds(simulator.scenario().platform, *job.profile, job.allocation);
    return whole == 0 ? 1 : (job.end - job.start).to_seconds() / whole;
}

// Writes events as Batsim prints them.
class MessageWriter : public protocol::FrameWriter {
 public:
    // Replaces the content of `frame`.
    MessageWriter(Time now, std::string& frame)
        : FrameWriter((frame.clear(), frame), protocol::batsim4_field_names, now.to_string()) {}

    void begin(Time timestamp, std::string_view type) { begin_event(timestamp.to_string(), type); }

    void simulation_begins(const Scenario& scenario);
    void event(const Simulator& simulator, const Event& event);

 private:
    template <class Pairs>
    void open_pairs(std::string_view field, const Pairs& pairs) {
        open(field, '{');
        for (const auto& [key, value] : pairs) {
            pair(key, value);
        }
    }
    void pair(const std::string& key, const std::string& value) {
        separate();
        append_json_string(key, out());
        out() += ':';
        append_json_string(value, out());
    }
    void job_killed(const Simulator& simulator, const JobsKilled& killed);
};

void MessageWriter::simulation_begins(const Scenario& scenario) {
    const std::vector<Host>& hosts = scenario.platform.hosts;
    begin(Time(), "SIMULATION_BEGINS");
    integer("nb_resources", hosts.size());
    integer("nb_compute_resources", hosts.size());
    integer("nb_storage_resources", 0);
    boolean("allow_compute_sharing", false);
    boolean("allow_storage_sharing", true);
    open("config", '{');
    boolean("redis-enabled", false);
    text("redis-hostname", "127.0.0.1");
    integer("redis-port", 6379);
    text("redis-prefix", "default");
    boolean("profiles-forwarded-on-submission", false);
    boolean("dynamic-jobs-enabled", scenario.enable_dynamic_jobs);
    boolean("dynamic-jobs-acknowledged", scenario.acknowledge_dynamic_jobs);
    boolean("profile-reuse-enabled", scenario.enable_profile_reuse);
    text("sched-config", scenario.scheduler_configuration);
    boolean("forward-unknown-events", scenario.forward_unknown_events);
    close('}');
    open("compute_resources", '[');
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        separate();
        out() += '{';
        integer("id", i);
        text("name", hosts[i].name);
        text("state", "idle");
        open_pairs("properties", hosts[i].properties);
        if (!hosts[i].properties.contains("role")) {
            text("role", "");
        }
        close('}');
        open_pairs("zone_properties", hosts[i].zone_properties);
        close('}');
        close('}');
    }
    close(']');
    json("storage_resources", "[]");
    open("workloads", '{');
    for (const Workload& workload : scenario.workloads) {
        pair(workload.name, workload.path);
    }
    close('}');
    json("profiles", profiles_of(scenario));
}

void MessageWriter::job_killed(const Simulator& simulator, const JobsKilled& killed) {
    std::vector<std::string> ids;
    protocol::Json progress = "{";
    for (const JobNumber number : killed.jobs) {
        const SimulatedJob& job = simulator.job(number);
        const JobDescription& description = job.job->description;
        ids.push_back(description.id);
        if (job.state != JobState::completed_killed) {
            continue;  // the job had ended before
        }
        progress += progress.size() == 1 ? "" : ",";
        append_json_string(description.id, progress);
        progress += ":{\"profile_name\":";
        append_json_string(description.profile, progress);
        progress += ",\"progress\":" + std::to_string(progress_of(simulator, job)) + '}';
    }
    texts("job_ids", ids);
    json("job_progress", progress + '}');
}

void MessageWriter::event(const Simulator& simulator, const Event& event) {
    const auto begin = [&](const char* type) { this->begin(event.timestamp, type); };
    std::visit(Overloaded{[&](const JobSubmitted& submitted) {
                              begin("JOB_SUBMITTED");
                              text("job_id", submitted.description->id);
                              json("job", simulator.job(submitted.job).job->source);
                          },
                          [&](const JobCompleted& completed) {
                              const SimulatedJob& job = simulator.job(completed.job);
                              begin("JOB_COMPLETED");
                              text("job_id", job.job->description.id);
                              text("job_state", to_string(completed.state));
                              integer("return_code", return_code_of(job));
                              resources("alloc", job.allocation);
                          },
                          [&](const JobsKilled& killed) {
                              begin("JOB_KILLED");
                              job_killed(simulator, killed);
                          },
                          [&](const MachineChanged& change) {
                              begin("NOTIFY");
                              text("type", to_string(change.available ? NotificationType::event_machine_available
                                                                      : NotificationType::event_machine_unavailable));
                              resources("resources", change.processors);
                          },
                          [&](const ResourceStateChanged& change) {
                              begin("RESOURCE_STATE_CHANGED");
                              resources("resources", change.processors);
                              text("state", std::to_string(change.pstate));
                          },
                          [&](const RequestedCall&) { begin("REQUESTED_CALL"); },
                          [&](const Notification& notification) {
                              begin("NOTIFY");
                              text("type", notification.type == NotificationType::other ? notification.other_type
                                                                                        : to_string(notification.type));
                              fields_of(notification.other_fields);
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
            throw InputError("the scheduler names an unknown job " + in_quotes(id) + whole_id_instead(id));
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

// Replaces the reply's numbers of jobs by the simulator's.
void number_for_simulator(Decision& decision, const protocol::JobIds& ids, KnownJobs& jobs) {
    std::visit(
        [&](auto& one) {
            if constexpr (std::is_same_v<decltype(one), RegisterJob&>) {
                one.job = jobs.add(one.description.id);
            } else if constexpr (requires { one.job; }) {
                one.job = jobs[ids.id(one.job)];
            } else if constexpr (requires { one.jobs; }) {
                for (JobNumber& job : one.jobs) {
                    job = jobs[ids.id(job)];
                }
            }
        },
        decision);
}

}  // namespace

void write_beginning(const Scenario& scenario, std::string& frame) {
    MessageWriter writer(Time(), frame);
    writer.simulation_begins(scenario);
    writer.end();
}

void write_message(const Simulator& simulator, Time now, std::span<const Event> events, std::string& frame) {
    MessageWriter writer(now, frame);
    for (const Event& event : events) {
        writer.event(simulator, event);
    }
    writer.end();
}

void write_end(Time now, std::string& frame) {
    MessageWriter writer(now, frame);
    writer.begin(now, "SIMULATION_ENDS");
    writer.end();
}

std::optional<std::string> take_reply(const Simulator& simulator, protocol::Reply& received,
                                      const protocol::JobIds& ids, SchedulerReply& reply) {
    for (const protocol::ReplyEvent& event : received.events) {
        if (const auto* refusal = std::get_if<protocol::Refusal>(&event.data)) {
            return refusal->problem;
        }
    }
    reply.now = received.now;
    KnownJobs jobs(simulator);
    for (protocol::ReplyEvent& event : received.events) {
        auto* const decision = std::get_if<Decision>(&event.data);
        if (decision == nullptr) {
            throw InputError(
                "the scheduler sends an event that the embedded simulator cannot follow, expected EXECUTE_JOB, REJECT_JOB, KILL_JOB, CALL_ME_LATER, REGISTER_PROFILE, REGISTER_JOB, SET_JOB_METADATA or SET_RESOURCE_STATE");
        }
        number_for_simulator(*decision, ids, jobs);
        reply.decisions.push_back({event.timestamp, std::move(*decision)});
    }
    return std::nullopt;
}

}  // namespace batfill
